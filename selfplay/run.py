"""Learn from self-play: workers play, and every round is stored as Parquet.

    python -m selfplay.run                     the policy of rl, a minute on
                                               two cores
    python -m selfplay.run --learner beam      the bad-move cache of beam
    python -m web.pages RUN                    a page, also while it runs

The same command resumes a run; more --games extend a finished one.
"""

import json

from arena.statistics import interval_text
from console.command import command
from console.table import print_table
from console.typed import command_line
from selfplay.config import LearnConfig
from selfplay.loop import learn_rounds
from store import Run
from store.curve import Point, read_curve
from store.run import interpreting

# shares of a round: random decisions, positions met once, given pieces that were chosen by the
# position's own results
FIGURES = {"explore": "explore", "met_once": "once", "exact": "own"}


def table_rows(rounds: list[dict], points: list[Point]) -> list[list[str]]:
    """Return the learning curve as a table: the right turns by the oracle, or without them the wins
    against a random player. A figure that is 0 in every round has no column."""
    right = {point.number + 1: point.right for point in points}
    named = {name: FIGURES[name] for name in FIGURES if any(row[name] for row in rounds)}
    measured = "right turns, %" if right else f"v {rounds[0]['against']}, %"
    rows = [["round", "games", measured, "95 %", "positions", *named.values()]]
    for row in rounds:
        wins = row["wins"], row["wins"] + row["draws"] + row["losses"]
        hits, of = right.get(row["round"], (0, 0)) if right else wins
        strength = [f"{100 * hits / of:.1f}", interval_text(hits, of)] if of else ["-", "-"]
        figures = [f"{100 * row[name]:.0f} %" for name in named]
        start = [f"{row['round']}", f"{row['games_so_far']:,}"]
        rows.append([*start, *strength, f"{row['positions']:,}", *figures])
    return rows


def work(config: LearnConfig) -> None:
    result = learn_rounds(config)
    if config.json:
        print(json.dumps({"run": result.address, "rounds": result.rounds}))
        return
    with interpreting(result.address):
        rows = table_rows(result.rounds, read_curve(Run(result.address)))
        # of all commands of the run
        seconds = sum(row["seconds"] for row in result.rounds)
    print_table(rows)
    print(f"\n{result.games:,} games in {seconds:.0f} s; kept in {result.address}")
    print(f"play against it: {command_line('terminal', 'human', result.spec)}")
    print(f"a page to look at: {command_line('web.pages', result.address)}")


main = command("selfplay.run", __name__, __doc__, LearnConfig, work, resumes=True)
