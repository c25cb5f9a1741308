"""What evolution tells a person."""

import numpy as np

from agents import ga
from arena.statistics import wilson
from arena.tournament import Match
from console.progress import short
from console.table import aligned
from evo.genomes import Genome
from evo.individual import Individual


def progress_words(record: dict, genome: Genome, speed: float) -> str:
    """Best and mean against each opponent, and games/s."""
    names = genome.opponents if genome.compare == "order" else ("points",)
    parts = [
        f"{name} {100 * best:.0f}/{100 * mean:.0f}"
        for name, best, mean in zip(names, np.atleast_1d(record["best"]), np.atleast_1d(record["mean"]), strict=True)
    ]
    return f"best/mean % {', '.join(parts)}; {short(speed)} games/s"


def percent(count: float, games: int) -> tuple[str, str]:
    low, high = wilson(count, games)
    return f"{100 * count / max(games, 1):.2f}", f"{100 * low:.2f} .. {100 * high:.2f}"


def fresh_table(genome: Genome, champion: Individual, fresh: list[Match]) -> str:
    """What the champion claims, from the games that chose it, beside what it scores on fresh ones."""
    rows = [["champion against", "claimed wins", "95 %", "games", "fresh wins", "95 %", "draws", "losses", "games"]]
    for which, match in enumerate(fresh):
        claimed = int(champion.counts[which].sum())
        wins, draws, losses = match.total
        row = [
            match.second.spec,
            *percent(champion.counts[which, 0], claimed),
            f"{claimed:,}",
            *percent(wins, match.played),
        ]
        rows.append(
            [*row, f"{100 * draws / match.played:.2f}", f"{100 * losses / match.played:.2f}", f"{match.played:,}"]
        )
    return aligned(rows)


def play_hint(genome: Genome, champion: Individual, run: str) -> str:
    if genome.name == "ga":
        spec = "ga:" + ",".join(f"{name}={gene!r}" for name, gene in zip(ga.GENES, champion, strict=True))
    elif "://" in run:
        return f"its genes: python -m store.show {run} champion --rows {len(champion)}"
    else:
        spec = f"{genome.name}:{'widths' if genome.name == 'beam' else 'mind'}={run}"
    return f"play against it: python -m arena.play human {spec}"
