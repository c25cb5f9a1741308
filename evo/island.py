"""An island on its way to a worker or back, and as it is stored in the middle of an epoch."""

import pickle
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from evo.claims import Claim
from evo.individual import Population
from evo.plan import Played, Result, Slice

# The stored columns of a population beside `parents`: type, and shape for each individual.
COLUMNS: dict[str, tuple[pa.DataType, tuple[int, ...]]] = {
    "id": (pa.int64(), ()),
    "born": (pa.int32(), ()),
    "sigma": (pa.float64(), ()),
    "survives": (pa.bool_(), ()),
    "genes": (pa.float64(), (-1,)),
    "counts": (pa.int64(), (-1, 3)),
    "points": (pa.float64(), (-1,)),
}
PARENTS = pa.list_(pa.list_(pa.int64()))


class State(NamedTuple):
    """An island between two tasks."""

    # None: the first generation is yet to be born
    population: Population | None
    # slices of the next generation
    played: Played
    # seconds a game by opponent, if it is known
    cost: np.ndarray | None
    # the claim of its champions in this epoch: claims.py
    claim: Claim


class Island(NamedTuple):
    """An island as it travels: Ray takes long for many arrays, and 20 us for bytes."""

    place: int
    # of the next generation
    number: int
    # a State, pickled
    packed: bytes
    # since the last migration
    games: int = 0
    # seconds inside kernels, of the last task
    busy: float = 0.0
    # of the next generation, how much is done
    share: float = 0.0

    @classmethod
    def of(cls, place: int, number: int, population: Population | None) -> "Island":
        """An island at the beginning of an epoch."""
        return cls(place, number, pickle.dumps(State(population, {}, None, None)))

    @property
    def state(self) -> State:
        return pickle.loads(self.packed)


def pack_island(island: Island) -> pa.Table:
    """One row: its place, its population, and the slices of the next generation."""
    population, played, _, claim = island.state
    columns = {
        "place": [island.place],
        "number": [island.number],
        "games": [island.games],
        "share": [island.share],
        "parents": pa.array([[] if population is None else list(population.parents)], PARENTS),
    }
    for name, (kind, _) in COLUMNS.items():
        values = [] if population is None else getattr(population, name).ravel()
        columns[name] = pa.array([values], pa.list_(kind))
    counts = np.concatenate([np.zeros((0, 3), np.int64), *(one.counts for one in played.values())])
    for name, numbers in (("slices", np.array(list(played), np.int64)), ("results", counts)):
        columns[name] = pa.array([numbers.ravel()], pa.list_(pa.int64()))
    seconds = [one.seconds for one in played.values()]
    columns["seconds"] = pa.array([seconds], pa.list_(pa.float64()))
    columns["claim"] = pa.array([claim], pa.list_(pa.list_(pa.int64())))
    return pa.table(columns)


def unpack_island(table: pa.Table) -> Island:
    """The way back."""

    def flat(name: str) -> np.ndarray:
        return table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)

    place, number, games, share = (table[name][0].as_py() for name in table.column_names[:4])
    parents = table["parents"][0].as_py()
    population, played, at = None, Played(), 0
    if parents:
        arrays = {
            name: flat(name).reshape(len(parents), *shape) for name, (_, shape) in COLUMNS.items()
        }
        population = Population(parents=np.fromiter(parents, object), **arrays)
    results, slices = flat("results").reshape(-1, 3), flat("slices").reshape(-1, len(Slice._fields))
    for numbers, seconds in zip(slices.tolist(), flat("seconds").tolist(), strict=True):
        one = Slice(*numbers)
        played[one] = Result(results[at : at + one.individuals], seconds)
        at += one.individuals
    # one that was kept before there were claims has none
    claim = table["claim"][0].as_py() if "claim" in table.column_names else None
    packed = pickle.dumps(State(population, played, None, claim))
    return Island(place, number, packed, games, share=share)
