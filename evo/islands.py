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

import pyarrow as pa

from arena.cast import Packed
from arena.crew import Crew, Job
from engine.rng import purpose, stream
from evo.evaluate import Evaluator
from evo.genomes import Genome
from evo.individual import Individual, fitness_class, rate_all
from evo.loop import Generation, Plan, mu_plus_lambda
from evo.past import as_generation, as_rows

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


def evolve_island(
    genome: Genome, opponents: list[Packed], plan: Plan, first, island: int, number: int, living: pa.Table | None, until: int, seconds: float
) -> tuple[int, pa.Table, int, float]:  # fmt: skip
    """What a worker does: from generation `number` on until there are `until`, or as far as it comes in so many seconds: (last generation, everybody, games, seconds
    inside kernels)."""
    started = time.monotonic()
    plan = replace(plan, seed=int(stream(plan.seed % 2**64, purpose("island"), island)))
    evaluator = Evaluator(Crew(0), genome, opponents, plan.seed)
    names = list(genome.opponents)
    past = None if living is None else as_generation(number - 1, living, names)
    for generation in mu_plus_lambda(genome, plan, evaluator, past, first, island * IDS):
        if generation.number + 1 >= until or time.monotonic() - started > seconds:
            break
    return generation.number, as_rows(generation, names), evaluator.games, evaluator.busy


def cross(populations: list[list[Individual]], genome: Genome, plan: Plan, migrants: int) -> list[list[Individual]]:
    """The best of each island who do not live on the next one yet go there, for its last."""
    fitness = fitness_class(genome)
    ranked = []
    for population in populations:
        rate_all(population, genome, fitness, plan.games)
        ranked.append(sorted(population, key=lambda one: (one.fitness.values, one.id), reverse=True))
    crossed = []
    for here, there in zip(ranked, ranked[-1:] + ranked[:-1], strict=True):
        known = {one.id for one in here}
        arriving = [one for one in there if one.id not in known][:migrants]
        crossed.append(sorted(here[: len(here) - len(arriving)] + arriving, key=lambda one: one.id))
    return crossed


def archipelago(
    genome: Genome, plan: Plan, islands: Islands, evaluator: Evaluator, past: Generation | None, first
) -> Iterator[Generation]:
    """Epoch after epoch, for as long as they are asked for. `past`: the last one that was kept."""
    names, size, crew = list(genome.opponents), plan.population, evaluator.crew
    everybody = past.everybody if past else []

    for number in count(past.number + 1 if past else 0):
        until = (number + 1) * islands.epoch
        populations = [[]] * islands.islands
        waiting = Waiting()

        def wait(island: int, generation: int, living: pa.Table | None, until=until, waiting=waiting) -> None:
            own = first and first[island * size : (island + 1) * size]
            arguments = (genome, evaluator.opponents, plan, own, island, generation, living, until, crew.patience / 4)
            waiting.append(Job((island, generation), evolve_island, arguments))

        for island in range(islands.islands):
            living = everybody[island * size : (island + 1) * size]
            wait(island, number * islands.epoch, as_rows(Generation(0, living, living), names) if living else None)
        for (island, _), (last, living, games, busy) in crew.run(waiting):
            evaluator.games += games
            evaluator.busy += busy
            if last + 1 < until:
                wait(island, last + 1, living)
            else:
                populations[island] = as_generation(last, living, names).survivors
        everybody = [one for living in cross(populations, genome, plan, islands.migrants) for one in living]
        rate_all(everybody, genome, fitness_class(genome), plan.games)
        yield Generation(number, everybody, everybody)
