"""The stored generations of a run.

fitness-00007      a row for each individual and opponent, written first
generation-00007   a row for each individual; its presence is the commit
epoch-00007        the same on islands
mind               the champion's genes at the end of a run: champion.py
"""

from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from console.errors import BadInput
from console.progress import Progress
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.evaluate import Problem
from evo.individual import Population
from evo.plan import COUNTS
from store import DamagedFile, Run, StoreError
from store.upgrade import gene_columns, read_genes

CHECKED_AT_ONCE = 256  # generations


class Archive:
    """The generations or epochs of a run, whichever `unit` names; None: those that the run has.

    `repair`: ignore the last one if a part of it is missing."""

    def __init__(self, run: Run, unit: str | None = None, repair: bool = False):
        self.run, self.repair = run, repair
        self.unit = unit or ("epoch" if run.steps("epoch-") else "generation")

    def step(self, number: int) -> str:
        return f"{self.unit}-{number:05d}"

    def __len__(self) -> int:
        """Return the number of generations; raise StoreError if a file is missing."""
        steps, fitness = self.run.numbered(self.unit), self.run.steps("fitness-")
        stored = set(fitness)
        for number, step in enumerate(steps):
            if f"fitness-{number:05d}" not in stored:
                if self.repair and fitness[-1:] < [f"fitness-{number:05d}"]:
                    return number
                self._table(number, step)  # reports an older format, which had no such file
                raise self._error(number, f"fitness-{number:05d}", "is missing")
        return len(steps)

    def read(self, number: int) -> Population:
        individuals = self._table(number, self.step(number))
        fitness = self._table(number, f"fitness-{number:05d}")
        if not belong_together(individuals, fitness):
            raise self._error(number, f"fitness-{number:05d}", f"is of another {self.unit}")
        return from_tables(individuals, fitness)

    def _table(self, number: int, step: str) -> pa.Table:
        try:
            return self.run.read(step)
        except DamagedFile:
            raise self._error(number, step, "is damaged") from None

    def _error(self, number: int, step: str, problem: str) -> StoreError:
        file, fitness, last = map(self.run.file_of, (*self._pair(number), self._steps()[-1]))
        if file == last:
            drops = "drops this file and goes on from the step before it"
            advice = f"the same evo.run with --repair {drops}"
        else:
            both = f"{fitness}, {file} and all that follow them"
            advice = f"delete {both}, then the same command goes on from there"
        return StoreError(
            f"{self.run.address}/{self.run.file_of(step)}.parquet: {problem}: {advice}"
        )

    def _steps(self) -> list[str]:
        return self.run.steps(f"{self.unit}-")

    def last(self) -> Population | None:
        count = len(self)
        return self.read(count - 1) if count else None

    def measured(self, number: int) -> dict:
        return self.run.about(self.step(number))["measured"]

    def seconds(self) -> float | None:
        """Return the seconds that all commands of the run took, None if one did not record them."""
        return self.measured(len(self) - 1).get("seconds") if len(self) else 0.0

    def claims(self, repeats: np.ndarray) -> Claims:
        """Return the claims by generation; only those of the later half are read."""
        half, count = len(self) // 2, len(self)
        later = [self.measured(number).get("claim") for number in range(half, count)]
        return Claims(repeats, [*[None] * half, *later])

    def config(self) -> dict:
        """Return the run's configuration; raise BadInput if it holds no evolution."""
        if not len(self):
            raise BadInput(f"{self.run.address}: holds no evolution")
        self.read(0)
        return self.run.about(self.step(0))["config"]

    def check(self) -> None:
        """Raise StoreError if a generation is missing, or damaged beyond what `repair` covers."""
        total, files = len(self), set()
        if self.repair:
            lasts = [*self._steps()[-1:], *self.run.steps("fitness-")[-1:]]
            files = set(map(self.run.file_of, lasts))
        with Progress("checking the stored run", f"{self.unit}s", total) as progress:
            for first in range(0, total, CHECKED_AT_ONCE):
                numbers = [
                    number
                    for number in range(first, min(first + CHECKED_AT_ONCE, total))
                    if files.isdisjoint(map(self.run.file_of, self._pair(number)))
                ]
                self._check(numbers)
                progress.add(len(numbers))

    def _pair(self, number: int) -> tuple[str, str]:
        return self.step(number), f"fitness-{number:05d}"

    def _check(self, numbers: list[int]) -> None:
        """Read some generations at once; if something is wrong, one by one, to name the file."""
        pairs = [*zip(*map(self._pair, numbers), strict=True)]
        with suppress(StoreError):
            if not pairs or belong_together(*(self.run.join(list(steps)) for steps in pairs)):
                return
        for number in numbers:
            self.read(number)

    def write(self, number: int, population: Population, problem: Problem, measured: dict) -> None:
        individuals, fitness = to_tables(population, self.unit, number, problem)
        self.run.add(f"fitness-{number:05d}", fitness)
        # quick generations are committed together
        self.run.write(self.step(number), individuals, measured, wait=True)


def belong_together(individuals: pa.Table, fitness: pa.Table) -> bool:
    """Return whether the fitness is that of these individuals, each with all opponents."""
    id, of = individuals["id"].to_numpy(), fitness["individual"].to_numpy()
    return np.array_equal(np.repeat(id, len(of) // len(id)), of)


def to_tables(
    population: Population, unit: str, number: int, problem: Problem
) -> tuple[pa.Table, pa.Table]:
    """Return (individuals, fitness) of generation, or epoch, `number`."""
    count, opponents = len(population.id), problem.labels
    individuals = {
        unit: np.full(count, number),
        "id": population.id,
        "born": population.born,
        "parents": pa.array(list(population.parents), pa.list_(pa.int64())),
        "sigma": population.sigma,
        "survives": population.survives,
        **gene_columns(population.genes, problem.genome.genes),
    }
    fitness = {
        unit: np.full(count * len(opponents), number),
        "individual": np.repeat(population.id, len(opponents)),
        "opponent": opponents * count,
        **dict(zip(COUNTS, population.counts.reshape(-1, 3).T, strict=True)),
        "score": population.points.reshape(-1),
    }
    return pa.table(individuals), pa.table(fitness)


def from_tables(individuals: pa.Table, fitness: pa.Table) -> Population:
    size = len(individuals)
    counts = np.stack([fitness[name].to_numpy() for name in COUNTS], axis=1)
    return Population(
        parents=np.fromiter(individuals["parents"].to_pylist(), object),
        genes=read_genes(individuals),
        counts=counts.reshape(size, -1, 3),
        points=fitness["score"].to_numpy().reshape(size, -1),
        **{name: individuals[name].to_numpy() for name in ("id", "born", "sigma", "survives")},
    )


def import_from(address: str, genome: str) -> Archive:
    """Return another run's archive; raise BadInput if it holds no evolution of this genome."""
    other = Archive(Run(address))
    try:
        stored = other.config().get("genome")
    except BadInput as error:
        raise BadInput(f"--import {error}") from None
    if stored != genome:
        raise BadInput(f"--import {address}: holds the genome {stored}, not {genome}")
    return other


def import_genes(run: Run, config: EvolveConfig) -> list[list[Any]] | None:
    """Return the genes of --import, copied to this run: the other may change or be deleted."""
    if config.start_from is None:
        return None
    if not run.has("import"):
        other = import_from(config.start_from, config.genome)
        last = other.read(len(other) - 1)
        genes = last.genes[last.survives] if last.survives.any() else last.genes
        run.write("import", pa.table(gene_columns(genes, config.genome_object.genes)))
    return read_genes(run.read("import")).tolist()
