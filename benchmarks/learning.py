"""What learning has brought: the reward, the beam agent, its widths and its cache, the policy of rl.

python -m benchmarks.learning --reward      the reward that ships, on fresh positions that no weight was learned from (4 minutes)
python -m benchmarks.learning --beam        the beam agent against everybody it must beat; blunders; time a move; widths; cache (5 minutes)
python -m benchmarks.learning --rl          a million games of self-play: time, memory, learning curve (2 minutes)
python -m benchmarks.learning --kills 6     the same with fewer games, killed and with 1, 2 and 8 workers: equal tables
"""

import argparse
import subprocess
import sys
import tempfile
import time
from math import log10, sqrt

import numpy as np

import agents
from agents.beam.layout import BOLDNESS, CACHE, CUNNING, HITS, LOOKUPS, REWARD, read_weights
from agents.beam.reward import WORKROOM, reward
from agents.book import words_with_book
from agents.outcomes import read_results
from agents.rl import POLICY
from arena.accuracy import accuracy
from arena.match import play
from arena.statistics import Z95, wilson
from arena.tournament import Match, pair_seed, run_matches
from arena.turn_values import quiet_position
from arena.workers import Workers
from benchmarks.kills import measure_kills
from benchmarks.table import Table
from engine.rng import rng_for
from engine.solver import Solver
from engine.symmetry import from_key
from selfplay.label import label, random_board
from store import Run

LEARNING = ["selfplay.run", "--games", "400000", "--round", "10000", "--size", "20000"]
FRESH = 990  # a seed that nothing was learned from
BEATEN = ("rulebased", "minmax", "mixed", "s309413", "rl", "mixedrl", "ga", "dumb", "frontier", "pro:bound=1,value=1")
THOROUGH = ("blindbeam:thorough=true", "randombeam:thorough=true")  # the report's opponents with our search
NOT_ABOVE = ("evolved", "singleminmax", "pro", "prominmax", "hardcoded")


def measure_reward(positions: int = 40_000) -> None:
    weights, words = read_weights(REWARD).view(np.float64), words_with_book(64)
    room, found = np.zeros(WORKROOM, np.int64), np.zeros(3)
    print(f"{'':8}{'random boards':^44}{'quiet positions':^40}")
    print(
        f"{'pieces':8}"
        + f"{'error, 95 %':>14}{'report':>12}{'signs':>9}{'nearest':>9}"
        + f"{'error, 95 %':>20}{'signs':>9}{'nearest':>9}"
    )
    for placed in range(6, 14):
        row = f"{placed:<8}"
        for draw in (random_board, quiet_position):
            said, true = np.zeros(positions), np.zeros((positions, 3))
            for i in range(positions):
                position = draw(FRESH, placed, i)
                label(position, found, words, rng_for(FRESH, "sample", i))
                said[i], true[i] = reward(position, weights, room), found
            decided = true[:, 0] != 0
            nearest = np.where(said > 70, 1, np.where(said < -30, -1, 0))
            report = f"{'900-3,000':>12}" if draw is random_board else f"{'':>6}"
            squares, signs = (said - true[:, 1]) ** 2, np.mean(np.sign(said[decided]) == true[decided, 0])
            half = Z95 * squares.std() / sqrt(positions)
            row += f"{squares.mean():8,.0f} +-{half:<3.0f}{report}{100 * signs:9.1f}{100 * np.mean(nearest == true[:, 0]):9.1f}"
        print(row, flush=True)


def points(match: Match) -> tuple[float, float]:
    """(share of the points, half of its 95 % interval)."""
    wins, draws, losses = match.total
    games = wins + draws + losses
    mean = (wins + draws / 2) / games
    variance = (wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2) / games
    return mean, Z95 * sqrt(max(variance, 0.25 / games) / games)


def elo(share: float) -> float:
    return -400 * log10(1 / min(max(share, 1e-4), 1 - 1e-4) - 1)


def meet(workers: Workers, first: str, seconds: dict[str, int]) -> dict[str, Match]:
    player = agents.make(first)
    matches = [
        Match(i, player, agents.make(name), games, pair_seed(FRESH, first, name))
        for i, (name, games) in enumerate(seconds.items())
    ]
    list(run_matches(workers, matches, False, lambda games: None))
    return dict(zip(seconds, matches, strict=True))


def print_match(name: str, match: Match, target: str = "") -> None:
    mean, half = points(match)
    wins, draws, losses = match.total
    low, high = wilson(wins, match.played)
    print(
        f"{name:44}{100 * wins / match.played:7.2f} ({100 * low:.2f} .. {100 * high:.2f}) {100 * draws / match.played:6.2f}{100 * losses / match.played:7.2f}"
        f"{100 * mean:8.2f} +-{100 * half:.2f}   {elo(mean - half):+5.0f} .. {elo(mean + half):+5.0f}   {match.played:6,}  {target}",
        flush=True,
    )


