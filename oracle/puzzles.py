"""Puzzles: positions of real games in which a single turn wins, and how hard they are to find.

    python -m oracle.puzzles --count 20 --plies 3         won with the third placement from now
    python -m oracle.puzzles --plies 3,5,7 --out FILE     written as Parquet
    python -m oracle.puzzles --run RUN                    from the games of a recorded tournament
    python -m oracle.puzzles --player pro                 puts the 300 puzzles that ship to a player

You hold a piece: place it and give one so that you win whatever the opponent does; no other turn
wins. The games are played by players of this project, or recorded; no two positions are equivalent.
The rating of a puzzle is the share of failures when five players are asked eight times each; the
easiest puzzles come first. `--plies 3,5,7 --count 100 --seed 1` made oracle/puzzles.parquet,
which ships.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet

from agents.player import Player
from arena.draw import draw
from arena.entrants import Guests, as_player
from arena.statistics import wilson
from console.command import command
from console.config import check_out, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.jit.interruptible import Calls
from engine.position import Position
from oracle.find_puzzles import (
    PANEL,
    PIECES,
    TRIES,
    Finder,
    Panel,
    Puzzle,
    games_of_run,
    own_games,
    solves,
)
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


class PuzzlesConfig(Guests):
    count: int = option(20, "puzzles of each number of plies", least=1, metavar="N")
    plies: str = option("3", "placements to the win, your own included: 1, 3, 5, 7, 9; or several")
    seed: int = option(1, "seed of the games; 1 made the puzzles that ship")
    run: str | None = option(None, "take the games of a recorded tournament", metavar="RUN")
    player: str | None = option(
        None, "put the puzzles that ship to a player, once each, and count its right answers"
    )
    missed: bool = option(False, "with --player: print the puzzles that it misses instead")
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
        if self.player is not None:
            self.check_player(self.player)
        elif self.missed:
            raise BadInput("--missed: name the player that is asked, with --player")

    def check_player(self, player: str) -> None:
        for item in self.options():
            is_default = getattr(self, item.name) == item.default
            if item.name in ("count", "plies", "seed", "run", "out") and not is_default:
                raise BadInput(
                    f"--player: it gets the puzzles that ship, so leave --{item.name} out"
                )
        self.asked = as_player(player, self.rules)
        if self.asked.name == "human":
            page = command_line("web")
            raise BadInput(f"--player human: people solve puzzles on the web pages: {page}")


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


def missed_by(player: Player) -> list[Puzzle]:
    """Return the shipped puzzles that a player misses when it is asked each of them once."""
    ask, missed = Calls(player.compiled), []
    with Progress("puzzles", "puzzles", len(read())) as progress:
        for puzzle in read():
            if not solves(player, ask, puzzle):
                missed.append(puzzle)
            progress.add(1)
    return missed


class Solved(NamedTuple):
    """Puzzles of a group, and how many of them a player solves."""

    puzzles: str
    solved: int
    of: int


def scores(missed: list[Puzzle]) -> list[Solved]:
    """Return the solved ones of the shipped puzzles: by plies, by pieces on the board, and all."""
    groups: list[tuple[str, Callable[[Puzzle], bool]]] = [
        *((f"win in {n}", lambda puzzle, n=n: puzzle.plies == n) for n in PLIES),
        *((f"{n} pieces", lambda puzzle, n=n: puzzle.position.placed == n) for n in PIECES),
        ("all", lambda _: True),
    ]
    counts = [[sum(map(belongs, some)) for some in (missed, read())] for _, belongs in groups]
    counted = zip(groups, counts, strict=True)
    return [Solved(name, of - failed, of) for (name, _), (failed, of) in counted if of]


def print_scores(label: str, solved: list[Solved]) -> None:
    rows = [["puzzles", "solved", "of", "percent", "95 %"]]
    for group in solved:
        low, high = wilson(group.solved, group.of)
        share, interval = 100 * group.solved / group.of, f"{100 * low:.1f} .. {100 * high:.1f}"
        rows.append([group.puzzles, str(group.solved), str(group.of), f"{share:.1f}", interval])
    print_table(rows, f"puzzles that {label} solves, asked once each")


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


def print_answers(config: PuzzlesConfig) -> None:
    """Put the puzzles that ship to a player; print how many it solves, or those that it misses."""
    missed, label = missed_by(config.asked), config.asked.label
    if config.missed:
        if not config.json:
            print(f"{label} misses {len(missed)} of {len(read())} puzzles")
        print_as_asked(config, missed)
    elif config.json:
        print(json.dumps([group._asdict() for group in scores(missed)]))
    else:
        print_scores(label, scores(missed))


def make_and_print(config: PuzzlesConfig) -> None:
    if config.player is not None:
        return print_answers(config)
    puzzles = make(config)
    if config.out is not None:
        games = f"--seed {config.seed}" if config.run is None else f"--run {config.run}"
        made_by = f"python -m oracle.puzzles --plies {config.plies} --count {config.count} {games}"
        table = as_table(puzzles).replace_schema_metadata({"made by": made_by})
        parquet.write_table(table, config.out, compression="zstd", compression_level=19)
    print_as_asked(config, puzzles)


def print_as_asked(config: PuzzlesConfig, puzzles: list[Puzzle]) -> None:
    if config.json:
        print(json.dumps(as_table(puzzles).to_pylist()))
    elif config.show:
        for puzzle in puzzles:
            win = f"win in {puzzle.plies}, rated {100 * puzzle.rating:.1f} %"
            print(draw(puzzle.position, [puzzle.position.to_text(), win]))
            print(f"{puzzle.line}\n")
    else:
        print_puzzles(puzzles)


main = command("oracle.puzzles", __name__, __doc__, PuzzlesConfig, make_and_print)
