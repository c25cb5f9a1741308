"""Learn from self-play: workers play, what they meet is added up, every round is kept as Parquet.

    python -m selfplay.run                     the policy of rl, a minute on two cores
    python -m selfplay.run --learner beam      the bad-move cache of beam, the same
    python -m web.pages RUN              a page to look at, also while it runs

The same command goes on where it was stopped; more --games extend a finished run. A round's file
holds the whole table: level (exact: canonical key; coarse: a few features), key, visits, and wins,
draws and losses of whoever placed.
"""

import json
import sys

from console.command import run_command
from console.table import print_table
from console.typed import command_line
from selfplay.config import LearnConfig
from selfplay.loop import learn_rounds
from store.run import interpreting


def for_people(row: dict) -> dict[str, str]:
    """A row of the learning curve, by column."""
    played = row["wins"] + row["draws"] + row["losses"]
    return {
        "round": f"{row['round']}",
        "games": f"{row['games_so_far']:,}",
        "explore": f"{row['explore']:.2f}",
        "positions": f"{row['positions']:,}",
        "once": f"{100 * row['met_once']:.0f} %",
        "own": f"{100 * row['exact']:.1f} %",
        f"v {row['against']}": f"{100 * row['wins'] / played:.2f}",
        "95 %": f"{100 * row['low']:.2f} .. {100 * row['high']:.2f}",
    }


def work(config: LearnConfig) -> None:
    learned = learn_rounds(config)
    if config.json:
        print(json.dumps({"run": learned.address, "rounds": learned.rounds}))
        return
    with interpreting(learned.address):
        rows = [for_people(row) for row in learned.rounds]
        # of the rounds as they were played and learned from, by whichever command
        seconds = sum(row["seconds"] for row in learned.rounds)
    print_table([list(rows[0]), *(list(row.values()) for row in rows)])
    print(f"\n{learned.games:,} games in {seconds:.0f} s; kept in {learned.address}")
    print(f"play against it: {command_line('terminal', 'human', learned.spec)}")
    print(f"a page to look at: {command_line('web.pages', learned.address)}")


def main(arguments: list[str] | None = None) -> int:
    return run_command("selfplay.run", __doc__, LearnConfig, work, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