def measure_beam(workers: Workers, games: int) -> None:
    print(f"{'beam against':44}{'wins, %':^26}{'draws':>6}{'losses':>7}{'points, %':>12}{'Elo, 95 %':>20}{'games':>12}")
    must = {
        "random": ">= 99.5 %",
        "minmax9": ">= 95 %",
        "blindbeam": ">= 75 % of the points",
        "randombeam": ">= 75 % of the points",
    }
    for name, match in meet(workers, "beam", {"random": 10 * games, **dict.fromkeys(list(must)[1:], games)}).items():
        print_match(name, match, must[name])
    for name, match in meet(workers, "perfect", {"minmax9": 400, "blindbeam": 400, "randombeam": 400}).items():
        print_match(f"  perfect against {name}", match, "for comparison")
    for name, match in meet(workers, "beam", dict.fromkeys(BEATEN, games)).items():
        print_match(name, match, "at least +100")
    for name, match in meet(workers, "beam", dict.fromkeys(NOT_ABOVE, games)).items():
        print_match(name, match, "not below")
    numbers = agents.make("beam").mind.parameters
    alike = f"randombeam:thorough=true,boldness={numbers[BOLDNESS]:g},cunning={numbers[CUNNING]:g}"
    print_match(
        "random widths and rule, else alike", meet(workers, "beam:cache=off", {alike: games})[alike], "whatever it is"
    )
    for name, match in meet(workers, "beam", {"beam:cache=off": games, **dict.fromkeys(THOROUGH, games)}).items():
        print_match(name, match, "for comparison" if name in THOROUGH else "whatever it is")


def measure_decisions(table: Table) -> None:
    beam = agents.make("beam")
    counts = accuracy(beam)
    for placed in sorted({placed for _, placed in counts}):
        right, of = counts["turn", placed]
        low, high = wilson(of - right, of)
        target = "<= 10 % at 6 to 8 together" if 6 <= placed <= 8 else ("none" if placed >= 10 else "")
        table.row(
            f"blunders with {placed} pieces",
            f"{100 * (of - right) / of:.1f} %",
            f"{100 * low:.1f} .. {100 * high:.1f}",
            target=target,
        )
    middle = [counts["turn", placed] for placed in (6, 7, 8)]
    wrong = sum(of - right for right, of in middle) / sum(of for _, of in middle)
    table.row("blunders with 6 to 8 pieces", f"{100 * wrong:.1f} %", target="<= 10 %")
    for opponent in ("beam", "evolved"):
        started = time.process_time()
        decisions = (play(beam, agents.make(opponent), FRESH, 60, record=True).moves >= 0).sum()
        table.row(
            f"a decision, games with {opponent}",
            f"{1e3 * (time.process_time() - started) / decisions:.2f} ms",
            target="<= 20 ms",
        )


def measure_cache(table: Table) -> None:
    results, _ = read_results(CACHE)
    for opponent in ("beam", "evolved", "random"):
        player = agents.make("beam")
        play(player, agents.make(opponent), FRESH, 200)
        asked, known = int(player.mind.memory[LOOKUPS]), int(player.mind.memory[HITS])
        table.row(
            f"cache: look-ups that hit, games with {opponent}",
            f"{100 * known / asked:.1f} %",
            f"{asked:,} asked",
            target="> 1 %",
        )
    sample = np.random.default_rng(FRESH).choice(len(results.key), min(1000, len(results.key)), replace=False)
    solver = Solver(64)
    wrong = sum(
        solver.solve(from_key(results.key[i], True))
        != np.rint((results.wins[i] - results.losses[i]) / results.visits[i])
        for i in sample
    )
    low, high = wilson(wrong, len(sample))
    table.row(f"cache: wrong entries, {len(sample)} of {len(results.key):,}", f"{100 * wrong / len(sample):.1f} %", f"{100 * low:.1f} .. {100 * high:.1f}", target="< 5 %")  # fmt: skip


def measure_rl(table: Table) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        done = subprocess.run([sys.executable, "-m", "selfplay.run", "--games", "1000000", "--workers", "2", "--store", f"{scratch}/run"], check=True, capture_output=True, text=True)  # fmt: skip
        seconds = time.monotonic() - started
        print(done.stdout.rsplit("\n\n", 1)[0])
        run = Run(f"{scratch}/run")
        memory = [run.about(step)["measured"]["memory"] for step in run.steps("round-")]
        same = run.read("policy").equals(Run(str(POLICY.parent)).read("policy"))
    table.row("one million games of self-play on two cores", f"{seconds:.0f} s", target="<= 180 s")
    table.row(
        "memory of the driver after rounds 5, 10, 15, 20", "  ".join(f"{m}" for m in memory[4::5]), "MiB", target="flat"
    )
    table.row("the table is the one that ships", str(same), target="True")
    for name, target in (("rl", ">= 95 %"), ("mixedrl", ">= 98 %")):
        wins = play(agents.make(name), agents.make("random"), FRESH, 20_000).totals[0]
        low, high = wilson(wins, 20_000)
        table.row(
            f"{name} v random, 20,000 games",
            f"{wins / 200:.2f} %",
            f"{100 * low:.2f} .. {100 * high:.2f}",
            target=target,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.learning", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for what in ("reward", "beam", "rl"):
        parser.add_argument(f"--{what}", action="store_true")
    parser.add_argument("--games", type=int, default=1000, help="of a match of beam (default %(default)s)")
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    everything = not (asked.reward or asked.beam or asked.rl or asked.kills)
    if asked.reward or everything:
        measure_reward()
    if asked.beam or everything:
        table = Table()
        measure_decisions(table)
        measure_cache(table)
        with Workers(2) as workers:
            measure_beam(workers, asked.games)
    if asked.rl or everything:
        measure_rl(Table())
    if asked.kills or everything:
        measure_kills(Table(), asked.kills or 6, LEARNING, (2.0, 5.0))


if __name__ == "__main__":
    main()
