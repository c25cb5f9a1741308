"""What was played of the generation at work: so that whoever goes on need not play it again."""

import time

import numpy as np
import pyarrow as pa

from evo.plan import Result, Slice
from store.parts import Parts

COUNTS = ("wins", "draws", "losses")
Known = dict[Slice, Result]


class Journal:
    """The slices of a generation that were played. This one keeps nothing."""

    def known(self, generation: int) -> Known:
        return {}

    def add(self, generation: int, played: Slice, result: Result) -> None:
        pass


class KeptJournal(Journal):
    """In the parts of a run."""

    def __init__(self, parts: Parts):
        self.parts = parts

    def known(self, generation: int) -> Known:
        kept = self.parts.read(generation_step(generation))
        return {Slice(*task): unpack_result(table) for task, table in kept.items()}

    def add(self, generation: int, played: Slice, result: Result) -> None:
        self.parts.add(generation_step(generation), played, result)


def generation_step(number: int) -> str:
    return f"generation-{number:05d}"


def pack_result(result: Result) -> pa.Table:
    """One row an individual, who takes its share of the seconds."""
    counts, seconds = result
    columns = dict(zip(COUNTS, counts.T, strict=True))
    return pa.table(columns | {"seconds": np.full(len(counts), seconds / len(counts))})


def unpack_result(table: pa.Table) -> Result:
    counts = np.stack([table[name].to_numpy() for name in COUNTS], axis=1)
    return Result(counts, float(table["seconds"].to_numpy().sum()))


class TimeIsUp(Exception):
    pass


class TimedJournal(Journal):
    """In memory, for so many seconds: then TimeIsUp."""

    def __init__(self, known: Known, seconds: float):
        self.slices, self.ends = known, time.monotonic() + seconds

    def known(self, generation: int) -> Known:
        return self.slices

    def add(self, generation: int, played: Slice, result: Result) -> None:
        self.slices[played] = result
        self.check()

    def next_generation(self) -> None:
        self.slices = {}
        self.check()

    def check(self) -> None:
        if time.monotonic() >= self.ends:
            raise TimeIsUp
