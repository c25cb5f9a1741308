"""Exact values of Quarto positions.

    python -m engine.solve                             prove the value of the empty board
    python -m engine.solve "4.../c.b./7.1./3ed. 0"     the value of positions given as arguments, each in quotes
    python -m engine.solve < positions.txt             or on standard input, one a line

A position is four rows of hex digits or dots, then the piece in hand, or - when a piece is to be given.
Values are for the player to act, placing or giving: win, draw or loss, with perfect play of both.
A line that is no position is named on stderr, the others are still answered, and the exit code is 2.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator

from console.progress import Progress
from engine.position import NONE, Position
from engine.solver import Solver

WORDS = {1: "win", 0: "draw", -1: "loss"}
PROOF_NODES = 442_724_279  # nodes of the empty board with the default table, for the time left
DEFAULT_TABLE = 4.0


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m engine.solve", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "positions", nargs="*", metavar="POSITION", help="like '4.../c.b./7.1./3ed. 0'; none: standard input"
    )
    parser.add_argument("--moves", action="store_true", help="also the value of every legal move")
    parser.add_argument("--json", action="store_true", help="one JSON object a position")
    parser.add_argument(
        "--table", type=float, default=DEFAULT_TABLE, metavar="MIB", help="size of the table (default %(default)s)"
    )
    return parser


def given_positions(arguments: list[str]) -> Iterator[tuple[str, str]]:
    """(where it stands, text) of each position given, on the command line or on standard input."""
    if arguments:
        yield from ((f"argument {i}", text) for i, text in enumerate(arguments, 1))
    elif not sys.stdin.isatty():
        yield from ((f"line {i}", line) for i, line in enumerate(sys.stdin, 1) if line.strip())


def answer(solver: Solver, position: Position, with_moves: bool, expected: int | None = None) -> dict:
    """All that is said of one position."""
    progress = Progress("solving", "nodes", expected)
    before, started = solver.nodes, time.perf_counter()

    def watch():
        progress.show(solver.nodes - before)

    if with_moves:
        analysis = solver.analyse(position, watch)
        value, moves = analysis.value, analysis.moves
    else:
        value, moves = solver.solve(position, watch), None
    seconds, nodes = time.perf_counter() - started, solver.nodes - before
    progress.clear()
    said = {"position": position.to_text(), "value": value, "nodes": nodes, "seconds": round(seconds, 6)}
    if moves is not None:
        kind = "give" if position.hand == NONE else "place"
        said |= {"kind": kind, "moves": {move_name(kind, move): moves[move] for move in moves}}
    return said


def move_name(kind: str, move: int) -> str:
    """Pieces by their hex digit, cells by their number."""
    return f"{move:x}" if kind == "give" else str(move)


def as_text(said: dict) -> str:
    lines = [f"{said['position']}  {WORDS[said['value']]}"]
    for value, word in WORDS.items():
        moves = [move for move, v in said.get("moves", {}).items() if v == value]
        if moves:
            lines.append(f"  {said['kind']} {word:4}  {' '.join(moves)}")
    return "\n".join(lines)


def prove(solver: Solver, table: float, with_moves: bool, as_json: bool) -> None:
    """The empty board."""
    print("proving the value of the empty board (half a minute)", file=sys.stderr, flush=True)
    said = answer(solver, Position.start(), with_moves, PROOF_NODES if table == DEFAULT_TABLE else None)
    if as_json:
        print(json.dumps(said))
        return
    print(as_text(said))
    print(f"nodes     {said['nodes']:,}")
    print(f"nodes/s   {said['nodes'] / said['seconds']:,.0f}")
    print(f"time      {said['seconds']:.1f} s")


def answer_all(solver: Solver, given: Iterable[tuple[str, str]], with_moves: bool, as_json: bool) -> tuple[int, int]:
    """Answer each position; returns how many were given and how many of them were bad."""
    count = bad = 0
    for where, text in given:
        count += 1
        try:
            position = Position.parse(text)
        except ValueError as error:
            bad += 1
            print(f"{where}: {error}", file=sys.stderr, flush=True)
            continue
        said = answer(solver, position, with_moves)
        print(json.dumps(said) if as_json else as_text(said), flush=True)
    return count, bad


def main(arguments: list[str] | None = None) -> int:
    asked = options().parse_args(arguments)
    try:
        solver = Solver(asked.table)
    except (ValueError, OverflowError, MemoryError) as error:
        print(f"--table {asked.table:g}: {error}", file=sys.stderr)
        return 2
    try:
        count, bad = answer_all(solver, given_positions(asked.positions), asked.moves, asked.json)
        if not count:
            prove(solver, asked.table, asked.moves, asked.json)
        return 2 if bad else 0
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
