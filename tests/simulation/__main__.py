"""Real drivers in a simulated world: thousands of lives, each replayable from its seed.

    python -m tests.simulation --lives 20000           each must end with the undisturbed tables
    python -m tests.simulation --seed 125 --trace      one life, with everything that happens in it
    python -m tests.simulation --planted               bugs that the world must find, one by one

World.py holds clock, scheduler and processes; disk.py, s3.py and ray.py what can fail; life.py the
jobs and the checks. The program knows nothing of it.
"""

import multiprocessing
import os
import time
from collections.abc import Iterator
from functools import partial

from console.command import command
from console.config import Config, option
from tests.simulation.bugs import BUGS
from tests.simulation.life import Broken, Life


class SimulationConfig(Config):
    lives: int = option(1000, "number of lives, with seeds from --seed on", least=1)
    seed: int = option(0, "of the first life")
    trace: bool = option(False, "live the first one only, and print every event")
    planted: bool = option(False, "plant each bug in turn, until a life finds it")
    most: int = option(3000, "lives for each planted bug", least=1)


def failure(seed: int, bug: str = "") -> str:
    """Return how a life broke; empty if it did not."""
    try:
        Life(seed, bug=bug).check()
    except Broken as error:
        return str(error)
    return ""


def find_bug(bug: str, most: int) -> tuple[str, int, str]:
    """Return the bug, and the first seed whose life it breaks with how it did; -1 if none."""
    for seed in range(most):
        if (reason := failure(seed, bug)) and not failure(seed):
            return bug, seed, reason
    return bug, -1, "not found"


def find_planted(config: SimulationConfig) -> int:
    missed = 0
    for bug, seed, reason in each(partial(find_bug, most=config.most), BUGS):
        missed += seed < 0
        print(f"{bug}: {f'seed {seed}: ' if seed >= 0 else ''}{reason[:100]}", flush=True)
    print(f"{len(BUGS) - missed} of {len(BUGS)} planted bugs found")
    return 1 if missed else 0


def each(function, values) -> Iterator:
    """Yield the function of each value, computed on all cores."""
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        yield from pool.imap_unordered(function, values)


def lived(seed: int) -> tuple[int, str]:
    return seed, failure(seed)


def simulate(config: SimulationConfig) -> int:
    if config.planted:
        return find_planted(config)
    if config.trace:
        try:
            Life(config.seed, trace=True).check()
        except Broken as error:
            print(f"BROKEN: {error}")
            return 1
        return 0
    started, broken = time.monotonic(), 0
    seeds = range(config.seed, config.seed + config.lives)
    for number, (seed, reason) in enumerate(each(lived, seeds), 1):
        if reason:
            broken += 1
            print(f"seed {seed}: {reason}", flush=True)
        if number % 1000 == 0 or number == config.lives:
            rate = 60 * number / (time.monotonic() - started)
            print(f"{number:,} lives, {broken} broken, {rate:,.0f}/min", flush=True)
    return 1 if broken else 0


main = command("tests.simulation", __name__, __doc__, SimulationConfig, simulate)
