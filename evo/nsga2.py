"""NSGA-II: every part of --fitness is an objective of its own, and nobody says beforehand what one
is worth in another. What comes of it is a front: those whom nobody beats in all objectives."""

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from deap import base, tools

from evo.evaluate import Evaluator
from evo.fitness import Scoring, rate, results_of, set_fitness, sure_shares
from evo.individual import Individual
from evo.loop import MuPlusLambda
from evo.measure import GAMES

NAME, STEP = "nsga2", "front"
LEAST = 4  # survivors: DEAP's tournament takes them by fours


class Objectives(NamedTuple):
    """Which measures belong to which part of the fitness: all opponents are one."""

    parts: dict[str, slice]
    scoring: Scoring
    doubt: int

    @classmethod
    def of(cls, kinds: list[str], scoring: Scoring, doubt: int) -> "Objectives":
        opponents, parts, first = len(scoring.repeats) - len(kinds) + 1, dict[str, slice](), 0
        for kind in kinds:
            end = first + (opponents if kind == GAMES else 1)
            parts[kind], first = slice(first, end), end
        return cls(parts, scoring, doubt)

    def _of_part(self, part: slice) -> Scoring:
        return Scoring("sum", self.scoring.repeats[part])

    def values(self, individuals: list[Individual]) -> np.ndarray:
        """[individual, objective], each a share."""
        counts, points = results_of(individuals)
        found = [
            rate(counts[:, part], points[:, part], self._of_part(part), self.doubt)
            for part in self.parts.values()
        ]
        return np.hstack(found)

    def rate(self, individuals: list[Individual]) -> None:
        """Give every individual its fitness."""
        set_fitness(individuals, self.values(individuals))

    def front(self, individuals: list[Individual]) -> list[Individual]:
        """Copies of the individuals that no other one beats, the best in the first objective
        first. Selection still goes by the fitness that the individuals themselves have."""
        copies = [copy(one) for one in individuals]
        for one in copies:
            one.fitness = None
        self.rate(copies)
        front = tools.sortNondominated(copies, len(copies), first_front_only=True)[0]
        return sorted(front, key=lambda one: (one.fitness.values, one.id), reverse=True)

    def sure(self, individuals: list[Individual]) -> np.ndarray:
        """[individual, objective]: what is sure of each."""
        counts, _ = results_of(individuals)
        parts = self.parts.values()
        found = [sure_shares(counts[:, part], self._of_part(part)) for part in parts]
        return np.stack(found, axis=1)

    def champion(self, individuals: list[Individual]) -> Individual:
        """Of the front, who is nearest to the best of all objectives at once, each measured by how
        far the front reaches in it: so it makes no difference on what scale one is told."""
        front = self.front(individuals)
        sure = self.sure(front)
        missing = (sure.max(axis=0) - sure) / np.maximum(np.ptp(sure, axis=0), 1e-12)
        order = np.lexsort([[-one.id for one in front], np.sum(missing**2, axis=1)])
        return front[order[0]]

    def table(self, front: list[Individual]) -> pa.Table:
        """As it is kept."""
        values = np.array([one.fitness.values for one in front])
        columns = {"id": [one.id for one in front], "born": [one.born for one in front]}
        genes = pa.array([list(one) for one in front], pa.list_(pa.float64()))
        return pa.table(columns | dict(zip(self.parts, values.T, strict=True)) | {"genes": genes})


class NonDominatedSorting(MuPlusLambda):
    """Those survive who are beaten by the fewest, and of them those who have few like them.

    Champions claim nothing: those of two generations are often different members of the front, and
    what one of them scores says nothing about the other.
    """

    claims = False

    def make_toolbox(self, evaluator: Evaluator) -> base.Toolbox:
        toolbox, config = super().make_toolbox(evaluator), self.problem.config
        self.objectives = Objectives.of(config.kinds, self.problem.scoring, config.doubt)
        toolbox.register("rate", self.objectives.rate)
        toolbox.register("survive", tools.selNSGA2, k=config.population)
        return toolbox

    def parents(self) -> Iterator[Individual]:
        """Who beats another, or has fewer like it."""
        # gives everybody its distance to those like it
        tools.selNSGA2(self.survivors, len(self.survivors))
        while True:
            yield from tools.selTournamentDCD(self.survivors, len(self.survivors) // LEAST * LEAST)

    def front(self) -> list[Individual]:
        return self.objectives.front(self.survivors)

    def best(self, individuals: list[Individual]) -> Individual:
        return self.objectives.champion(individuals)
