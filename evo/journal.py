"""What was played of the generation at work: so that whoever goes on need not play it again."""

import time
from typing import Any

import numpy as np
import pyarrow as pa

from evo.plan import Slice
from store.parts import Parts

COUNTS = ("wins", "draws", "losses")
Known = dict[Slice, np.ndarray]


class Journal:
    """The counts [individual; wins, draws, losses] of the slices of a generation that were played.
    This one keeps nothing."""

    def known(self, generation: int) -> Known:
        return {}

    def add(self, generation: int, played: Slice, counts: np.ndarray) -> None:
        pass


class KeptJournal(Journal):
    """In the parts of a run."""

    def __init__(self, parts: Parts):
        self.parts = parts

    def known(self, generation: int) -> Known:
        kept = self.parts.read(generation_step(generation))
        return {
            Slice(*task): np.stack([table[name].to_numpy() for name in COUNTS], axis=1)
            for task, table in kept.items()
        }

    def add(self, generation: int, played: Slice, counts: np.ndarray) -> None:
        self.parts.add(generation_step(generation), played, counts)


def generation_step(number: int) -> str:
    return f"generation-{number:05d}"


def pack_counts(counts: Any) -> pa.Table:
    """One row an individual."""
    return pa.table(dict(zip(COUNTS, counts.T, strict=True)))


class TimeIsUp(Exception):
    pass


class TimedJournal(Journal):
    """In memory, for so many seconds: then TimeIsUp."""

    def __init__(self, known: Known, seconds: float):
        self.slices, self.ends = known, time.monotonic() + seconds

    def known(self, generation: int) -> Known:
        return self.slices

    def add(self, generation: int, played: Slice, counts: np.ndarray) -> None:
        self.slices[played] = counts
        self.check()

    def next_generation(self) -> None:
        self.slices = {}
        self.check()

    def check(self) -> None:
        if time.monotonic() >= self.ends:
            raise TimeIsUp
