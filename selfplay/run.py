"""Learn from self-play: workers play, and every round is stored as Parquet.

    python -m selfplay.run                     the policy of rl, a minute on
                                               two cores
    python -m selfplay.run --learner beam      the bad-move cache of beam
    python -m web.pages RUN                    a page, also while it runs

The same command resumes a run; more --games extend a finished one.
"""

import json

from console.command import command
from console.table import print_table
from console.typed import command_line
from selfplay.config import LearnConfig
from selfplay.loop import learn_rounds
from store.run import interpreting


def table_row(row: dict) -> dict[str, str]:
    """Return a row of the learning curve as text by column."""
    games = row["wins"] + row["draws"] + row["losses"]
    return {
        "round": f"{row['round']}",
        "games": f"{row['games_so_far']:,}",
        "explore": f"{row['explore']:.2f}",
        "positions": f"{row['positions']:,}",
        "once": f"{100 * row['met_once']:.0f} %",
        "own": f"{100 * row['exact']:.1f} %",
        f"v {row['against']}": f"{100 * row['wins'] / games:.2f}",
        "95 %": f"{100 * row['low']:.2f} .. {100 * row['high']:.2f}",
    }


def work(config: LearnConfig) -> None:
    result = learn_rounds(config)
    if config.json:
        print(json.dumps({"run": result.address, "rounds": result.rounds}))
        return
    with interpreting(result.address):
        rows = [table_row(row) for row in result.rounds]
        # of all commands of the run
        seconds = sum(row["seconds"] for row in result.rounds)
    print_table([list(rows[0]), *(list(row.values()) for row in rows)])
    print(f"\n{result.games:,} games in {seconds:.0f} s; kept in {result.address}")
    print(f"play against it: {command_line('terminal', 'human', result.spec)}")
    print(f"a page to look at: {command_line('web.pages', result.address)}")


main = command("selfplay.run", __name__, __doc__, LearnConfig, work, resumes=True)
