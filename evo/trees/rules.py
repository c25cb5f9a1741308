"""The genome of the player rules: strategies as typed trees.

The root has one list of rules for each stage, because the right turns of one are independent of
another's. Equal lists are one block of the text, so that stages share rules to save words."""

import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from deap import gp

from agents.rules.english import count_words
from agents.rules.language import STAGES, Rule, Strategy, Term
from agents.rules.player import HOLDS
from agents.rules.quantities import LEFT, QUANTITIES
from agents.rules.table import Table, count_right, make_table
from arena.match import Batch
from evo.genome import Sizes
from evo.trees.genome import Tree, TreeGenome
from oracle.right_turns import as_questions
from oracle.testset import STAGES as JUDGED
from oracle.testset import questions_of

KINDS = {  # name of a primitive -> most?, worst?
    "most": (True, False),
    "fewest": (False, False),
    "most_worst": (True, True),
    "fewest_worst": (False, True),
}
# names of the terminals
COUNTED = [quantity.name.replace(" ", "_") for quantity in QUANTITIES + LEFT]
PLAYED = [stage for stage in STAGES if stage >= JUDGED[0]]
WEIGHTS = range(1, 16)
LONGEST = 120  # words of the English
MOST_BLOCKS = 3  # of a strategy of the first generation
TUNED = 0.5  # share of changes of a sum that change a weight; the others add a term
STEPS = (1, 2, 4, 8)  # a changed weight grows or shrinks by one of these
# of climbing: the seed and number of a stage's positions, those that judge one climb, and its steps
CLIMBING_SEED, CLIMBING, SAMPLE, CLIMBED = 4, 400, 150, 24
SPREAD = 0.5  # share of mutations that the other stages with the same rules follow


class Block(tuple):
    """The rules of a stage."""


class Sum(tuple):
    """Terms."""


class Weight(int):
    pass


def strategy(*blocks: Block) -> Strategy:
    return Strategy.of({stage: tuple(b) for stage, b in zip(PLAYED, blocks, strict=True) if b})


def then(rule: Rule, block: Block) -> Block:
    return Block((rule, *block))


def plus(one: Sum, other: Sum) -> Sum:
    return Sum(one + other)


def minus(one: Sum, other: Sum) -> Sum:
    return plus(one, times(-1, other))


def times(weight: int, one: Sum) -> Sum:
    return Sum(Term(weight * term.weight, term.quantity) for term in one)


def same(weight: Weight) -> Weight:
    return weight


def rule(sum: Sum, kind: str) -> Rule:
    return Rule.of(sum, *KINDS[kind])


def primitive_set() -> gp.PrimitiveSetTyped:
    pset = gp.PrimitiveSetTyped("rules", [], Strategy)
    pset.addPrimitive(strategy, [Block] * len(PLAYED), Strategy)
    pset.addPrimitive(then, [Rule, Block], Block)
    pset.addTerminal(Block(), Block, "stop")
    for kind in KINDS:
        pset.addPrimitive(partial(rule, kind=kind), [Sum], Rule, kind)
    for join in (plus, minus):
        pset.addPrimitive(join, [Sum, Sum], Sum)
    pset.addPrimitive(times, [Weight, Sum], Sum)
    # DEAP needs a primitive of every type
    pset.addPrimitive(same, [Weight], Weight)
    for weight in WEIGHTS:
        pset.addTerminal(Weight(weight), Weight, f"w{weight}")
    for index, name in enumerate(COUNTED):
        term = Sum([Term(1, index)])
        pset.addTerminal(term, Sum, name)
        for kind in KINDS if index < len(QUANTITIES) else ():
            pset.addTerminal(rule(term, kind), Rule, f"{kind}_{name}")
    return pset


def sum_words(rule: Rule) -> Iterator[str]:
    """Yield the names of the nodes of a rule's sum."""
    yield from ("plus" if term.weight > 0 else "minus" for term in reversed(rule.terms[1:]))
    for weight, quantity in rule.terms:
        yield from () if abs(weight) == 1 else ("times", f"w{abs(weight)}")
        yield COUNTED[quantity]


def tree_words(strategy: Strategy) -> Iterator[str]:
    """Yield the names of the nodes of a strategy's tree."""
    yield "strategy"
    for stage in PLAYED:
        for rule in strategy.rules[STAGES.index(stage)]:
            yield from ("then", ("most" if rule.most else "fewest") + "_worst" * rule.worst)
            yield from sum_words(rule)
        yield "stop"


@cache
def climbing_table(stage: int) -> Table:
    """Return the positions of a stage by which climbs are judged."""
    return make_table(as_questions([*questions_of(CLIMBING_SEED, stage, CLIMBING)]))


def any_stage(strategy: Strategy) -> int:
    """Return a random stage that has rules. Raise LookupError if none has."""
    return random.choice([stage for stage in PLAYED if strategy.rules[STAGES.index(stage)]])


def tuned(strategy: Strategy, stage: int) -> Strategy:
    """Return the strategy with another term or another weight in a sum of this stage."""
    rules = list(strategy.rules)
    at = STAGES.index(stage)
    block = list(rules[at])
    which = random.randrange(len(block))
    old = block[which]
    new = random.random() >= TUNED
    quantity = random.randrange(len(COUNTED)) if new else random.choice(old.terms).quantity
    step = Term(random.choice((-1, 1)) * random.choice(STEPS), quantity)
    block[which] = Rule.of([*old.terms, step], old.most, old.worst)
    rules[at] = tuple(block)
    return Strategy(tuple(rules))


