"""Exact values of Quarto positions.

    python -m engine.solve                             prove the value of the empty board
    python -m engine.solve "4.../c.b./7.1./3ed. 0"     the value of positions, each in quotes
    python -m engine.solve < positions.txt             or on standard input, one per line

A position is four rows of hex digits or dots, then the piece in hand, or - when a piece is to be
given. Values are for the player to move, placing or giving: win, draw or loss if both play
perfectly. A distance counts placements: a win in 1 is there now. In a best line, a move marked with
! is the only one that keeps the value. Texts that are not positions are reported on stderr, the
others are still answered, and the exit code is 2.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from console.command import command
from console.config import Config, argument, option
from console.errors import BadInput
from console.progress import Progress
from engine.exact.solver import WORDS, Analysis, Solver, line_names
from engine.notation import move_name
from engine.position import NONE, Position

DEFAULT_TABLE = 4.0
PROOF_NODES = 349_652_831  # of the empty board with the default table, for the time left
PROVING = "proving the value of the empty board (half a minute)"


class SolveOptions(Config):
    """Which positions to solve, what to report about each, and how to search."""

    positions: list[str] = argument(
        "like '4.../c.b./7.1./3ed. 0'; without one: standard input", metavar="POSITION"
    )
    moves: bool = option(False, "also the value of every legal move")
    distance: bool = option(False, "also in how many placements the game is won or lost")
    line: bool = option(False, "also a best line to the end of the game")
    table: float = option(DEFAULT_TABLE, "size of the table", metavar="MIB")
    book: bool = option(True, "search without the book; the empty board is always proved so")

    def solver(self, book: bool) -> Solver:
        try:
            return Solver(self.table, book)
        except (ValueError, OverflowError, MemoryError) as error:
            raise BadInput(f"--table {self.table:g}: {error}") from None


class Solve(SolveOptions):
    json: bool = option(False, "one JSON object per position")


class PositionReader:
    """Reads positions from the command line, or else from stdin, and reports other texts on
    stderr. `count`: texts so far; `bad`: those that are not positions."""

    def __init__(self, arguments: list[str]):
        self.arguments, self.count, self.bad = arguments, 0, 0

    def __iter__(self) -> Iterator[Position]:
        texts: Iterable[tuple[str, str]] = ()
        if self.arguments:
            texts = ((f"argument {i}", text) for i, text in enumerate(self.arguments, 1))
        elif not sys.stdin.isatty():
            texts = ((f"line {i}", line) for i, line in enumerate(sys.stdin, 1) if line.strip())
        for where, text in texts:
            self.count += 1
            try:
                position = Position.parse(text)
            except ValueError as error:
                self.bad += 1
                print(f"{where}: {error}", file=sys.stderr, flush=True)
            else:
                yield position


def answer(
    solver: Solver,
    position: Position,
    options: SolveOptions,
    watch: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Return what the options ask about a position. The solver calls `watch` during a search."""
    before, started = solver.nodes, time.perf_counter()
    result: dict[str, Any] = {"position": position.to_text()}
    if options.moves:
        result |= _every_move(position, solver.analyse(position, watch, options.distance))
    else:
        result["value"] = solver.solve(position, watch)
        if options.distance:
            result["distance"] = solver.distance(position, watch)
    if options.line:
        result["line"] = line_names(position, solver.best_line(position, watch))
    seconds = round(time.perf_counter() - started, 6)
    return result | {"nodes": solver.nodes - before, "seconds": seconds}


def _every_move(position: Position, analysis: Analysis) -> dict[str, Any]:
    name = partial(move_name, position)
    result: dict[str, Any] = {
        "value": analysis.value,
        "kind": "give" if position.hand == NONE else "place",
        "moves": {name(move): value for move, value in analysis.moves.items()},
        "only": None if analysis.only is None else name(analysis.only),
    }
    if analysis.distances is not None:
        distances = {name(move): distance for move, distance in analysis.distances.items()}
        result |= {"distance": analysis.distance, "distances": distances}
    return result


def as_text(result: dict) -> str:
    distance = f" in {result['distance']}" if result.get("distance") else ""
    lines = [f"{result['position']}  {WORDS[result['value']]}{distance}"]
    for value, word in WORDS.items():
        moves = [move for move, v in result.get("moves", {}).items() if v == value]
        if moves:
            names = " ".join(_with_distance(result, move) for move in moves)
            lines.append(f"  {result['kind']} {word:4}  {names}")
    if result.get("only"):
        lines.append(f"  only move   {result['only']}")
    if result.get("line"):
        lines.append(f"  best line   {' '.join(result['line'])}")
    return "\n".join(lines)


def _with_distance(result: dict, move: str) -> str:
    distance = result.get("distances", {}).get(move)
    return f"{move} (in {distance})" if distance else move


def print_answer(result: dict, as_json: bool) -> None:
    print(json.dumps(result) if as_json else as_text(result), flush=True)


def print_proof(result: dict, as_json: bool) -> None:
    print_answer(result, as_json)
    if not as_json:
        print(f"nodes     {result['nodes']:,}")
        print(f"nodes/s   {result['nodes'] / result['seconds']:,.0f}")
        print(f"time      {result['seconds']:.1f} s")


def solve_all(config: Solve) -> int:
    solver, searcher = config.solver(config.book), config.solver(book=False)
    reader = PositionReader(config.positions)

    def watched(solver: Solver, position: Position, expected: int | None = None) -> dict[str, Any]:
        before = solver.nodes
        with Progress("solving", "nodes", expected) as progress:
            return answer(solver, position, config, lambda: progress.show(solver.nodes - before))

    for position in reader:
        print_answer(watched(solver, position), config.json)
    if not reader.count:
        print(PROVING, file=sys.stderr, flush=True)
        expected = PROOF_NODES if config.table == DEFAULT_TABLE else None
        print_proof(watched(searcher, Position.start(), expected), config.json)
    return 2 if reader.bad else 0


main = command("engine.solve", __name__, __doc__, Solve, solve_all)
