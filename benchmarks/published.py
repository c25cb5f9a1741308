"""What the reports published, what their code scores when it is run again, and what the same players score here.

    python -m benchmarks.published            prints the table of the README, a minute or two

Wins of the first player in percent, seats alternating; 95 % intervals. The published interval comes from the number of games that the report played.
A row is short where our interval ends below the published one.
"""

import time

import agents
from arena.match import play
from arena.statistics import wilson

# first, second, wins published, of so many games, original code run again (percent), games here
MATCHES = [
    ("ga", "random", 580, 1000, "55.7", 100_000),
    ("ga", "dumb", 1000, 1000, "100", 1000),
    ("ga", "rulebased", 292, 1000, "23.5", 100_000),
    ("rulebased", "random", 958, 1000, "95.4", 100_000),
    ("rulebased", "dumb", 693, 1000, "55", 100_000),
    ("rulebased", "ga", 718, 1000, "76.5", 100_000),
    ("random", "dumb", 386, 1000, "38.8", 100_000),
    ("s309413", "random", 999, 1000, "91.6", 100_000),
    ("s309413", "dumb", 645, 1000, "63.3", 100_000),
    ("s309413", "rulebased", 593, 1000, "50", 100_000),
    ("s309413", "ga", 692, 1000, "76.7", 100_000),
    ("frontier", "random", 193, 200, "94.3", 100_000),
    ("frontier:delay=false", "random", 195, 200, "", 100_000),
    ("frontier", "hardcoded", None, 0, "0 of 20", 20_000),
    ("pro:bound=1,value=1", "random", 925, 1000, "91.4", 100_000),
    ("pro:bound=2,value=518400", "random", 968, 1000, "16 of 16", 20_000),
    ("pro", "random", 993, 1000, "99.0", 100_000),
    ("pro", "pro:bound=1,value=1", 96, 100, "", 20_000),
    ("pro", "pro:bound=2,value=518400", 87, 100, "", 10_000),
    ("pro", "prominmax", 39, 100, "", 20_000),
    ("pro", "hardcoded", None, 0, "17-3-0", 20_000),
    ("hardcoded", "random", None, 0, "98.7", 100_000),
    ("hardcoded", "rulebased", None, 0, "27-0-14", 100_000),
]


def percent(low: float, high: float) -> str:
    return f"{100 * low:5.1f} .. {100 * high:5.1f}"


def main() -> None:
    print(
        f"{'first':<26}{'second':<26}{'published':>20}{'run again':>11}{'here':>8}{'95 %':>16}{'draws':>8}{'games/s':>12}"
    )
    for first, second, wins, of, again, games in MATCHES:
        a, b = agents.make(first), agents.make(second)
        started = time.process_time()
        won, drawn, _ = play(a, b, seed=1, games=games).totals
        rate = games / (time.process_time() - started)
        low, high = wilson(won, games)
        published, short = "", ""
        if wins is not None:
            least, most = wilson(wins, of)
            published = f"{100 * wins / of:.1f} ({percent(least, most).strip()})"
            short = "  short" if high < least else ""
        print(
            f"{first:<26}{second:<26}{published:>20}{again:>11}{100 * won / games:>8.1f}{percent(low, high):>16}"
            f"{100 * drawn / games:>8.1f}{rate:>12,.0f}{short}",
            flush=True,
        )


if __name__ == "__main__":
    main()
