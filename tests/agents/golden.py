"""Recorded games of every player as one md5 each: a change that alters no decision alters no line.

    python -m tests.agents.golden            writes tests/agents/golden_players.csv again

Each player meets `random` and `hardcoded` on fixed seeds, once in each seat by turns; every move of
every game goes into its md5. If a line changes on purpose, the commit says why.
"""

import csv
import hashlib
from pathlib import Path

import agents
from arena.match import play_match

GOLDEN = Path(__file__).with_name("golden_players.csv")
OPPONENTS = ("random", "hardcoded")
SEED = 2026
# Names with options beside the plain ones: each takes another way through the same kernels.
VARIANTS = (
    "ga:preset=sample",
    "ga:alpha=1.5,beta=-2.0,gamma=3.0,delta=0.25,epsilon=-9.0",
    "minmax:depth=2",
    "frontier:delay=false",
    "frontier:depth=1",
    "pro:bound=1,value=1",
    "pro:bound=2,value=14400",
    "minmax9:from=10",
    "doubleminmax:random_turns=3",
    "beam:nodes=300",
    "beam:thorough=false",
    "blindbeam:thorough=true",
    "randombeam:thorough=true",
)
# Players that take long for a game.
FEW = {"perfect": 12, "doubleminmax": 12, "minmax9": 60, "singleminmax": 40, "mcts": 40}


def specs() -> list[str]:
    """Every player but the person, and the variants."""
    return sorted([*(name for name in agents.names() if name != "human"), *VARIANTS])


def games_of(spec: str) -> int:
    name = spec.partition(":")[0]
    return FEW.get(name, 20 if "beam" in name else 200)


def fingerprint(spec: str) -> str:
    digest = hashlib.md5()
    for opponent in OPPONENTS:
        games = play_match(
            agents.make(spec), agents.make(opponent), SEED, games_of(spec), record=True
        )
        digest.update(games.moves.tobytes())
    return digest.hexdigest()


def main() -> None:
    with GOLDEN.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["player", "games", "md5"])
        for spec in specs():
            rows.writerow([spec, len(OPPONENTS) * games_of(spec), fingerprint(spec)])


if __name__ == "__main__":
    main()
