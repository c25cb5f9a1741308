"""The statistics of tournaments, on real games.

    python -m benchmarks.ratings                  two leagues of all players, a quarter of an hour

sprt      the sequential test of 0 against 20 Elo on pairs of games of two players, drawn again from
          those that they played, as if one were stronger by 0 or 20 Elo: five classes of pairs,
          and beside it three results of games, which takes the games of a pair for independent
figures   the league once more with another seed: how many differences of two players lie in the
          95 % interval of the first league; and `compare` of a changed player and of an equal one
"""

import time
from collections.abc import Sequence
from itertools import combinations, product
from math import sqrt
from typing import NamedTuple

import numpy as np

import agents
import arena
from arena.entrants import AUTOMATIC
from arena.match import Batch, play_games
from arena.pentanomial import bound, likelihood_ratio, score_of
from arena.standings import Standings
from arena.statistics import Z95
from arena.suite import SUITES, read_suite
from benchmarks.measure import percent
from benchmarks.record import Benchmark, Results
from console.command import command
from console.config import option
from oracle.compare import CompareConfig, compare

ELO = 20
TESTS, LOOK = 10_000, 50  # simulated tests, and pairs between two looks
# a player and the same with another constant, which changes few games; and two unrelated players
MATCHES = ("pro", "pro:value=13000"), ("pro", "rl")
NEW, OLD = "pro", "pro:value=7000"
SEEDS = 20
# points of a pair and wins of its games, by both results of the first player
POINTS = np.add.outer([2, 1, 0], [2, 1, 0]).ravel()
RESULTS = np.array([[i, j] for i in (2, 1, 0) for j in (2, 1, 0)])


class RatingsConfig(Benchmark):
    games: int = option(1000, "games of each pair of players in a league", least=2, even=True)
    pairs: int = option(20_000, "pairs of games that the simulated tests are drawn from", least=100)
    workers: int | None = option(None, "processes that play", least=0, kept=False)


class Tested(NamedTuple):
    """The result of simulated tests: the share that ended with "stronger", and the mean games."""

    stronger: float
    games: float


def tilted(shares: np.ndarray, elo: float) -> np.ndarray:
    """Return the distribution closest to these shares of pairs by both results whose mean is the
    score of `elo`."""
    low, high = -20.0, 20.0
    while True:
        middle = (low + high) / 2
        other = shares * np.exp(middle * POINTS / 4)
        other /= other.sum()
        excess = float(other @ POINTS / 4) - score_of(elo)
        if abs(excess) < 1e-9 or high - low < 1e-12:
            return other
        low, high = (low, middle) if excess > 0 else (middle, high)


def simulate(shares: np.ndarray, elo: float, seed: int) -> tuple[Tested, Tested]:
    """Test the same drawn games by pairs and by games."""
    rng, chances = np.random.default_rng(seed), tilted(shares, elo)
    joint = np.zeros((TESTS, 9), np.int64)
    pairs, games = np.eye(5, dtype=int)[POINTS], np.eye(3, dtype=int)[RESULTS].sum(axis=1)
    ended = np.zeros((2, TESTS), np.int64)  # pairs at the end; 0: still running
    stronger = np.zeros((2, TESTS), bool)
    while len(running := np.flatnonzero((ended == 0).any(axis=0))):
        joint[running] += rng.multinomial(LOOK, chances, len(running))
        for which, classes in enumerate((pairs, games)):
            open_ = running[ended[which, running] == 0]
            ratio = likelihood_ratio(joint[open_] @ classes, 0, ELO)
            over = open_[np.abs(ratio) >= bound()]
            ended[which, over] = joint[over].sum(axis=1)
            stronger[which, open_] = ratio >= bound()
    by_pairs, by_games = (
        Tested(float(stronger[which].mean()), 2 * float(ended[which].mean())) for which in (0, 1)
    )
    return by_pairs, by_games


