"""Puzzles: positions of real games in which a single turn wins, and how hard they are to find.

    python -m oracle.puzzles --count 20 --plies 3         won with the third placement from now
    python -m oracle.puzzles --plies 3,5,7 --out FILE     written as Parquet
    python -m oracle.puzzles --run RUN                    from the games of a recorded tournament

You hold a piece: place it and give one so that you win whatever the opponent does; no other turn
wins. The games are played by players of this project, or recorded; no two positions are equivalent.
The rating of a puzzle is the share of failures when five players are asked eight times each; the
easiest puzzles come first. `--plies 3,5,7 --count 100 --seed 1` made oracle/puzzles.parquet,
which ships.
"""

import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from arena.draw import draw
from console.command import command
from console.config import Config, check_out, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from engine.position import Position
from oracle.find_puzzles import PANEL, TRIES, Finder, Panel, Puzzle, games_of_run, own_games
from store import read_table

PUZZLES = Path(__file__).with_name("puzzles.parquet")
PLIES = (1, 3, 5, 7, 9)  # odd, since the winner places last; at most nine with seven pieces
SCHEMA = pa.schema(
    {
        "position": pa.string(),
        "last": pa.int8(),
        "plies": pa.int8(),
        "cell": pa.int8(),
        "piece": pa.int8(),
        "line": pa.string(),
        "rating": pa.float64(),
        "failed": pa.struct([(name, pa.int8()) for name in PANEL]),
        "first": pa.string(),
        "second": pa.string(),
        "game": pa.int32(),
    }
)


class PuzzlesConfig(Config):
    count: int = option(20, "puzzles of each number of plies", least=1, metavar="N")
    plies: str = option("3", "placements to the win, your own included: 1, 3, 5, 7, 9; or several")
    seed: int = option(1, "seed of the games; 1 made the puzzles that ship")
    run: str | None = option(None, "take the games of a recorded tournament", metavar="RUN")
    show: bool = option(False, "draw every board, with its solution")
    out: str | None = option(None, "write the puzzles to a Parquet file", metavar="FILE")
    json: bool = option(False, "print one JSON object instead of tables")

    def check(self) -> None:
        self.depths = [plies for plies in PLIES if str(plies) in self.plies.split(",")]
        if len(self.depths) != len(self.plies.split(",")):
            choices = ", ".join(map(str, PLIES))
            raise BadInput(f"--plies {self.plies}: give one or more of {choices}, like 3,5,7")
        if self.out is not None:
            check_out(self.out)


def make(config: PuzzlesConfig) -> list[Puzzle]:
    """Return the first puzzles of each number of plies, the easiest first; of equally rated ones,
    those that the strong players find come first."""
    finder, panel, puzzles = Finder(), Panel(), []
    missing = Counter(dict.fromkeys(config.depths, config.count))
    wanted = missing.total()
    games = own_games(config.seed) if config.run is None else games_of_run(config.run)
    with Progress("puzzles", "puzzles", wanted) as progress:
        for game in games:
            for puzzle in finder.find(*game):
                if missing[puzzle.plies] > 0:
                    missing[puzzle.plies] -= 1
                    line, failed = finder.line(puzzle.position), panel.failures(puzzle)
                    puzzles.append(puzzle._replace(line=line, failed=failed))
            progress.show(len(puzzles))
            if not +missing:
                break
    if not puzzles:
        raise BadInput(f"{config.run}: its games hold no puzzle of {config.plies} plies")
    if len(puzzles) < wanted:
        text = f"{len(puzzles)} puzzles, {wanted} were asked for: there are no more in its games"
        print(f"{config.run}: {text}", file=sys.stderr)
    return sorted(puzzles, key=_hardness)


def _hardness(puzzle: Puzzle) -> tuple:
    failed = [puzzle.failed[name] for name in PANEL]
    return puzzle.rating, puzzle.plies, failed, puzzle.position.to_text()


def as_table(puzzles: list[Puzzle]) -> pa.Table:
    rows = [
        puzzle._asdict()
        | {"position": puzzle.position.to_text(), "last": puzzle.position.last}
        | {"rating": puzzle.rating}
        for puzzle in puzzles
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


@cache
def read(path: str | Path = PUZZLES) -> tuple[Puzzle, ...]:
    """Return the puzzles of a file (default: those that ship), the easiest first."""
    puzzles = []
    for row in read_table(path).to_pylist():
        row["position"] = Position.parse(row["position"])._replace(last=row["last"])
        puzzles.append(Puzzle(*(row[name] for name in Puzzle._fields)))
    return tuple(puzzles)


def print_puzzles(puzzles: list[Puzzle]) -> None:
    for number, plies in enumerate(sorted({puzzle.plies for puzzle in puzzles})):
        if number:
            print()
        rows = [["position", "rating", "players that fail more often than not"]]
        for puzzle in puzzles:
            if puzzle.plies == plies:
                failing = " ".join(name for name in PANEL if 2 * puzzle.failed[name] > TRIES)
                rows.append([puzzle.position.to_text(), f"{100 * puzzle.rating:.1f} %", failing])
        print_table(rows, f"a single turn wins, with placement {plies} from now")


def make_and_print(config: PuzzlesConfig) -> None:
    puzzles = make(config)
    table = as_table(puzzles)
    if config.out is not None:
        games = f"--seed {config.seed}" if config.run is None else f"--run {config.run}"
        made_by = f"python -m oracle.puzzles --plies {config.plies} --count {config.count} {games}"
        table = table.replace_schema_metadata({"made by": made_by})
        parquet.write_table(table, config.out, compression="zstd", compression_level=19)
    if config.json:
        print(json.dumps(table.to_pylist()))
    elif config.show:
        for puzzle in puzzles:
            win = f"win in {puzzle.plies}, rated {100 * puzzle.rating:.1f} %"
            print(draw(puzzle.position, [puzzle.position.to_text(), win]))
            print(f"{puzzle.line}\n")
    else:
        print_puzzles(puzzles)


main = command("oracle.puzzles", __name__, __doc__, PuzzlesConfig, make_and_print)
