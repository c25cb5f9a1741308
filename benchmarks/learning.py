"""What learning has brought: the reward, the beam agent, its widths and cache, the policy of rl.
All of it without options, a quarter of an hour."""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from math import log10, sqrt

import numpy as np

import agents
from agents.beam import layout
from agents.beam.reward import WORKROOM, reward
from agents.learned import read_shipped
from agents.outcomes import read_results
from agents.rl import POLICY
from arena.match import play_match
from arena.round_robin import Match, pair_seed, run_matches
from arena.score import Score
from arena.statistics import Z95, wilson
from benchmarks.measure import Figures, Table, interval, percent, timed_match
from console.command import run_command
from console.config import Config, option
from engine.exact.book import memory_with_book
from engine.exact.solver import Solver
from engine.rng import rng_for
from engine.symmetry import from_key
from oracle.measure_accuracy import accuracy
from oracle.turn_values import quiet_position
from selfplay.fit.fit_reward import NEAR_LOSS, NEAR_WIN
from selfplay.fit.label import label, random_board
from selfplay.steps import MIND, ROUND
from store import Run
from workers.pool import Workers

FRESH = 990  # a seed that nothing was learned from
WEAK = ["rulebased", "minmax", "mixed", "s309413", "rl", "mixedrl", "ga", "dumb", "frontier"]
BEATEN = [*WEAK, "pro:bound=1,value=1"]
STRONG = ["evolved", "singleminmax", "pro", "prominmax", "hardcoded"]
REPORTED = ["blindbeam", "randombeam"]  # the opponents of the report


@dataclass(kw_only=True)
class LearningConfig(Config):
    reward: bool = option(False, "only the reward that ships, on fresh positions: 4 minutes")
    beam: bool = option(False, "only beam: blunders, cache, time a move, matches: 5 minutes")
    rl: bool = option(False, "only self-play of rl: time, memory, learning curve: 2 minutes")
    positions: int = option(40_000, "of each kind and number of pieces for the reward", least=2)
    games: int = option(1000, "of a match of beam", least=2, even=True)
    learned: int = option(1_000_000, "games that rl learns from; those that ship: 1000000")


def measure_reward(positions: int) -> None:
    weights = layout.read_weights(read_shipped(layout.PARTS[layout.REWARD])).view(np.float64)
    memory = memory_with_book(64)
    room, labels = np.zeros(WORKROOM, np.int64), np.zeros(3)
    print(f"{'':8}{'random boards':^44}{'quiet positions':^40}")
    shares = ("signs", 8), ("nearest", 8)
    errors = ("error, 95 %", 14), ("report", 11), *shares, ("error, 95 %", 19), *shares
    table = Table(("pieces", -7), *errors)
    for placed in range(6, 14):
        cells = [str(placed)]
        for draw in (random_board, quiet_position):
            rewards, true = np.zeros(positions), np.zeros((positions, 3))
            for i in range(positions):
                position = draw(FRESH, placed, i)
                label(position, labels, memory, rng_for(FRESH, "sample", i))
                rewards[i], true[i] = reward(position, weights, room), labels
            error, *of_values = judge_rewards(rewards, true[:, 1], true[:, 0])
            cells += [error, *(["900-3,000"] if draw is random_board else []), *of_values]
        table.row(*cells)


def judge_rewards(rewards: np.ndarray, true: np.ndarray, value: np.ndarray) -> list[str]:
    """Mean squared error, right signs of the decided, nearest to the value: the last in percent."""
    squares, decided = (rewards - true) ** 2, value != 0
    half = Z95 * squares.std() / sqrt(len(rewards))
    signs = np.mean(np.sign(rewards[decided]) == value[decided])
    nearest = np.where(rewards > NEAR_WIN, 1, np.where(rewards < NEAR_LOSS, -1, 0))
    error = f"{squares.mean():,.0f} +-{half:<3.0f}"
    return [error, percent(float(signs)), percent(float(np.mean(nearest == value)))]


def add_share(figures: Figures, what: str, count: int, of: int, target: str) -> None:
    """In percent, with its interval."""
    digits = 2 if of >= 10_000 else 1
    ends = interval(wilson(count, of), digits)
    figures.add(what, f"{percent(count / of, digits)} %", target, ends)


def measure_decisions(figures: Figures) -> None:
    beam = agents.make("beam")
    counts = {placed: count for (kind, placed), count in accuracy(beam).items() if kind == "turn"}
    for placed, (right, of) in sorted(counts.items()):
        middle = "<= 10 % at 6 to 8 together" if 6 <= placed <= 8 else ""
        target = "none" if placed >= 10 else middle
        add_share(figures, f"blunders with {placed} pieces", of - right, of, target)
    right, of = np.sum([counts[placed] for placed in (6, 7, 8)], axis=0)
    figures.add("blunders with 6 to 8 pieces", f"{percent(1 - right / of)} %", "<= 10 %")
    for opponent in ("beam", "evolved"):
        games, seconds = timed_match(beam, agents.make(opponent), FRESH, 60, record=True)
        each = 1e3 * seconds / np.count_nonzero(np.asarray(games.moves) >= 0)
        figures.add(f"a decision, games with {opponent}", f"{each:.2f} ms", "<= 20 ms")


