"""The cost of Ray: games per second in one process, with one worker and with two, in one run."""

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
WARM_UP = 200_000  # games in which the workers load their kernels


@dataclass(kw_only=True)
class ArenaConfig(Config):
    games: int = option(20_000_000, "games of the match", least=2)


def rate_in_process(games: int) -> float:
    a, b = map(agents.make, PAIR)
    play_match(a, b, 1, 2)
    started = time.perf_counter()
    play_match(a, b, 1, games)
    return games / (time.perf_counter() - started)


def rate_with_workers(n_workers: int, games: int) -> float:
    """Return the games per second through Ray, measured once the workers are ready."""
    players = list(map(agents.make, PAIR))
    with Workers(n_workers) as workers:
        start(workers)
        list(run_matches(workers, matches_of(players, WARM_UP, seed=1)))
        started = time.perf_counter()
        list(run_matches(workers, matches_of(players, games, seed=1)))
        return games / (time.perf_counter() - started)


def start(workers: Workers) -> None:
    """Start the workers and return when all of them are ready."""
    workers.start()
    list(workers.run(Task(i, time.sleep, (0.5,)) for i in range(4 * (workers.count or 0))))


def measure(config: ArenaConfig) -> None:
    works = rate_in_process, partial(rate_with_workers, 1), partial(rate_with_workers, 2)
    # in turns, because the processor's speed drifts
    tries = [[work(config.games) for work in works] for _ in range(TRIES)]
    alone, with_one, with_two = (max(rates) / 1e6 for rates in zip(*tries, strict=True))
    figures, title = Figures(), f"{' v '.join(PAIR)}, {config.games / 1e6:g} million games"
    figures.add(title, f"{alone:.2f} M/s")
    what = "  one worker through Ray, ratio to that"
    figures.add(what, f"{with_one:.2f} M/s", ">= 0.95", ratio=with_one / alone)
    figures.add("  two workers", f"{with_two:.2f} M/s", ">= 1.80", ratio=with_two / alone)


main = partial(run_command, "benchmarks.arena", __doc__, ArenaConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