def measure_tests(results: Results, config: RatingsConfig) -> None:
    numbers = [(name, 7) for name in ("false +", "power", "games")]
    by_games = [(f"{name}, by game", 16) for name, _ in numbers]
    columns = ("players", -20), ("openings", -8), ("correlation", 11), *numbers, *by_games
    title = f"sequential tests of 0 against {ELO} Elo; games: on average, if {ELO} Elo is true"
    specs = dict.fromkeys(spec for pair in MATCHES for spec in pair)
    table = results.table("sprt", *columns, title=title, players=specs)
    for (a, b), suite in product(MATCHES, SUITES):
        batch = Batch(1, 0, 2 * config.pairs, read_suite(suite))
        players = agents.make(a), agents.make(b)
        shares = play_games(players, batch).score.pairs.ravel() / config.pairs
        (false, false_games), (power, power_games) = (
            simulate(shares, elo, number) for number, elo in enumerate((0, ELO))
        )
        cells = [f"{correlation(shares):+.2f}"]
        for none, some in ((false, power), (false_games, power_games)):
            cells += [f"{percent(none.stronger)} %", f"{percent(some.stronger)} %"]
            cells.append(f"{some.games:,.0f}")
        table.row(f"{a}, {b}", suite, *cells)


def correlation(shares: np.ndarray) -> float:
    """Return the correlation of the results of both games of a pair."""
    first, second = RESULTS.T - (shares @ RESULTS)[:, np.newaxis]
    variances = (shares @ first**2) * (shares @ second**2)
    return float(shares @ (first * second) / sqrt(max(variances, 1e-12)))


def inside(league: Standings, again: Standings, factor: float = 1.0) -> tuple[int, int]:
    """Return (differences of the second league inside the intervals of the first, differences);
    the intervals are wider by `factor`."""
    one, other, count, total = league.ratings, again.ratings, 0, 0
    for i, j in combinations(range(len(league.players)), 2):
        m, n = (again.players.index(league.players[k]) for k in (i, j))
        covariance = one.covariance
        error = sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        gap = (one.elo[i] - one.elo[j]) - (other.elo[m] - other.elo[n])
        count += abs(gap) <= factor * Z95 * error
        total += 1
    return count, total


def measure_leagues(results: Results, config: RatingsConfig, names: Sequence[str]) -> None:
    figures = results.figures(players=[*names])
    started = time.monotonic()
    league, again = (
        arena.tournament(
            names,
            config.games,
            f"runs/league-{config.games}-{seed}",
            seed=seed,
            workers=config.workers,
        )
        for seed in (0, 1)
    )
    minutes = (time.monotonic() - started) / 60
    figures.add(f"two leagues, {config.games // 2:,} pairs of games a pair", f"{minutes:.1f} min")
    count, total = inside(league, again)
    text = f"{count} of {total}"
    figures.add("differences inside the other league's 95 % interval", text)
    both, _ = inside(league, again, sqrt(2))
    figures.add("  inside that of a difference of two leagues", f"{both} of {total}", ">= 93 %")
    started = time.monotonic()
    verdict, _ = compare(comparison(OLD, NEW, 0, config))
    text = f"{verdict.decision}, {time.monotonic() - started:.1f} s"
    figures.add(f"compare {OLD} {NEW}: 1 is better", text, "<= 60 s")
    decisions = [compare(comparison(NEW, NEW, seed, config))[0].decision for seed in range(SEEDS)]
    text = f"{decisions.count(1)} of {SEEDS}"
    figures.add(f"  {NEW} is better than itself", text, "<= 1")


def comparison(old: str, new: str, seed: int, config: RatingsConfig) -> CompareConfig:
    return CompareConfig(old=old, new=new, seed=seed, workers=config.workers)


def measure(config: RatingsConfig) -> None:
    with Results("ratings", config) as results:
        measure_tests(results, config)
        measure_leagues(results, config, AUTOMATIC)


main = command("benchmarks.ratings", __name__, __doc__, RatingsConfig, measure)
