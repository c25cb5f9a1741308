"""What Ray costs: games/s in one process, with one worker and with two, in one run."""

import sys
import time
from dataclasses import dataclass
from functools import partial

import agents
from arena.match import play_match
from arena.round_robin import matches_of, run_matches
from benchmarks.measure import TRIES, Figures
from console.command import run_command
from console.config import Config, option
from workers.pool import Task, Workers

PAIR = ("rulebased", "random")
WARM_UP = 200_000  # games, in which workers load their kernels


@dataclass(kw_only=True)
class ArenaConfig(Config):
    games: int = option(20_000_000, "games of the match", least=2)


def rate_in_process(games: int) -> float:
    a, b = map(agents.make, PAIR)
    play_match(a, b, 1, 2)
    started = time.perf_counter()
    play_match(a, b, 1, games)
    return games / (time.perf_counter() - started)


def rate_with(count: int, games: int) -> float:
    """Games a second through Ray, once the workers are ready."""
    players = list(map(agents.make, PAIR))
    with Workers(count) as workers:
        workers.start()
        start(workers)
        list(run_matches(workers, matches_of(players, WARM_UP, seed=1)))
        started = time.perf_counter()
        list(run_matches(workers, matches_of(players, games, seed=1)))
        return games / (time.perf_counter() - started)


def start(workers: Workers) -> None:
    """Return when all workers are ready."""
    list(workers.run(Task(i, time.sleep, (0.5,)) for i in range(4 * (workers.count or 0))))


def measure(config: ArenaConfig) -> None:
    figures, games = Figures(), config.games
    works = rate_in_process, partial(rate_with, 1), partial(rate_with, 2)
    # side by side, because the processor's speed drifts
    tries = [[work(games) for work in works] for _ in range(TRIES)]
    alone, one, two = (max(rates) / 1e6 for rates in zip(*tries, strict=True))
    figures.add(f"{' v '.join(PAIR)}, {games / 1e6:g} million games", f"{alone:.2f} M/s")
    what = "  one worker through Ray, ratio to that"
    figures.add(what, f"{one:.2f} M/s", ">= 0.95", ratio=one / alone)
    figures.add("  two workers", f"{two:.2f} M/s", ">= 1.80", ratio=two / alone)


main = partial(run_command, "benchmarks.arena", __doc__, ArenaConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