def measure_cache(figures: Figures) -> None:
    for opponent in ("beam", "evolved", "random"):
        player = agents.make("beam")
        play_match(player, agents.make(opponent), FRESH, 200)
        lookups, hits = (int(player.mind.memory[word]) for word in (layout.LOOKUPS, layout.HITS))
        what, share = f"cache: look-ups that hit, games with {opponent}", percent(hits / lookups)
        figures.add(what, f"{share} %", "> 1 %", f"{lookups:,} asked")
    results = read_results(read_shipped(layout.PARTS[layout.CACHE])).exact
    of, chance, solver = len(results.key), np.random.default_rng(FRESH), Solver(64)
    sample = chance.choice(of, min(1000, of), replace=False)
    score = np.rint((results.wins - results.losses) / results.visits)
    wrong = sum(solver.solve(from_key(results.key[i], True)) != score[i] for i in sample)
    what = f"cache: wrong entries, {len(sample)} of {of:,}"
    add_share(figures, what, wrong, len(sample), "< 5 %")


def points(score: Score) -> tuple[float, float]:
    """(share of the points, half of its 95 % interval)."""
    mean, (wins, draws, losses) = score.points, score.totals
    spread = wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2
    return mean, Z95 * sqrt(max(spread, 0.25) / score.games) / sqrt(score.games)


def elo(share: float) -> str:
    return f"{-400 * log10(1 / min(max(share, 1e-4), 1 - 1e-4) - 1):+.0f}"


def beam_matches(games: int) -> list[tuple[str, str, int, str]]:
    """(first, second, games, target)."""
    parameters = agents.make("beam").mind.parameters
    boldness, cunning = (f"{parameters[gene]:g}" for gene in (layout.BOLDNESS, layout.CUNNING))
    alike = f"randombeam:thorough=true,boldness={boldness},cunning={cunning}"
    strong, most, compared = "minmax9", min(400, games), "for comparison"
    return [
        ("beam", "random", 10 * games, ">= 99.5 %"),
        ("beam", strong, games, ">= 95 %"),
        *(("beam", name, games, ">= 75 % of the points") for name in REPORTED),
        *(("perfect", name, most, compared) for name in (strong, *REPORTED)),
        *(("beam", name, games, "at least +100") for name in BEATEN),
        *(("beam", name, games, "not below") for name in STRONG),
        # random widths and rule, else alike
        ("beam:cache=off", alike, games, "whatever it is"),
        ("beam", "beam:cache=off", games, "whatever it is"),
        *(("beam", f"{name}:thorough=true", games, compared) for name in REPORTED),
    ]


def measure_beam(workers: Workers, games: int) -> None:
    shares = ("wins, %", 24), ("draws", 7), ("losses", 7), ("points, %", 14), ("Elo, 95 %", 16)
    table = Table(("first", -14), ("second", -58), *shares, ("games", 8), (" target", -1))
    for first, second, count, target in beam_matches(games):
        seed = pair_seed(FRESH, first, second)
        match = Match(0, agents.make(first), agents.make(second), count, seed)
        [(_, played)] = run_matches(workers, [match])
        mean, half = points(played.score)
        wins, draws, losses = (percent(n / count, 2) for n in played.score.totals)
        wins = f"{wins} ({interval(played.score.interval(), 2)})"
        share = f"{percent(mean, 2)} +-{percent(half, 2)}"
        elos = f"{elo(mean - half)} .. {elo(mean + half)}"
        table.row(first, second, wins, draws, losses, share, elos, f"{count:,}", f" {target}")


def measure_rl(games: int) -> None:
    with tempfile.TemporaryDirectory() as store:
        options = ["--games", str(games), "--workers", "2", "--store", store]
        started = time.monotonic()
        line = [sys.executable, "-m", "selfplay.run", *options]
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        seconds = time.monotonic() - started
        print(done.stdout.rsplit("\n\n", 1)[0])
        run = Run(store)
        memory = [run.about(step)["measured"]["memory"] for step in run.steps(ROUND)]
        same = run.read(MIND).equals(read_shipped(POLICY))
    figures, what = Figures(), f"{games:,} games of self-play on two cores"
    figures.add(what, f"{seconds:.0f} s", "<= 180 s for 1,000,000")
    every = "  ".join(map(str, memory[4::5]))
    figures.add("memory of the driver after rounds 5, 10, 15, 20", every, "flat", "MiB")
    figures.add("the table is the one that ships", str(same), "True")
    for name, target in (("rl", ">= 95 %"), ("mixedrl", ">= 98 %")):
        played, _ = timed_match(agents.make(name), agents.make("random"), FRESH, 20_000)
        what = f"{name} v random, 20,000 games"
        add_share(figures, what, played.score.wins, played.score.games, target)


def measure(config: LearningConfig) -> None:
    everything = not (config.reward or config.beam or config.rl)
    if config.reward or everything:
        measure_reward(config.positions)
    if config.beam or everything:
        figures = Figures()
        measure_decisions(figures)
        measure_cache(figures)
        with Workers(2) as workers:
            workers.start()
            measure_beam(workers, config.games)
    if config.rl or everything:
        measure_rl(config.learned)


main = partial(run_command, "benchmarks.learning", __doc__, LearningConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
