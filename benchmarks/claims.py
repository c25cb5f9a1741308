"""Accuracy of the champions' claims: many small evolutions, each followed by fresh games of its
champion, show how far claims are from the true win rates and how often they lie in the interval of
the fresh games.

First with simulated games, whose true win rates are known, under the real selection; then with real
games, whose true win rates are estimated from 20,000 fresh ones.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from arena.match import play_match
from arena.statistics import wilson
from benchmarks.measure import Table
from console.command import run_command
from console.config import Config, option
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Games, Problem, Report, Stats, no_report
from evo.fitness import shares
from evo.individual import Individual
from evo.loop import MuPlusLambda
from workers.pool import Workers

OPPONENTS = "rulebased,random"  # both are random players
TRUTH = 20_000  # fresh games that estimate the true win rate
SHARED = 0.5  # share of the simulated games in which all individuals have the same luck


@dataclass(kw_only=True)
class ClaimsConfig(Config):
    runs: int = option(200, "evolutions with real games", least=0)
    simulated: int = option(1000, "evolutions with simulated games", least=0)
    population: int = option(10, "individuals, and as many offspring", least=5)
    games: int = option(10, "games of a new individual per opponent", least=2, even=True)
    again: int = option(100, "games of a survivor per opponent", least=2, even=True)
    generations: int = option(20, "generations of each evolution", least=2)
    fresh: int = option(50, "fresh games that make the interval", least=2, even=True)

    def evolution(self, seed: int) -> EvolveConfig:
        return EvolveConfig(
            seed=seed,
            opponents=OPPONENTS,
            population=self.population,
            offspring=self.population,
            games=self.games,
            again=self.again,
            generations=self.generations,
        )


class Simulated(Evaluator):
    """Games of individuals whose true win rate is a function of their genes. In a part of the games
    all have the same luck, as in real games."""

    @staticmethod
    def rates(genes: np.ndarray) -> np.ndarray:
        """[individual, opponent]: best where all genes are 3, worse far from it."""
        far = 1 - np.exp(-((genes - 3) ** 2).sum(axis=1) / 200)
        return np.stack([0.62 - 0.3 * far, 0.6 - 0.1 * far], axis=1)

    def evaluate(
        self, problem: Problem, generation: int, groups: list[Games], report: Report = no_report
    ) -> tuple[list[np.ndarray], Stats]:
        rng = np.random.default_rng((problem.seed, generation))
        counts = []
        for genes, _, games in groups:
            rates = self.rates(genes)[:, :, None]
            own = rng.random((*rates.shape[:2], games))
            shared = rng.random(own.shape) < SHARED
            wins = (np.where(shared, rng.random(own.shape[1:]), own) < rates).sum(axis=2)
            counts.append(np.stack([wins, 0 * wins, games - wins], axis=2))
        return counts, Stats()


class Outcome(NamedTuple):
    """One run, by opponent: counts [wins, games] of its champion, except for `corrected`."""

    corrected: np.ndarray  # points per game minus the luck that all individuals shared
    own: np.ndarray  # all games of the champion
    claimed: np.ndarray  # as evo/claims.py counts them
    fresh: np.ndarray
    truth: np.ndarray


ESTIMATES = {
    "corrected": "what it is selected by",
    "own": "all games of the champion",
    "claimed": "games after it was chosen",
}
Judge = Callable[[Problem, Individual, int], np.ndarray]


def won(counts: np.ndarray) -> np.ndarray:
    """Return [opponent; wins, games]."""
    return np.stack([counts[:, 0], counts.sum(axis=1)], axis=1)


def play_fresh(problem: Problem, champion: Individual, games: int) -> np.ndarray:
    player = problem.genome.make_player(champion, "champion")
    seed = 10_000 + 2 * problem.seed + (games == TRUTH)
    opponents = problem.config.players()
    wins = [play_match(player, opponent, seed, games).score.wins for opponent in opponents]
    return np.array([[n, games] for n in wins])


def draw_fresh(problem: Problem, champion: Individual, games: int) -> np.ndarray:
    [rates] = Simulated.rates(np.array([champion]))
    if games == TRUTH:
        return np.stack([rates, np.ones(2)], axis=1)
    rng = np.random.default_rng((problem.seed, 10_000))
    return np.stack([rng.binomial(games, rates), np.full(2, games)], axis=1)


def evolve(evaluator: Evaluator, problem: Problem, judge: Judge, fresh: int) -> Outcome:
    strategy = MuPlusLambda(evaluator, problem)
    claims = Claims(problem.scoring.repeats)
    for _ in range(problem.config.generations):
        claims.append(strategy.step().claim)
    champion = strategy.champion()
    claim = claims.recent()
    assert claim is not None
    [corrected] = shares(champion.counts[None], champion.points[None])
    estimates = corrected, won(champion.counts), won(claim)
    return Outcome(*estimates, *(judge(problem, champion, games) for games in (fresh, TRUTH)))


def outcomes(config: ClaimsConfig, runs: int, kind: type[Evaluator], judge: Judge) -> list[Outcome]:
    results = []
    for seed in range(runs):
        evolution = config.evolution(seed)
        problem = Problem.of(evolution, evolution.players())
        results.append(evolve(kind(Workers(0)), problem, judge, config.fresh))
    return results


def inside(value: float, wins: float, games: float) -> bool:
    # a corrected share may exceed 1
    low, high = wilson(min(wins, games), int(games))
    return bool(low <= value <= high)


class Judged(NamedTuple):
    """An estimate over many runs, against one opponent: errors in percentage points, and shares of
    the runs."""

    bias: float
    error: float
    in_fresh: float
    holds: float  # the truth lies in the interval of the estimate


def judged(results: list[Outcome], name: str, opponent: int) -> Judged:
    rows = []
    for result in results:
        true_wins, true_games = result.truth[opponent]
        truth, games = true_wins / true_games, result.own[opponent][1]
        estimate: Any = getattr(result, name)[opponent]
        wins, games = estimate if name != "corrected" else (estimate * games, games)
        off, fresh = wins / games - truth, result.fresh[opponent]
        rows.append((off, off**2, inside(wins / games, *fresh), inside(truth, wins, games)))
    off, square, in_fresh, holds = np.mean(rows, axis=0)
    return Judged(100 * off, 100 * np.sqrt(square), in_fresh, holds)


def show(results: list[Outcome], fresh: int) -> None:
    columns = ("bias", 7), ("error", 7), (f"in {fresh} fresh", 13), ("truth in it", 13)
    for number, opponent in enumerate(OPPONENTS.split(",")):
        table = Table((f"against {opponent}", -30), *columns)
        for name, title in ESTIMATES.items():
            bias, error, *often = judged(results, name, number)
            table.row(title, f"{bias:+.2f}", f"{error:.2f}", *(f"{100 * x:.1f} %" for x in often))
    truth = 100 * np.array([result.truth[:, 0] / result.truth[:, 1] for result in results])
    pairs = zip(truth.mean(axis=0), truth.std(axis=0) / np.sqrt(len(results)), strict=True)
    true = ", ".join(f"{mean:.2f} +- {error:.2f}" for mean, error in pairs)
    print(f"true wins of the champions: {true} %\n")


def measure(config: ClaimsConfig) -> None:
    kinds: list[tuple[str, int, type[Evaluator], Judge]] = [
        ("simulated", config.simulated, Simulated, draw_fresh),
        ("real", config.runs, Evaluator, play_fresh),
    ]
    sizes = f"{config.population} + {config.population} individuals"
    games = f"{config.games} games, {config.again} of a survivor"
    for name, runs, kind, judge in kinds:
        if runs:
            about = f"{config.generations} generations, {sizes}, {games}"
            print(f"{runs} runs with {name} games: {about}")
            show(outcomes(config, runs, kind, judge), config.fresh)


main = partial(run_command, "benchmarks.claims", __doc__, ClaimsConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
