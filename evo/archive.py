"""Generations in a run: written, read, checked.

fitness-00007      a row for each individual and opponent, written first
generation-00007   a row for each individual; that it is there is the commit
epoch-00007        the same on islands
mind               the champion's genes, when the run has come to its end: champion.py
"""

import numpy as np
import pyarrow as pa

from console.errors import BadInput
from console.progress import Progress
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.fitness import Scoring, sure_shares
from evo.individual import Population
from evo.plan import COUNTS
from store import DamagedFile, Run, StoreError

# What the best must gain to be better: a share of a point a game.
PROGRESS = 0.001


class Archive:
    """The generations of a run, or its epochs: whichever `unit` says; None: what is there.

    `repair`: the last one does not count if a part of it is missing."""

    def __init__(self, run: Run, unit: str | None = None, repair: bool = False):
        self.run, self.repair = run, repair
        self.unit = unit or ("epoch" if run.steps("epoch-") else "generation")

    def step(self, number: int) -> str:
        return f"{self.unit}-{number:05d}"

    def __len__(self) -> int:
        """How many there are. StoreError if a file is missing."""
        steps, fitness = self.run.numbered(self.unit), set(self.run.steps("fitness-"))
        for number, step in enumerate(steps):
            if f"fitness-{number:05d}" not in fitness:
                if self.repair and step == steps[-1]:
                    return number
                self._table(number, step)  # a run of an older format is refused as such
                raise self._trouble(number, f"fitness-{number:05d}", "is missing")
        return len(steps)

    def read(self, number: int) -> Population:
        return from_tables(*self._tables(number))

    def _tables(self, number: int) -> tuple[pa.Table, pa.Table]:
        """(individuals, fitness); StoreError if one is damaged, or the two are not of a kind."""
        individuals = self._table(number, self.step(number))
        fitness = self._table(number, f"fitness-{number:05d}")
        id = individuals["id"].to_numpy()
        each = np.repeat(id, len(fitness) // len(id))
        if not np.array_equal(each, fitness["individual"].to_numpy()):
            other = f"is of another {self.unit}"
            raise self._trouble(number, f"fitness-{number:05d}", other)
        return individuals, fitness

    def _table(self, number: int, step: str) -> pa.Table:
        try:
            return self.run.read(step)
        except DamagedFile:
            raise self._trouble(number, step, "is damaged") from None

    def _trouble(self, number: int, step: str, what: str) -> StoreError:
        """What is wrong with a file, and what to do."""
        drops = f"drops this {self.unit} and goes on from the one before it"
        advice = f"the same evo.run with --repair {drops}"
        if self.run.steps(f"{self.unit}-")[-1] != self.step(number):
            files = f"fitness-{number:05d}, {self.step(number)} and all that follow them"
            advice = f"delete {files}, then the same command goes on from there"
        return StoreError(f"{self.run.address}/{step}.parquet: {what}: {advice}")

    def last(self) -> Population | None:
        count = len(self)
        return self.read(count - 1) if count else None

    def measured(self, number: int) -> dict:
        return self.run.about(self.step(number))["measured"]

    def seconds(self) -> float | None:
        """Seconds that the generations took, those of commands before this one included; None if
        an older version has not recorded them."""
        return self.measured(len(self) - 1).get("seconds") if len(self) else 0.0

    def games(self) -> int:
        """Games of all generations, measured positions and scores included."""
        return self.measured(len(self) - 1)["games"] if len(self) else 0

    def claims(self, repeats: np.ndarray) -> Claims:
        """By generation; of the earlier half nobody will want to know."""
        half, count = len(self) // 2, len(self)
        later = [self.measured(number).get("claim") for number in range(half, count)]
        return Claims(repeats, [*[None] * half, *later])

    def config(self) -> dict:
        """Of the run; BadInput if it holds no evolution."""
        if not len(self):
            raise BadInput(f"{self.run.address}: holds no evolution")
        self.read(0)
        return self.run.about(self.step(0))["config"]

    def check(self) -> None:
        """StoreError if there is a gap, or if one cannot be read that cannot be repaired."""
        total = len(self) - self.repair
        with Progress("looking at what is stored", f"{self.unit}s", total) as progress:
            for number in range(total):
                self._tables(number)
                progress.add(1)

    def write(
        self, number: int, population: Population, opponents: list[str], measured: dict
    ) -> None:
        """The fitness first: a generation whose file is there has its fitness there, too."""
        individuals, fitness = to_tables(population, self.unit, number, opponents)
        self.run.write(f"fitness-{number:05d}", fitness)
        self.run.write(self.step(number), individuals, measured)


class Plateau:
    """Whether generations have stopped to bring anything: --until-flat. `best`: what is sure of
    the best of each, as their files tell."""

    def __init__(self, config: EvolveConfig, scoring: Scoring, archive: Archive):
        self.patience, self.scoring = config.until_flat, scoring
        if config.islands > 1 and self.patience:
            self.patience = -(-self.patience // (config.epoch or 1))
        numbers = range(len(archive)) if self.patience else range(0)
        self.best = [archive.measured(number).get("best", 0.0) for number in numbers]

    def add(self, population: Population) -> float:
        self.best.append(round(float(sure_shares(population.counts, self.scoring).max()), 6))
        return self.best[-1]

    @property
    def is_flat(self) -> bool:
        if not self.patience or len(self.best) <= self.patience:
            return False
        before, since = self.best[: -self.patience], self.best[-self.patience :]
        return max(since) < max(before) + PROGRESS


def to_tables(
    population: Population, unit: str, number: int, opponents: list[str]
) -> tuple[pa.Table, pa.Table]:
    """(individuals, fitness) of generation, or epoch, `number`."""
    lists = {
        "parents": pa.array(list(population.parents), pa.list_(pa.int64())),
        "genes": pa.array(list(population.genes), pa.list_(pa.float64())),
    }
    names = ("id", "born", "parents", "sigma", "survives", "genes")
    individuals = {name: lists.get(name, getattr(population, name)) for name in names}
    fitness = {
        unit: np.full(population.points.size, number),
        "individual": np.repeat(population.id, len(opponents)),
        "opponent": opponents * len(population.id),
        **dict(zip(COUNTS, population.counts.reshape(-1, 3).T, strict=True)),
        "points": population.points.reshape(-1),
    }
    return pa.table(individuals), pa.table(fitness)


def from_tables(individuals: pa.Table, fitness: pa.Table) -> Population:
    """The way back."""
    count = len(individuals)
    opponents = len(fitness) // count
    counts = np.stack([fitness[name].to_numpy() for name in COUNTS], axis=1)
    return Population(
        id=individuals["id"].to_numpy(),
        born=individuals["born"].to_numpy(),
        parents=np.fromiter(individuals["parents"].to_pylist(), object),
        sigma=individuals["sigma"].to_numpy(),
        survives=individuals["survives"].to_numpy(),
        genes=np.array(individuals["genes"].to_pylist()),
        counts=counts.reshape(count, opponents, 3),
        points=fitness["points"].to_numpy().reshape(count, opponents),
    )


def import_from(address: str, genome: str) -> Archive:
    """The other run; BadInput if it holds no evolution of this genome."""
    other = Archive(Run(address))
    try:
        there = other.config().get("genome")
    except BadInput as error:
        raise BadInput(f"--import {error}") from None
    if there != genome:
        raise BadInput(f"--import {address}: holds the genome {there}, not {genome}")
    return other


def import_genes(run: Run, config: EvolveConfig) -> list[list[float]] | None:
    """The genes of another run's last population, kept in this run when they are first read: the
    other may go on, or go."""
    if config.start_from is None:
        return None
    if not run.has("import"):
        other = import_from(config.start_from, config.genome)
        last = other.read(len(other) - 1)
        genes = last.genes[last.survives] if last.survives.any() else last.genes
        run.write("import", pa.table({"genes": list(genes)}))
    return run.read("import")["genes"].to_pylist()
