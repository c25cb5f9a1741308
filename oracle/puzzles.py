"""Puzzles: positions of real games in which exactly one turn wins, and how hard they are to find.

    python -m oracle.puzzles --count 20 --plies 3         won with the third placement from now
    python -m oracle.puzzles --plies 3,5,7 --out FILE     kept as Parquet
    python -m oracle.puzzles --run RUN                    from the games of a recorded tournament

You hold a piece: place it and hand one over so that you win whatever the other does. Every other
turn wins nothing. Games are played between players of ours, or were recorded; no two positions are
equivalent. Rated by those who fail: five of our players are asked eight times each. Columns of the
file: position, last (the last cell), plies, cell, piece (-1: the cell wins at once), line, rating
(share of failures), failed (by player, of eight), first, second, game (where it comes from).

The easiest come first. `--plies 3,5,7 --count 100 --seed 1` made oracle/puzzles.parquet, which
ships.
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet

from arena.draw import draw
from console.command import run_command
from console.config import Config, check_out, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from engine.position import Position
from oracle.find_puzzles import PANEL, TRIES, Finder, Panel, Source, games_of_run, own_games
from store import read_table

PUZZLES = Path(__file__).with_name("puzzles.parquet")
# Whoever wins does so with its own placement. Nine is all that is left with seven pieces.
PLIES = (1, 3, 5, 7, 9)


@dataclass(kw_only=True)
class PuzzlesConfig(Config):
    """Which puzzles, from which games, and where they go."""

    count: int = option(20, "puzzles of each number of plies", least=1, metavar="N")
    plies: str = option("3", "placements to the win, your own included: 1, 3, 5, 7, 9; or several")
    seed: int = option(1, "of the games; 1 is the one that ships")
    run: str | None = option(None, "take the games of a recorded tournament", metavar="RUN")
    show: bool = option(False, "draw every board, with its solution")
    out: str | None = option(None, "write them there, as Parquet", metavar="FILE")
    json: bool = option(False, "print one JSON object instead of tables")

    def check(self) -> None:
        if not self.depths:
            wanted = ", ".join(map(str, PLIES))
            raise BadInput(f"--plies {self.plies}: give one or more of {wanted}, like 3,5,7")
        if self.out is not None:
            check_out(self.out)

    @property
    def depths(self) -> list[int]:
        """The numbers of plies; none if one of them is none."""
        words = self.plies.split(",")
        known = [plies for plies in PLIES if str(plies) in words]
        return known if len(known) == len(words) else []


class Puzzle(NamedTuple):
    """What there is to know of one. `last` is part of the position."""

    position: Position
    plies: int
    cell: int
    piece: int
    source: Source
    # how the game goes on if both play well, as `python -m engine.solve --line` has it
    line: str
    # by player: in how many of TRIES
    failed: dict[str, int]

    @property
    def rating(self) -> float:
        """The share of answers that were wrong: 0 everybody finds it, 1 nobody."""
        return round(sum(self.failed.values()) / (TRIES * len(self.failed)), 4)


def make(config: PuzzlesConfig) -> list[Puzzle]:
    """The first so many of each number of plies that the games hold. The easiest come first; of
    equally rated ones those that the strong players find."""
    finder, panel, puzzles = Finder(), Panel(), []
    missing = Counter(dict.fromkeys(config.depths, config.count))
    wanted = missing.total()
    games = own_games(config.seed) if config.run is None else games_of_run(config.run)
    with Progress("puzzles", "puzzles", wanted) as progress:
        for source, moves in games:
            for found in finder.find(source, moves):
                if missing[found.plies] > 0:
                    missing[found.plies] -= 1
                    line, failed = finder.line(found.position), panel.failures(found)
                    puzzles.append(Puzzle(*found, line, failed))
            progress.show(len(puzzles))
            if not +missing:
                break
    if not puzzles:
        raise BadInput(f"{config.run}: its games hold no puzzle of {config.plies} plies")
    if len(puzzles) < wanted:
        told = f"{len(puzzles)} puzzles, {wanted} were asked for: there are no more in its games"
        print(f"{config.run}: {told}", file=sys.stderr)
    return sorted(puzzles, key=_hardness)


def _hardness(puzzle: Puzzle) -> tuple:
    failed = [puzzle.failed[name] for name in PANEL]
    return puzzle.rating, puzzle.plies, failed, puzzle.position.to_text()


def as_table(puzzles: list[Puzzle]) -> pa.Table:
    failed = pa.struct([(name, pa.int8()) for name in PANEL])
    return pa.table(
        {
            "position": [puzzle.position.to_text() for puzzle in puzzles],
            "last": pa.array([puzzle.position.last for puzzle in puzzles], pa.int8()),
            "plies": pa.array([puzzle.plies for puzzle in puzzles], pa.int8()),
            "cell": pa.array([puzzle.cell for puzzle in puzzles], pa.int8()),
            "piece": pa.array([puzzle.piece for puzzle in puzzles], pa.int8()),
            "line": [puzzle.line for puzzle in puzzles],
            "rating": [puzzle.rating for puzzle in puzzles],
            "failed": pa.array([puzzle.failed for puzzle in puzzles], failed),
            "first": [puzzle.source.first for puzzle in puzzles],
            "second": [puzzle.source.second for puzzle in puzzles],
            "game": pa.array([puzzle.source.game for puzzle in puzzles], pa.int32()),
        }
    )


@cache
def read(path: str | Path = PUZZLES) -> tuple[Puzzle, ...]:
    """The puzzles that ship, or those of another file; the easiest first."""
    return tuple(
        Puzzle(
            Position.parse(row["position"])._replace(last=row["last"]),
            row["plies"],
            row["cell"],
            row["piece"],
            Source(row["first"], row["second"], row["game"]),
            row["line"],
            row["failed"],
        )
        for row in read_table(path).to_pylist()
    )


def made_by(config: PuzzlesConfig) -> str:
    games = f"--seed {config.seed}" if config.run is None else f"--run {config.run}"
    return f"python -m oracle.puzzles --plies {config.plies} --count {config.count} {games}"


def print_puzzles(puzzles: list[Puzzle]) -> None:
    """A table for each number of plies."""
    for number, plies in enumerate(sorted({puzzle.plies for puzzle in puzzles})):
        if number:
            print()
        rows = [["position", "rating", "who fails more often than not"]]
        for puzzle in puzzles:
            if puzzle.plies == plies:
                who = " ".join(name for name in PANEL if 2 * puzzle.failed[name] > TRIES)
                rows.append([puzzle.position.to_text(), f"{100 * puzzle.rating:.1f} %", who])
        print_table(rows, f"one turn alone wins, with placement {plies} from now")


def show_puzzle(puzzle: Puzzle) -> None:
    text, rating = puzzle.position.to_text(), f"rated {100 * puzzle.rating:.1f} %"
    print(draw(puzzle.position, [text, f"win in {puzzle.plies}, {rating}"]))
    print(f"{puzzle.line}\n")


def make_and_print(config: PuzzlesConfig) -> None:
    puzzles = make(config)
    table = as_table(puzzles)
    if config.out is not None:
        table = table.replace_schema_metadata({"made by": made_by(config)})
        parquet.write_table(table, config.out, compression="zstd", compression_level=19)
    if config.json:
        print(json.dumps(table.to_pylist()))
    elif config.show:
        for puzzle in puzzles:
            show_puzzle(puzzle)
    else:
        print_puzzles(puzzles)


def main(arguments: list[str] | None = None) -> int:
    return run_command("oracle.puzzles", __doc__, PuzzlesConfig, make_and_print, arguments)


if __name__ == "__main__":
    sys.exit(main())
