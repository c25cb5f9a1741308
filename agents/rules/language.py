"""The language of strategies: a list of preferences for each number of pieces on the board.

    5-7: most worst live + 2 odd - left safe; fewest turns
    8+: fewest live; most double - near

A strategy takes wins and, of its other turns, only the safe ones. A rule keeps those of the safe
turns that lead to the most, or the fewest, of a sum of quantities (quantities.py) in the position
of the opponent; with `worst`, in the player's own next position, after the opponent's reply that is
worst for the player; there, `left` counts in the position of the opponent. The next rule decides
among the rest. 8+ includes all later turns; before the first stage, and where a strategy has no
rules, every safe turn is as good.

`Strategy.parse` and `str` are inverse, and so are `explain` and `read_english` of english.py."""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from agents.rules.quantities import COUNT, LEFT, QUANTITIES, STEP

STAGES = range(1, 13)  # pieces on the board; the last: and more
MOST_WEIGHT, MOST_TERMS, MOST_RULES = 99, 12, 24  # of a quantity, a sum, and a stage
NAMES = {quantity.name: index for index, quantity in enumerate(QUANTITIES + LEFT)}
# parameters of a mind: a key of the program, where its table of exceptions begins in the memory (0:
# none), from how many pieces on the exact search decides, where the rules of each stage begin
KEY, EXCEPTIONS, SEARCH, FIRST = range(4)
NO_SEARCH = 16
# kinds of rules in a program: they look at the opponent's position, at the player's own after the
# worst reply, or at both, in two parts that follow each other; 0 ends the rules of a stage
NEXT, WORST, BOTH = 1, 2, 3
HEADER = FIRST + STAGES[-1] + 1


class Term(NamedTuple):
    weight: int
    quantity: int  # index


class Spelling(NamedTuple):
    """How a form of the language spells a sum, a rule and a list of stages."""

    names: tuple[str, ...]  # of the quantities
    plus: str
    minus: str
    times: str
    rule: str
    worst_rule: str
    to: str  # between the ends of a range of stages
    more: str  # after the last stage


TEXT = Spelling(tuple(NAMES), " + ", " - ", "{} {}", "{} {}", "{} worst {}", "-", "+")


