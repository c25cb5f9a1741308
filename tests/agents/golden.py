"""One md5 of recorded games per player; it changes only if one of the player's decisions changes.

    python -m tests.agents.golden            writes tests/agents/golden_players.csv again

Each player meets `random` and `hardcoded` on fixed seeds, alternating seats. The md5 covers every
move of every game. If a line changes on purpose, the commit says why.
"""

import csv
import hashlib
from pathlib import Path

import agents
from arena.match import play_match

GOLDEN = Path(__file__).with_name("golden_players.csv")
OPPONENTS = ("random", "hardcoded")
SEED = 2026
# Options that take another path through the kernels of a player.
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
# Slow players play fewer games.
FEW = {"perfect": 12, "doubleminmax": 12, "minmax9": 60, "singleminmax": 40, "mcts": 40}


def specs() -> list[str]:
    """Return all players except `human`, and the variants."""
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
