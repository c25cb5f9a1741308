"""Generations in a run: written, read, repaired, and the champion found among them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from console.command import BadInput
from evo.genomes import Genome
from evo.individual import Individual, as_table, from_table, sure_fitness
from evo.loop import Generation, Plan, told_strategy
from store import Run, StoreError


def step_of(number: int) -> str:
    return f"generation-{number:05d}"


def as_rows(generation: Generation, opponents: list[str]) -> pa.Table:
    """A generation as it is kept: a row for each of everybody."""
    return as_table(generation.everybody, {one.id for one in generation.survivors}, opponents)


def as_generation(number: int, rows: pa.Table, opponents: list[str]) -> Generation:
    """The way back."""
    everybody = from_table(rows, opponents)
    survives = rows["survives"].to_pylist()
    survivors = [one for one, kept in zip(everybody, survives, strict=True) if kept]
    return Generation(number, everybody, sorted(survivors, key=lambda one: one.id))


class ArchiveWriter:
    """Commits each generation, in order, while the next one is already being played."""

    def __init__(self, run: Run, genome: Genome):
        self.run, self.opponents = run, list(genome.opponents)
        self.writer, self.last = ThreadPoolExecutor(1), None

    def __enter__(self) -> "ArchiveWriter":
        return self

    def __exit__(self, *_) -> None:
        self.writer.shutdown()
        if self.last:
            self.last.result()

    def save(self, generation: Generation, measured: dict) -> None:
        self.save_rows(generation.number, as_rows(generation, self.opponents), measured)

    def save_rows(self, number: int, rows: pa.Table, measured: dict) -> None:
        if self.last:
            self.last.result()  # raises what went wrong with the one before
        self.last = self.writer.submit(self.run.write, step_of(number), rows, measured)


def past_generations(run: Run, genome: Genome, strategy: str) -> list:
    """All of them for CMA-ES, whose state they make; the last one otherwise."""
    steps = run.steps("generation-")
    names = list(genome.opponents)
    try:
        if strategy == "cma":
            return [from_table(run.read(step), names) for step in steps]
        return [last_generation(run, names)] if steps else []
    except StoreError as error:
        raise StoreError(f"{error}; --repair goes on from the generation before it") from None


def last_generation(run: Run, opponents: list[str], step: str | None = None) -> Generation:
    step = step or run.steps("generation-")[-1]
    return as_generation(int(step.rpartition("-")[2]), run.read(step), opponents)


def champion_of(run: Run, genome: Genome, plan: Plan, first=None) -> Individual:
    """Who is surely the best of the last population; with CMA-ES the centre that it has moved to, which claims what those around it scored."""
    if plan.strategy == "cma":
        past = past_generations(run, genome, "cma")
        strategy = told_strategy(genome, plan, past, first)
        centre = Individual(
            strategy.centroid, born=len(past) - 1, sigma=float(strategy.sigma), opponents=len(genome.opponents)
        )
        centre.counts = np.sum([one.counts for one in past[-1]], axis=0)
        return centre
    survivors = last_generation(run, list(genome.opponents)).survivors
    return max(survivors, key=lambda one: (sure_fitness(one, genome), one.id))


def save_champion(run: Run, genome: Genome, plan: Plan, champion: Individual, more: str) -> None:
    """What a player reads its mind from: one row a gene, with the command that makes it again."""
    said = " ".join(f"--{name} {value}" for name, value in plan.__dict__.items())
    command = f"python -m evo.run --genome {genome.name} {more} {said}"
    table = pa.table({"gene": list(genome.genes), "weight": pa.array(list(champion), pa.float64())})
    run.write("champion", table, {"made by": command})


def imported(run: Run, address: str, genome: Genome) -> list[list[float]]:
    """The genes of another run's last population, kept in this run when they are first read: the other may go on, or go."""
    if not run.has("import"):
        other = Run(address)
        steps = other.steps("generation-")
        if not steps:
            raise BadInput(f"--import {address}: holds no evolution")
        config = other.about(steps[-1])["config"]
        if config["genome"] != genome.name:
            raise BadInput(f"--import {address}: holds the genome {config['genome']}, not {genome.name}")
        last = last_generation(other, config["opponents"])
        run.write("import", pa.table({"genes": [list(one) for one in last.survivors or last.everybody]}))
    return run.read("import")["genes"].to_pylist()
