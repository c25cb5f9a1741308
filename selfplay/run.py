"""Learn from self-play: workers play, the driver adds up what they met, every round is kept as Parquet.

    python -m selfplay.run --games 1000000            the policy of rl, about two minutes on two cores
    python -m selfplay.run --learner beam             the bad-move cache of beam
    python -m selfplay.report RUN                     a page to look at, also while it runs

A round plays with the table of the round before, so its games do not depend on who is faster; what was met is added up, which does not depend on the order. The same
command goes on where it was stopped; more --games extend a finished run. A round's file holds the whole table: level (exact: canonical key; coarse: a few features),
key, visits, and wins, draws and losses of whoever placed.
"""

import argparse
import json
import resource
import sys
import time
from functools import partial

import numpy as np

import agents
from arena.statistics import wilson
from arena.workers import Workers
from console.command import BadInput, add_common, check_common, command_line, exit_code
from console.progress import Progress
from console.table import aligned
from selfplay.learners import ITSELF, LEARNERS, Learner, explore_at
from selfplay.rounds import TEST, Rounds, Table
from store import Run


def step_of(number: int) -> str:
    return f"round-{number:05d}"


def memory_in_use() -> int:
    """MiB that this process has for itself; where the system does not tell, the most that it ever had."""
    try:
        with open("/proc/self/status") as status:
            return int(status.read().partition("RssAnon:")[2].split()[0]) // 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def learn(run: Run, school: Rounds, rounds: int, tests: int) -> Table:
    """Rounds until there are as many as asked for, each committed when it is done."""
    steps = run.steps("round-")
    table = Table.from_parquet(run.read(steps[-1])) if steps else Table.empty()
    if len(steps) >= rounds:
        return table
    each = sum(school.shares().values())
    played = len(steps) * each
    progress = Progress("self-play", "games", rounds * each, done=played)
    said = ""

    def on_item(size: int) -> None:
        nonlocal played
        played += size
        progress.show(played, said)

    for number in range(len(steps), rounds):
        started = time.monotonic()
        table = school.play_round(number, table, on_item)
        seconds = time.monotonic() - started
        tested = school.test(number, table, tests)
        said = f"{100 * tested['wins'] / tests:.1f} % against {TEST}, {len(table.exact.key):,} positions"
        measured = {"games": each, "seconds": round(seconds, 3), "explore": explore_at(school.learner, number)}
        measured["memory"] = memory_in_use()
        run.write(step_of(number), table.as_parquet(), measured | tested)
    progress.clear()
    return table


def curve_rows(run: Run) -> list[list[str]]:
    rows = [
        [
            "round",
            "games so far",
            "explore",
            "positions",
            "met once",
            "handed over by own results",
            f"wins against {TEST}",
            "95 %",
        ]
    ]
    games = 0
    for number, step in enumerate(run.steps("round-")):
        table, about = Table.from_parquet(run.read(step)), run.about(step)["measured"]
        games += about["games"]
        played = about["wins"] + about["draws"] + about["losses"]
        low, high = wilson(about["wins"], played)
        once = np.mean(table.exact.visits == 1) if len(table.exact.key) else 0.0
        rows.append([
            str(number + 1), f"{games:,}", f"{about['explore']:.2f}", f"{len(table.exact.key):,}", f"{100 * once:.0f} %", f"{100 * about['exact']:.1f} %",
            f"{100 * about['wins'] / played:.2f}", f"{100 * low:.2f} .. {100 * high:.2f}",
        ])  # fmt: skip
    return rows


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m selfplay.run", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--learner", default="rl", help=f"who learns: {', '.join(LEARNERS)} (default %(default)s)")
    parser.add_argument("--games", type=int, help="in all (default: 1000000 for rl, 8000 for beam)")
    parser.add_argument(
        "--round",
        type=int,
        metavar="GAMES",
        help="of a round (default: 50000 for rl, 2000 for beam, at most a quarter of all)",
    )
    parser.add_argument("--size", type=int, help="positions that are kept, the most visited ones (default 200000)")
    parser.add_argument("--tests", type=int, default=2000, metavar="GAMES", help=f"against {TEST} after each round, for the learning curve (default %(default)s)")  # fmt: skip
    add_common(parser, "selfplay-LEARNER")
    return parser


def stored_round(address: str) -> int | None:
    """Games of a round of the run that is there: who extends it need not say them again."""
    run = Run(address)
    rounds = run.steps("round-")
    return run.about(rounds[0])["config"]["round"] if rounds else None


def check(asked: argparse.Namespace) -> Learner:
    if asked.learner not in LEARNERS:
        raise BadInput(f"--learner {asked.learner}: give one of {', '.join(LEARNERS)}")
    learner = LEARNERS[asked.learner]
    check_common(asked, f"selfplay-{learner.name}")
    asked.games = learner.games if asked.games is None else asked.games
    if asked.round is None:
        asked.round = stored_round(asked.store) or min(learner.round, max(20, asked.games // 4))
    asked.size = learner.size if asked.size is None else asked.size
    for name, least in (("games", 20), ("round", 20), ("size", 1), ("tests", 2)):
        if getattr(asked, name) < least:
            raise BadInput(f"--{name} {getattr(asked, name)}: give {least} or more")
    return learner


def run_school(asked: argparse.Namespace) -> int:
    learner = check(asked)
    rounds = max(1, round(asked.games / asked.round))
    config = {
        "learner": learner.name,
        "seed": asked.seed,
        "round": asked.round,
        "size": asked.size,
        "tests": asked.tests,
    }
    config |= {"mix": learner.mix, "minds": {name: agents.make(name).digest for name in learner.mix if name != ITSELF}}
    started = time.monotonic()
    with Run(asked.store, "self-play", config) as run:
        with Workers(asked.workers, asked.address, asked.patience, asked.dashboard) as workers:
            school = Rounds(workers, learner, asked.seed, asked.round, asked.size)
            table = learn(run, school, rounds, asked.tests)
        games = asked.round * len(run.steps("round-"))
        command = f"python -m selfplay.run --learner {learner.name} --games {games} --round {asked.round} --size {asked.size} --seed {asked.seed}"
        run.write("policy", Table(learner.kept(table.exact), table.coarse).as_parquet(), {"made by": command})
        rows = curve_rows(run)
        if asked.json:
            print(
                json.dumps({"run": run.address, "rounds": [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]})
            )
        else:
            print(aligned(rows))
            print(f"\n{games:,} games in {time.monotonic() - started:.0f} s; kept in {run.address}")
            if "://" not in run.address:
                print(f"play against it: python -m arena.play human {learner.name}:{learner.option}={run.address}")
            print(f"a page to look at: python -m selfplay.report {run.address}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = options().parse_args(arguments)
    return exit_code(partial(run_school, asked), command_line("selfplay.run", arguments))


if __name__ == "__main__":
    sys.exit(main())
