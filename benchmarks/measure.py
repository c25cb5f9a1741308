"""How time is measured: the best of some tries, without what is compiled at the first use."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

from agents.player import Player
from arena.match import Games, play_match

TRIES = 3


def best_rate(work: Callable[[int], object], seconds: float = 0.5) -> float:
    """Units of work a CPU second. `work` does so many; how many fill the seconds is tried out."""

    def rate(amount: int) -> float:
        started = time.process_time()
        work(amount)
        return amount / max(time.process_time() - started, 1e-9)

    amount = 1
    rate(amount)
    while amount / rate(amount) < seconds / 2:
        amount *= 2
    return max(rate(amount) for _ in range(TRIES))


def timed_match(
    a: Player, b: Player, seed: int, games: int, record: bool = False
) -> tuple[Games, float]:
    """The games and the CPU seconds that they took."""
    play_match(a, b, seed, 2)
    started = time.process_time()
    played = play_match(a, b, seed, games, record=record)
    return played, time.process_time() - started


def process_seconds(cache: str, *arguments: str) -> float:
    """Of `python arguments`, from its start to its end; compiled kernels are kept in `cache`."""
    started, line = time.perf_counter(), [sys.executable, *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    subprocess.run(line, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started
