"""Islands: many small evolutions in place of a large one, for more cores than the games of one generation can keep busy.

Every island evolves by itself for an epoch of some generations, as one job of one worker; then the best of each sail to the next island, where they replace the last. What an
island does is a function of the seed, its number and those who live there: it makes no difference which worker does it, or how often.

An epoch is kept like a generation: one file, island after island, those who live there after the crossing.
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pyarrow as pa

from arena.transport import PackedPlayer
from arena.workers import Job, Workers
from engine.rng import purpose, stream
from evo.archive import as_generation, as_rows
from evo.evaluate import Evaluator
from evo.genomes import Genome
from evo.individual import fitness_class, rate_all
from evo.loop import Generation, Plan, mu_plus_lambda

IDS = 2**40  # individuals that an island may ever have


@dataclass(frozen=True)
class Islands:
    """How many, for how many generations each is on its own, and how many sail then."""

    islands: int = 1
    epoch: int = 25
    migrants: int = 2


class Waiting(deque):
    """Jobs that can be done now. It may be empty for a while and go on later: the result of one job makes the next."""

    def __iter__(self):
        return self

    def __next__(self) -> Job:
        if not self:
            raise StopIteration
        return self.popleft()


def to_bytes(rows: pa.Table) -> bytes:
    """Rows on their way to a worker and back: Ray takes a millisecond for a table of so many columns, and 20 us for bytes."""
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, rows.schema) as writer:
        writer.write_table(rows)
    return stream.getvalue().to_pybytes()


def from_bytes(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()


def evolve_island(
    genome: Genome, opponents: list[PackedPlayer], plan: Plan, first, island: int, number: int, living: bytes | None, until: int, seconds: float
) -> tuple[int, bytes, int, float]:  # fmt: skip
    """What a worker does: from generation `number` on until there are `until`, or as far as it comes in so many seconds: (last generation, rows, games, seconds inside
    kernels). The rows are the survivors, the best first; if it did not come so far, everybody, to go on with."""
    started = time.monotonic()
    plan = replace(plan, seed=int(stream(plan.seed % 2**64, purpose("island"), island)))
    evaluator = Evaluator(Workers(0), genome, opponents, plan.seed)
    names = list(genome.opponents)
    past = None if living is None else as_generation(number - 1, from_bytes(living), names)
    for generation in mu_plus_lambda(genome, plan, evaluator, past, first, island * IDS):
        if generation.number + 1 >= until or time.monotonic() - started > seconds:
            break
    if generation.number + 1 >= until:
        survivors = generation.survivors
        rate_all(survivors, genome, fitness_class(genome), plan.games)
        ranked = sorted(survivors, key=lambda one: (one.fitness.values, one.id), reverse=True)
        generation = Generation(generation.number, ranked, ranked)
    return generation.number, to_bytes(as_rows(generation, names)), evaluator.games, evaluator.busy


def cross(populations: list[pa.Table], migrants: int) -> list[pa.Table]:
    """The best of each island who do not live on the next one yet go there, for its last. A population is ranked, the best first.

    The driver does this for all islands, one after the other, so it never makes individuals of the rows.
    """
    crossed = []
    for here, there in zip(populations, populations[-1:] + populations[:-1], strict=True):
        new = ~np.isin(there["id"].to_numpy(), here["id"].to_numpy())
        arriving = there.take(np.flatnonzero(new)[:migrants])
        crossed.append(pa.concat_tables([here.slice(0, len(here) - len(arriving)), arriving]))
    return crossed


def archipelago(
    genome: Genome, plan: Plan, islands: Islands, evaluator: Evaluator, past: tuple[int, pa.Table] | None, first
) -> Iterator[tuple[int, pa.Table]]:
    """(number, rows) of epoch after epoch, for as long as they are asked for. `past`: the last one that was kept."""
    size, workers = plan.population, evaluator.workers
    everywhere = range(islands.islands)
    populations = [past[1].take(np.arange(i * size, (i + 1) * size)) if past else None for i in everywhere]

    for number in count(past[0] + 1 if past else 0):
        until = (number + 1) * islands.epoch
        waiting = Waiting()

        def wait(island: int, generation: int, living: bytes | None, until=until, waiting=waiting) -> None:
            own = first and first[island * size : (island + 1) * size]
            arguments = (
                genome,
                evaluator.opponents,
                plan,
                own,
                island,
                generation,
                living,
                until,
                workers.patience / 4,
            )
            waiting.append(Job((island, generation), evolve_island, arguments))

        for island in everywhere:
            living = populations[island]
            wait(island, number * islands.epoch, None if living is None else to_bytes(living))
        for (island, _), (last, rows, games, busy) in workers.run(waiting):
            evaluator.games += games
            evaluator.busy += busy
            if last + 1 < until:
                wait(island, last + 1, rows)
            else:
                populations[island] = from_bytes(rows)
        populations = cross(populations, islands.migrants)
        yield number, pa.concat_tables(populations)
