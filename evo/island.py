"""An island as it travels to a worker and back, and as it is stored in the middle of an epoch."""

import pickle
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from evo.claims import Claim
from evo.individual import Population
from evo.plan import Result, Results, Slice


class State(NamedTuple):
    """An island between two tasks."""

    population: Population | None  # None before the first generation
    results: Results  # of the next generation, so far
    cost: np.ndarray | None  # seconds per game by opponent, once measured
    claim: Claim  # of its champions in this epoch


class Island(NamedTuple):
    """An island as it travels. Its state is pickled: Ray is slow at sending many arrays."""

    place: int
    number: int  # of the next generation
    packed: bytes
    games: int = 0  # since the last migration
    busy: float = 0.0  # seconds in kernels during the last task
    share: float = 0.0  # of the next generation that is done

    @classmethod
    def of(cls, place: int, number: int, population: Population | None) -> "Island":
        """Return an island at the start of an epoch."""
        return cls(place, number, pickle.dumps(State(population, {}, None, None)))

    @property
    def state(self) -> State:
        return pickle.loads(self.packed)


def pack_island(island: Island) -> pa.Table:
    """Return one row of flat lists. Runs hold no pickles, because they may come from elsewhere."""
    population, results, _, claim = island.state
    names = ("place", "number", "games", "share")
    columns = {name: pa.array([getattr(island, name)]) for name in names}
    if population is not None:
        arrays = population._asdict()
        parents = [list(arrays.pop("parents"))]
        columns["parents"] = pa.array(parents, pa.list_(pa.list_(pa.int64())))
        columns |= {name: pa.array([array.ravel()]) for name, array in arrays.items()}
    counts = [result.counts.ravel() for result in results.values()]
    columns["slices"] = pa.array([np.array(list(results), np.int64).ravel()])
    columns["results"] = pa.array([np.concatenate([np.zeros(0, np.int64), *counts])])
    seconds = [result.seconds for result in results.values()]
    columns["seconds"] = pa.array([np.array(seconds, np.float64)])
    columns["claim"] = pa.array([claim], pa.list_(pa.list_(pa.int64())))
    return pa.table(columns)


def unpack_island(table: pa.Table) -> Island:
    row = {name: table[name].combine_chunks() for name in table.column_names}

    def flat(name: str) -> np.ndarray:
        values = row[name].flatten().to_numpy(zero_copy_only=False)
        return values.astype(str) if values.dtype == object else values

    population, results, start = None, Results(), 0
    if "parents" in row and (parents := row["parents"][0].as_py()):
        shapes = {"genes": (len(parents), -1), "counts": (len(parents), -1, 3)}
        shapes["points"] = shapes["genes"]
        names = [name for name in Population._fields if name != "parents"]
        arrays = {name: flat(name).reshape(shapes.get(name, (-1,))) for name in names}
        population = Population(parents=np.fromiter(parents, object), **arrays)
    counts, slices = flat("results").reshape(-1, 3), flat("slices").reshape(-1, len(Slice._fields))
    for numbers, seconds in zip(slices.tolist(), flat("seconds").tolist(), strict=True):
        part = Slice(*numbers)
        results[part] = Result(counts[start : start + part.individuals], seconds)
        start += part.individuals
    # parts of older versions have no claim
    claim = row["claim"][0].as_py() if "claim" in row else None
    packed = pickle.dumps(State(population, results, None, claim))
    place, number, games, share = (
        row[name][0].as_py() for name in ("place", "number", "games", "share")
    )
    return Island(place, number, packed, games, share=share)
