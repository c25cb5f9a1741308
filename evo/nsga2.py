"""NSGA-II: every part of --fitness is an objective of its own. The result is a front: the
individuals that no other beats in all objectives."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from deap import base, tools

from evo.evaluate import Evaluator
from evo.fitness import Scoring, lower_bounds, rate, results_of, set_fitness
from evo.individual import Individual
from evo.loop import MuPlusLambda
from evo.measure import BREVITY, GAMES
from store.upgrade import gene_columns

NAME, STEP = "nsga2", "front"
MIN_SURVIVORS = 4  # DEAP's tournament takes them in groups of four


class Objectives(NamedTuple):
    """The columns of each objective: all opponents together are one."""

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

    def _scorings(self) -> Iterator[tuple[slice, Scoring]]:
        for part in self.parts.values():
            yield part, Scoring("sum", self.scoring.repeats[part])

    def values(self, individuals: list[Individual]) -> np.ndarray:
        """Return [individual, objective], each a share."""
        counts, points = results_of(individuals)
        columns = [
            rate(counts[:, part], points[:, part], scoring, self.doubt)
            for part, scoring in self._scorings()
        ]
        return np.hstack(columns)

    def rate(self, individuals: list[Individual]) -> None:
        set_fitness(individuals, self.values(individuals))

    def front(self, individuals: list[Individual]) -> list[Individual]:
        """Return copies of the non-dominated individuals, the best in the first objective first,
        and of equals the youngest. The individuals keep the fitness that selection goes by."""
        copies = [copy(individual) for individual in individuals]
        for individual in copies:
            individual.fitness = None
        self.rate(copies)
        front = tools.sortNondominated(copies, len(copies), first_front_only=True)[0]
        # of equal values the last, the youngest, stays
        distinct = {each.fitness.values: each for each in sorted(front, key=lambda each: each.id)}
        return sorted(distinct.values(), key=lambda each: each.fitness.values, reverse=True)

    def champion(self, individuals: list[Individual]) -> Individual:
        """Return the member nearest to the best in all objectives, scaled by the front's ranges. A
        program is not the better player for being short."""
        front = self.front(individuals)
        counts, _ = results_of(front)
        columns = [
            lower_bounds(counts[:, part], scoring)
            for kind, (part, scoring) in zip(self.parts, self._scorings(), strict=True)
            if kind != BREVITY
        ]
        bounds = np.stack(columns, axis=1)
        missing = (bounds.max(axis=0) - bounds) / np.maximum(np.ptp(bounds, axis=0), 1e-12)
        order = np.lexsort([[-individual.id for individual in front], np.sum(missing**2, axis=1)])
        return front[order[0]]

    def table(self, front: list[Individual], names: Iterable[str]) -> pa.Table:
        """Return a row for each member of the front. `names`: of the genes."""
        values = np.array([individual.fitness.values for individual in front])
        columns = {name: [getattr(each, name) for each in front] for name in ("id", "born")}
        genes = gene_columns(np.array(front), names)
        return pa.table(columns | dict(zip(self.parts, values.T, strict=True)) | genes)


def survivors(individuals: list[Individual], k: int) -> list[Individual]:
    """Return k survivors; copies of an individual only if there are no others."""
    distinct = list({tuple(individual): individual for individual in individuals}.values())
    ids = {individual.id for individual in distinct}
    copies = [individual for individual in individuals if individual.id not in ids]
    return tools.selNSGA2(distinct, k) + copies[: max(0, k - len(distinct))]


class NonDominatedSorting(MuPlusLambda):
    """Survival of the individuals that the fewest dominate, then of the least crowded ones.

    Its champions make no claims: those of two generations are often different members of the front,
    and the games of one say nothing about the other."""

    claims = False

    def make_toolbox(self, evaluator: Evaluator) -> base.Toolbox:
        toolbox, config = super().make_toolbox(evaluator), self.problem.config
        self.objectives = Objectives.of(config.kinds, self.problem.scoring, config.doubt)
        toolbox.register("rate", self.objectives.rate)
        toolbox.register("survive", survivors, k=config.population)
        return toolbox

    def parents(self) -> Iterator[Individual]:
        """Yield winners of tournaments by dominance, then by crowding distance."""
        # sets the crowding distances
        tools.selNSGA2(self.survivors, len(self.survivors))
        whole = len(self.survivors) // MIN_SURVIVORS * MIN_SURVIVORS
        while True:
            yield from tools.selTournamentDCD(self.survivors, whole)

    def front(self) -> list[Individual]:
        return self.objectives.front(self.survivors)

    def best(self, individuals: list[Individual]) -> Individual:
        return self.objectives.champion(individuals)
