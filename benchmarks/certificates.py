"""How far players are from never losing: their errors in all positions that they can reach.

    python -m benchmarks.certificates               to 6 pieces: some minutes
    python -m benchmarks.certificates --pieces 7    further: an hour

A cell has the turns that lose exact value, those of them that lose, and the positions; `exceptions`
are the turns to learn by heart, with which none does. `python -m oracle.certify` lists them."""

import tempfile
from dataclasses import replace
from pathlib import Path

from agents.rules.player import shipped_strategies
from benchmarks.record import Benchmark, Results
from console.command import command
from console.config import option
from oracle.certify import DEFAULT_PIECES, MOST_PIECES, CertifyConfig, certify

PLAYERS = "sprint", "beam", "zero", "evolved"
FIRST = 3  # pieces: before, no player that takes wins and gives none makes an error


class CertificatesConfig(Benchmark):
    pieces: int = option(
        DEFAULT_PIECES, "turns up to N pieces on the board", least=FIRST, most=MOST_PIECES
    )
    workers: int | None = option(None, "processes", least=0, kept=False)


def measure(config: CertificatesConfig) -> None:
    specs = [*PLAYERS, *(f"rules:size={size}" for size in sorted(shipped_strategies()))]
    columns = [(f"{n} pieces", 24) for n in range(FIRST, config.pieces + 1)]
    with Results("certificates", config) as results, tempfile.TemporaryDirectory() as folder:
        table = results.table(
            "errors", ("player", -12), *columns, ("exceptions", 10), players=specs
        )
        for i, spec in enumerate(specs):
            store, draws = str(Path(folder) / str(i)), spec == "beam"
            one = CertifyConfig(player=spec, pieces=config.pieces, fix_chance=draws)
            levels = certify(replace(one, store=store, workers=config.workers))
            cells = {
                level.pieces: f"{level.errors:,} / {level.losing:,} of {level.alone:,}"
                for level in levels
            }
            exceptions = sum(level.exceptions for level in levels)
            shown = [cells[n] for n in range(FIRST, config.pieces + 1)]
            table.row(spec, *shown, f"{exceptions:,}")


main = command("benchmarks.certificates", __name__, __doc__, CertificatesConfig, measure)
