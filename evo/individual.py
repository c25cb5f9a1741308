"""One of a population: its genes, where it comes from, and every game that it has played."""

import numpy as np
import pyarrow as pa
from deap import base

from arena.statistics import wilson
from evo.genomes import Genome

RESOLUTION = 0.01  # of a point a game


class Individual(list):
    """A list of genes, as DEAP wants it."""

    def __init__(self, genes, id=-1, born=0, parents=(), sigma=0.0, opponents=0):
        super().__init__(genes)
        self.id, self.born, self.parents, self.sigma = id, born, list(parents), sigma
        self.counts = np.zeros((opponents, 3), np.int64)  # wins, draws, losses by opponent, of all its looks
        self.points = np.zeros(opponents)  # what it scored against each, less the luck of the games it was given
        self.fitness = None


def fitness_class(genome: Genome) -> type[base.Fitness]:
    """DEAP compares fitness values one after the other: by opponent in their order, or one sum."""
    length = len(genome.opponents) if genome.compare == "order" else 1
    return type("Fitness", (base.Fitness,), {"weights": (1.0,) * length})


def points_of(counts: np.ndarray, genome: Genome) -> np.ndarray:
    """What counts: wins where opponents are compared in order, as in the report; else draws count half."""
    return counts[..., 0].astype(float) if genome.compare == "order" else counts[..., 0] + counts[..., 1] / 2


def share(individuals: list[Individual]) -> np.ndarray:
    """[individual, opponent]: points a game, luck taken out."""
    games = np.stack([one.counts.sum(axis=1) for one in individuals])
    return np.stack([one.points for one in individuals]) / np.maximum(games, 1)


def add_look(individuals: list[Individual], counts: np.ndarray, luck: np.ndarray, genome: Genome) -> None:
    """Add a look at games (counts[individual, opponent]) whose luck, a share of a point a game by opponent, is known."""
    repeats = genome.repeats()
    luck = np.where(repeats, 0.0, luck)
    for one, count in zip(individuals, counts, strict=True):
        seen = repeats & (one.counts.sum(axis=1) > 0)  # the same two games again are no news
        count = np.where(seen[:, None], 0, count)
        one.counts = one.counts + count
        one.points = one.points + points_of(count, genome) - luck * count.sum(axis=1)


def rate_all(individuals: list[Individual], genome: Genome, fitness: type[base.Fitness], doubt: int) -> None:
    """Fitness: points a game, drawn towards the mean as if each had played `doubt` more games with the mean result.

    A newborn with a few good games is not yet believed; with every later look its own games weigh more.
    """
    games = np.stack([one.counts.sum(axis=1) for one in individuals])
    shares = share(individuals)
    mean = shares.mean(axis=0)
    believed = np.where(genome.repeats(), shares, mean + (shares - mean) * games / (games + doubt))
    # in order: what differs by less than RESOLUTION is taken for equal, so that the next opponent has a say
    values = (
        np.round(believed / RESOLUTION) * RESOLUTION
        if genome.compare == "order"
        else believed.mean(axis=1, keepdims=True)
    )
    for one, value in zip(individuals, values.tolist(), strict=True):
        one.fitness = fitness(tuple(value))


def sure_fitness(individual: Individual, genome: Genome) -> float:
    """What is sure of its score against all opponents together: the mean of the lower ends of the 95 % intervals.

    By this the champion is chosen, so that no newcomer wins by luck, nor one that is only good against the first opponent.
    """
    games, points = individual.counts.sum(axis=1), points_of(individual.counts, genome)
    low = [wilson(p, n)[0] for p, n in zip(points, games, strict=True)]
    return float(np.where(genome.repeats(), points / games, low).mean())


def as_table(everybody: list[Individual], survivors: set[int], opponents: list[str]) -> pa.Table:
    """One row an individual."""
    columns = {
        "id": pa.array([i.id for i in everybody], pa.int64()),
        "born": pa.array([i.born for i in everybody], pa.int32()),
        "parents": pa.array([i.parents for i in everybody], pa.list_(pa.int64())),
        "sigma": pa.array([i.sigma for i in everybody], pa.float64()),
        "survives": pa.array([i.id in survivors for i in everybody], pa.bool_()),
        "genes": pa.array([list(i) for i in everybody], pa.list_(pa.float64())),
    }
    counts = np.stack([i.counts for i in everybody])
    for which, name in enumerate(opponents):
        columns[f"games {name}"] = counts[:, which].sum(axis=1)
        for i, word in enumerate(("wins", "draws", "losses")):
            columns[f"{word} {name}"] = counts[:, which, i]
        columns[f"points {name}"] = [float(one.points[which]) for one in everybody]
    return pa.table(columns)


def from_table(table: pa.Table, opponents: list[str]) -> list[Individual]:
    """The individuals of a stored generation, in their order."""
    rows = table.to_pydict()
    made = []
    for i in range(table.num_rows):
        one = Individual(
            rows["genes"][i], rows["id"][i], rows["born"][i], rows["parents"][i], rows["sigma"][i], len(opponents)
        )
        for which, name in enumerate(opponents):
            one.counts[which] = [rows[f"{word} {name}"][i] for word in ("wins", "draws", "losses")]
            one.points[which] = rows[f"points {name}"][i]
        made.append(one)
    return made