@dataclass(frozen=True)
class Rule:
    """Prefer the turns that lead to the most, or the fewest, of a sum."""

    terms: tuple[Term, ...]
    most: bool = False
    worst: bool = False

    @classmethod
    def of(cls, terms: Iterable[Term], most: bool, worst: bool) -> "Rule":
        """Return the rule with a sum in normal form: each quantity once, in order, with weights as
        small as possible, the first positive if there is one. Raise ValueError if it is empty. A
        rule that counts only what is left is one without `worst`."""
        weights = [0] * len(NAMES)
        for weight, quantity in terms:
            weights[quantity if worst else quantity % COUNT] += weight
        if worst and not any(weights[:COUNT]):
            return cls.of((Term(w, i) for i, w in enumerate(weights)), most, worst=False)
        common = np.gcd.reduce(weights)
        if common == 0:
            raise ValueError("a sum of nothing")
        if max(weights) <= 0:
            most, common = not most, -common
        terms = tuple(Term(int(w // common), i) for i, w in enumerate(weights) if w)
        # a positive term comes first, so that no sum begins with a sign
        terms = tuple(sorted(terms, key=lambda term: (term.weight < 0, term.quantity)))
        if len(terms) > MOST_TERMS or max(abs(term.weight) for term in terms) > MOST_WEIGHT:
            raise ValueError(f"a sum has at most {MOST_TERMS} terms, weights to {MOST_WEIGHT}")
        return cls(terms, bool(most), bool(worst))

    def spell(self, spelling: Spelling) -> str:
        sum = ""
        for weight, quantity in self.terms:
            sign = spelling.minus if weight < 0 else spelling.plus
            name = spelling.names[quantity]
            name = name if abs(weight) == 1 else spelling.times.format(abs(weight), name)
            sum += (sign if sum else "") + name
        form = spelling.worst_rule if self.worst else spelling.rule
        return form.format("most" if self.most else "fewest", sum)

    def compile(self) -> list[int]:
        """Return the rule in the program: see decide.py."""
        left = [Term(weight, index - COUNT) for weight, index in self.terms if index >= COUNT]
        if left:
            own = tuple(term for term in self.terms if term.quantity < COUNT)
            parts = Rule(own, self.most, worst=True), Rule(tuple(left), self.most)
            return [BOTH, *parts[0].compile()[1:], *parts[1].compile()]
        sign = 1 if self.most else -1
        others = [term for term in self.terms if term.quantity >= len(STEP)]
        steps = [term for term in self.terms if term.quantity < len(STEP)]
        worth = sum(sign * term.weight * STEP[term.quantity] for term in steps) + 0 * STEP[0]
        groups = int(
            np.bitwise_or.reduce([QUANTITIES[term.quantity].group for term in others] or [0])
        )
        kind = WORST if self.worst else NEXT, groups, len(others), len(self.terms)
        terms = [(sign * term.weight, term.quantity) for term in others + steps]
        upwards = 0 if not steps else 2 if worth.min() >= 0 else 1
        return [*kind, upwards, *worth.tolist(), *(number for term in terms for number in term)]

    @classmethod
    def read(cls, text: str, spelling: Spelling) -> "Rule":
        """Return the rule of a text; raise ValueError."""
        for worst, form in ((True, spelling.worst_rule), (False, spelling.rule)):
            pattern = re.escape(form).replace(r"\{\}", "{}").format("(most|fewest)", "(.+)")
            if found := re.fullmatch(pattern, text):
                return cls.of(read_sum(found[2], spelling), found[1] == "most", worst)
        example = spelling.rule.format("fewest", spelling.names[0])
        raise ValueError(f"{text!r} is no rule; a rule is like {example!r}")

    def __str__(self) -> str:
        return self.spell(TEXT)


def read_sum(text: str, spelling: Spelling) -> Iterable[Term]:
    sign = 1
    times = re.escape(spelling.times).replace(r"\{\}", "{}").format(r"(\d{1,3})", "(.+)")
    for part in re.split(f"({re.escape(spelling.plus)}|{re.escape(spelling.minus)})", text):
        if part in (spelling.plus, spelling.minus):
            sign = 1 if part == spelling.plus else -1
            continue
        name, weight = part.strip(), sign
        if found := re.fullmatch(times, name):
            name, weight = found[2], sign * int(found[1])
        if name not in spelling.names:
            raise ValueError(f"unknown quantity {name!r}: give {', '.join(spelling.names)}")
        yield Term(weight, spelling.names.index(name))


def spell_stages(stages: list[int], spelling: Spelling) -> str:
    """Return `5, 8-10` for 5, 8, 9 and 10."""
    parts = []
    for _, run in groupby(enumerate(stages), key=lambda pair: pair[1] - pair[0]):
        first, *_, last = [*(stage for _, stage in run)] * 2
        end = spelling.more if last == STAGES[-1] else f"{spelling.to}{last}"
        parts.append(f"{first}{end}" if end == spelling.more or last > first else f"{first}")
    return ", ".join(parts)


def read_stages(text: str, spelling: Spelling) -> list[int]:
    stages: list[int] = []
    for part in map(str.strip, text.split(",")):
        first, _, last = part.partition(spelling.to)
        if part.endswith(spelling.more):
            first, last = part.removesuffix(spelling.more), str(STAGES[-1])
        ends = [*map(str, STAGES)]
        if first not in ends or (last and last not in ends):
            limits = f"{STAGES[0]} to {STAGES[-1]}"
            raise ValueError(f"{text!r}: give numbers of pieces, {limits}, like 5, 8-10, 11+")
        stages += range(int(first), int(last or first) + 1)
    return stages


@dataclass(frozen=True)
class Strategy:
    """The rules by stage, in the order of STAGES."""

    rules: tuple[tuple[Rule, ...], ...]

    @classmethod
    def of(cls, rules: dict[int, tuple[Rule, ...]]) -> "Strategy":
        for stage, listed in rules.items():
            if len(listed) > MOST_RULES:
                raise ValueError(f"{stage} pieces: at most {MOST_RULES} rules")
        return cls(tuple(rules.get(stage, ()) for stage in STAGES))

    @classmethod
    def parse(cls, text: str) -> "Strategy":
        """Return the strategy of a text. Raise ValueError that names the line."""
        rules: dict[int, tuple[Rule, ...]] = {}
        for line in filter(None, map(str.strip, text.splitlines())):
            stages, colon, listed = line.partition(":")
            if not colon:
                raise ValueError(f"{line!r}: write STAGES: RULE; RULE, like 5-9: fewest turns")
            block = tuple(Rule.read(rule.strip(), TEXT) for rule in listed.split(";"))
            for stage in read_stages(stages, TEXT):
                if stage in rules:
                    raise ValueError(f"{line!r}: {stage} pieces are in two lines")
                rules[stage] = block
        return cls.of(rules)

    def blocks(self) -> dict[tuple[Rule, ...], list[int]]:
        """Return the stages of each list of rules, in the order of the first stage."""
        blocks: dict[tuple[Rule, ...], list[int]] = {}
        for stage, rules in zip(STAGES, self.rules, strict=True):
            if rules:
                blocks.setdefault(rules, []).append(stage)
        return blocks

    def __str__(self) -> str:
        return "\n".join(
            f"{spell_stages(stages, TEXT)}: {'; '.join(map(str, rules))}"
            for rules, stages in self.blocks().items()
        )

    @property
    def size(self) -> int:
        """The number of rules; those of a block count once."""
        return sum(map(len, self.blocks()))

    def compile(self) -> list[float]:
        """Return the parameters of the mind: see decide.py. No rules are stored as zero rules."""
        code, starts = [0], {stage: HEADER for stage in range(HEADER - FIRST)}
        for rules, stages in self.blocks().items():
            starts |= dict.fromkeys(stages, HEADER + len(code))
            for rule in rules:
                code += rule.compile()
            code.append(0)
        # minds that share a memory cache their last decision there: see whole_turn.py
        key = zlib.crc32(str(self).encode()) + 1
        return [float(number) for number in (key, 0, NO_SEARCH, *starts.values(), *code)]