class RulesGenome(TreeGenome):
    """Strategies in the language of agents/rules, as texts; brevity counts the words in English."""

    name, player, holds = "rules", "rules", HOLDS
    opponents = ("evolved", "rulebased")
    primitives, longest = primitive_set(), LONGEST
    sizes = Sizes(population=40, offspring=80, games=50, generations=35, fresh=1_000, epoch=5)

    def program(self, text: str) -> list[float]:
        return Strategy.parse(text).compile()

    def read(self, text: str) -> Tree:
        return self._tree(Strategy.parse(text))

    def write(self, tree: Tree) -> str:
        strategy = self._strategy(tree)
        self._tree(strategy)  # raises LookupError for a weight that trees do not have
        return str(strategy)

    def length(self, genes: Any) -> int:
        return count_words(Strategy.parse(str(genes[0])))

    def first(self) -> list[str]:
        """Return random rules for up to three ranges of stages."""
        cuts = sorted(random.sample(PLAYED, random.randrange(MOST_BLOCKS)))
        blocks = [self.grow(Block) for _ in range(len(cuts) + 1)]
        nodes = [self.primitives.mapping["strategy"]]
        for stage in PLAYED:
            nodes += blocks[sum(stage >= cut for cut in cuts)]
        try:
            text = self.write(gp.PrimitiveTree(nodes))
        except (ValueError, LookupError):
            text = ""
        return [text] if text and self.length([text]) <= self.longest else self.first()

    def mutations(self) -> list[Callable[[Tree], Tree]]:
        """Return DEAP's mutations and our own. Four in ten change a sum; one of these climbs."""
        changes = [*super().mutations(), *[self._tune] * 3, self._climb]
        spread = [partial(self._spread, change) for change in changes]
        return [*spread, self._copy_stage, self._reorder]

    def cross(self, tree: Tree, other: Tree) -> Tree:
        """Exchange a subtree, or the rules from some number of pieces on."""
        if random.random() < 0.5:
            return super().cross(tree, other)
        cut = STAGES.index(random.choice(PLAYED[1:]))
        early, late = random.sample((self._strategy(tree), self._strategy(other)), 2)
        return self._tree(Strategy(early.rules[:cut] + late.rules[cut:]))

    @staticmethod
    def prepare(questions: np.ndarray) -> Table:
        return make_table(questions)

    def right_turns(self, parameters: np.ndarray, questions: Table, batch: Batch) -> np.ndarray:
        counts = np.zeros((len(parameters), 2), np.int64)
        count_right(parameters, questions, batch.first, batch.first + batch.games, counts)
        return counts

    def _strategy(self, tree: Tree) -> Strategy:
        return gp.compile(tree, self.primitives)

    def _tree(self, strategy: Strategy) -> Tree:
        return gp.PrimitiveTree([self.primitives.mapping[word] for word in tree_words(strategy)])

    def _spread(self, change: Callable[[Tree], Tree], tree: Tree) -> Tree:
        """Return a changed tree; often the stages that had the same rules change with it."""
        before, after = self._strategy(tree).rules, list(self._strategy(change(tree)).rules)
        if random.random() < SPREAD:
            changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
            after = [changed.get(old, new) for old, new in zip(before, after, strict=True)]
        return self._tree(Strategy(tuple(after)))

    def _tune(self, tree: Tree) -> Tree:
        """Add a term to the sum of a rule of a stage; often it changes a weight there."""
        strategy = self._strategy(tree)
        return self._tree(tuned(strategy, any_stage(strategy)))

    def _climb(self, tree: Tree) -> Tree:
        """Tune a stage step by step, as long as no step makes fewer turns right in a sample."""
        best = self._strategy(tree)
        stage, first = any_stage(best), random.randrange(CLIMBING - SAMPLE + 1)
        table = climbing_table(stage)

        def right(strategy: Strategy) -> int:
            counts = np.zeros((1, 2), np.int64)
            count_right(np.array([strategy.compile()]), table, first, first + SAMPLE, counts)
            return int(counts[0, 0])

        most = right(best)
        for _ in range(CLIMBED):
            try:
                changed = tuned(best, stage)
                self._tree(changed)  # raises LookupError for a weight that trees do not have
            except (ValueError, LookupError):
                continue
            if (now := right(changed)) >= most:
                best, most = changed, now
        return self._tree(best)

    def _copy_stage(self, tree: Tree) -> Tree:
        """Copy the rules of a stage to a range of stages."""
        rules = list(self._strategy(tree).rules)
        first, last = sorted(random.choices(PLAYED, k=2))
        copied = rules[STAGES.index(random.choice(PLAYED))]
        for stage in range(first, last + 1):
            rules[STAGES.index(stage)] = copied
        return self._tree(Strategy(tuple(rules)))

    def _reorder(self, tree: Tree) -> Tree:
        """Shuffle the rules of a block."""
        rules = list(self._strategy(tree).rules)
        block = random.choice(rules)
        shuffled = tuple(random.sample(block, len(block)))
        return self._tree(Strategy(tuple(shuffled if each == block else each for each in rules)))
