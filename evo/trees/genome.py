"""Genomes of trees: the individuals are programs, typed trees of DEAP's `gp`.

    class Mine(TreeGenome):
        player = "mine.py:Greedy"
        primitives = gp.PrimitiveSetTyped(...)       what trees are made of
        longest = 40                                 nodes
        def program(self, text): ...                 the parameters of the player

An individual is stored, sent and read as a text, here the Python expression of its tree, and
becomes a tree only to be changed. `program` runs on workers; `self.run(text)` evaluates there."""

import random
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np
from deap import gp

from evo.genome import Genome

Tree: TypeAlias = gp.PrimitiveTree
PROGRAM = "program"
NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?")
TRIES = 20  # to change a tree into a valid other one
AGAIN = 0.3  # chance of a further mutation
NEW = 2  # height of a subtree that a mutation makes


class TreeGenome(Genome):
    """The base of genomes of trees."""

    genes: ClassVar = {PROGRAM: None}
    fitness, strategy, crossover_rate = "accuracy+brevity", "nsga2", 0.3
    primitives: ClassVar[gp.PrimitiveSetTyped]
    longest: ClassVar[int] = 60
    heights: ClassVar[tuple[int, int]] = (1, 4)  # of the first trees

    def program(self, text: str) -> list[float]:
        """Return the parameters of the player that follows the program."""
        raise NotImplementedError(f"{self.name}: a genome of trees has a method program(text)")

    def read(self, text: str) -> Tree:
        """Return the tree of a text. Raise ValueError: a stored text may come from elsewhere, and
        DEAP evaluates whatever is in it."""
        for token in filter(None, re.split(r"[\s(),]", text)):
            if token not in self.primitives.mapping and not NUMBER.fullmatch(token):
                raise ValueError(f"{token!r} is not in the programs of {self.name}")
        try:
            tree = gp.PrimitiveTree.from_string(text, self.primitives)
            if tree.searchSubtree(0).stop == len(tree):
                return tree
        except (TypeError, LookupError, SyntaxError):
            pass
        raise ValueError(f"not a program of {self.name}: {text[:60]!r}")

    def check(self, individuals: Iterable) -> None:
        for genes in individuals:
            self.read(str(genes[0]))

    def write(self, tree: Tree) -> str:
        """Return the text of a tree; raise ValueError if it may not be an individual."""
        return str(tree)

    def length(self, genes: Any) -> int:
        """Return the size that brevity counts: by default, the nodes."""
        return len(self.read(genes[0]))

    def run(self, text: str, *arguments: Any) -> Any:
        """Return the value of a program, as a function of the arguments if it has some."""
        value = gp.compile(self.read(text), self.primitives)
        return value(*arguments) if arguments else value

    def first(self) -> list[str]:
        return [self._valid(lambda: gp.PrimitiveTree(self.grow(self.primitives.ret)))]

    def mutate(self, genes: list[str], sigma: Any) -> None:
        """Apply one of DEAP's mutations or of the genome's own, now and then several."""
        before = genes[0]

        def changed() -> Tree:
            tree = random.choice(self.mutations())(self.read(before))
            while random.random() < AGAIN:
                tree = random.choice(self.mutations())(tree)
            return tree

        genes[0] = self._valid(changed, before)

    def mate(self, genes: list[str], other: list[str]) -> None:
        before = genes[0]
        genes[0] = self._valid(lambda: self.cross(self.read(before), self.read(other[0])), before)

    def mutations(self) -> list[Callable[[Tree], Tree]]:
        """Return functions that change a tree and return it."""
        pset = self.primitives
        operators: tuple[Callable, ...] = (
            partial(gp.mutUniform, expr=self._subtree, pset=pset),
            partial(gp.mutNodeReplacement, pset=pset),
            partial(gp.mutInsert, pset=pset),
            gp.mutShrink,
        )

        def applying(operator: Callable) -> Callable[[Tree], Tree]:
            return lambda tree: operator(tree)[0]

        return [applying(operator) for operator in operators]

    def cross(self, tree: Tree, other: Tree) -> Tree:
        """Return the tree with a subtree of the other, of the same type. DEAP's cxOnePoint draws
        the type from a set of classes, whose order differs from process to process."""
        at = random.randrange(len(tree))
        places = [i for i, node in enumerate(other) if node.ret is tree[at].ret]
        if places:
            tree[tree.searchSubtree(at)] = other[other.searchSubtree(random.choice(places))]
        return tree

    def grow(self, type_: type, heights: tuple[int, int] | None = None) -> list:
        """Return the nodes of a random tree of a type."""
        return gp.genHalfAndHalf(self.primitives, *(heights or self.heights), type_)

    def _subtree(self, pset: gp.PrimitiveSetTyped, type_: type) -> list:
        return self.grow(type_, None if type_ is pset.ret else (0, NEW))

    def _valid(self, make: Callable[[], Tree], before: str | None = None) -> str:
        """Return the text of a tree that is not too long and not as before; after TRIES, `before`,
        or without one any that is valid."""
        tries = 0
        while before is None or tries < TRIES:
            tries += 1
            try:
                text = self.write(make())
            except (ValueError, LookupError):
                continue
            if text != before and self.length([text]) <= self.longest:
                return text
        return before

    def bounded(self, genes: Any) -> np.ndarray:
        return np.asarray(genes, np.str_)

    def parameters(self, genes: np.ndarray) -> np.ndarray:
        """Return [individual, parameter], the shorter programs followed by zeros."""
        programs = [self.program(str(vector[0])) for vector in genes]
        padded = np.zeros((len(programs), max(map(len, programs))))
        for row, program in zip(padded, programs, strict=True):
            row[: len(program)] = program
        return padded
