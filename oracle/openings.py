"""Openings: how many positions there are, what they are worth, and what games made of them.

    python -m oracle.openings                 the positions of the book by pieces and exact value
    python -m oracle.openings RUN ...         also which of them the games of recorded tournaments
                                             went through (python -m arena.run ... --record)
    python -m oracle.openings --pieces 3      some positions of three pieces, those lost first

Positions are canonical: one stands for all that are equivalent, and its hand is piece 0. Values,
wins, draws, losses and points are those of whoever holds the hand and places it.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.outcomes import OutcomeTable, Results
from arena.collect import collect
from arena.recorded import game_steps, read_games
from console.command import run_command
from console.config import Config, argument, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.exact.boards import cell_classes, piece_classes, placed_of, portions
from engine.exact.book import memory_with, read_book
from engine.exact.book_levels import LEAST_TABLE, ask_book
from engine.exact.solver import WORDS
from engine.jit.interruptible import Calls
from engine.rules import winning_cells
from engine.symmetry import from_key
from store import Run

# Positions of more pieces are counted and looked up, not listed: there are millions.
LISTED = 4
WITH_RUNS = 2


@dataclass(kw_only=True)
class OpeningsConfig(Config):
    """Of which positions, and of whose games."""

    runs: list[str] = argument("recorded tournaments", metavar="RUN")
    pieces: int | None = option(
        None,
        f"positions of so many pieces are shown (default {WITH_RUNS} with a run, else none)",
        kind=int,
        least=0,
        metavar="N",
    )
    count: int = option(20, "so many of them", least=1, metavar="N")
    json: bool = option(False, "print one JSON object instead of tables")

    def check(self) -> None:
        if self.pieces is None and self.runs:
            self.pieces = WITH_RUNS
        if self.pieces is not None and self.pieces > book_pieces():
            more = f"the book goes to {book_pieces()}; {command_line('oracle.book')} makes it"
            raise BadInput(f"--pieces {self.pieces}: {more}")


class Level(NamedTuple):
    """How many canonical positions with a hand there are of so many pieces."""

    pieces: int
    positions: int
    won_at_once: int
    won: int
    drawn: int
    lost: int


def book_words() -> np.ndarray:
    words = read_book()
    if words is None:
        raise BadInput(f"there is no book; {command_line('oracle.book')} makes it")
    return words


def book_pieces() -> int:
    return int(book_words()[0])


def count_level(pieces: int) -> Level:
    """By the book, portion by portion: six pieces take some seconds."""
    memory, ask = memory_with(book_words(), LEAST_TABLE), Calls()
    counts = np.zeros(4, np.int64)
    total = len(piece_classes(pieces + 1)) * len(cell_classes(pieces))
    with Progress(f"{pieces} pieces", "portions", total) as progress:
        for quiet, won in portions(pieces):
            values = np.zeros(len(quiet), np.int8)
            ask(ask_book, quiet, values, memory)
            counts += [len(won), *((values == value).sum() for value in WORDS)]
            progress.add(1)
    return Level(pieces, int(counts.sum()), *counts.tolist())


def values_of(keys: np.ndarray) -> np.ndarray:
    """The exact value of canonical positions that the book knows."""
    values = np.zeros(len(keys), np.int8)
    ask_book(keys, values, memory_with(book_words(), LEAST_TABLE))
    # it is silent about those that are won at once
    values[[winning_cells(from_key(key, True)) != 0 for key in keys]] = 1
    return values


def every_position(pieces: int) -> np.ndarray:
    """The canonical keys of all of so many pieces, those lost first, then drawn, then won."""
    keys = np.concatenate([np.concatenate(portion) for portion in portions(pieces)])
    return keys[np.lexsort((keys, values_of(keys)))]


def met(runs: Sequence[str], pieces: int) -> Results:
    """The positions of so many pieces that recorded games went through, the most visited first."""
    table = OutcomeTable.empty()
    readers = [Run(address) for address in runs]
    steps = [(run, step) for run in readers for step in game_steps(run)]
    with Progress("games", "matches", len(steps)) as progress:
        for run, step in steps:
            # the first player gives first in the games of even index, and the first has index 0
            found = collect(*read_games(run, step), 0, pieces, False).exact
            kept = found.rows(placed_of(found.key) == pieces)
            table = table.add(OutcomeTable(kept, Results.none()))
            progress.add(1)
    return table.exact.rows(np.lexsort((table.exact.key, -table.exact.visits)))


def as_rows(results: Results) -> list[dict[str, Any]]:
    """One a position, with its exact value beside what came of it."""
    rows = []
    for key, value, *counts in zip(results.key, values_of(results.key), *results[1:], strict=True):
        games, wins, draws, losses = map(int, counts)
        row: dict[str, Any] = {"position": from_key(key, True).to_text(), "value": int(value)}
        if games:
            points = round((wins + draws / 2) / games, 4)
            row |= {"games": games, "wins": wins, "draws": draws, "losses": losses}
            row |= {"points": points}
        rows.append(row)
    return rows


def shown(config: OpeningsConfig) -> tuple[list[dict[str, Any]], int]:
    """The positions that are shown, and of how many."""
    if config.pieces is None:
        return [], 0
    if config.runs:
        results = met(config.runs, config.pieces)
    elif config.pieces <= LISTED:
        keys = every_position(config.pieces)
        results = Results.of_counts(keys, np.zeros((len(keys), 3), np.int64))
    else:
        return [], 0
    return as_rows(results.rows(np.arange(min(config.count, len(results.key))))), len(results.key)


def text_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    """As a table shows them."""
    columns = ("games", "wins", "draws", "losses")
    counted = "games" in rows[0]
    text = [["position", "value", *((*columns, "points") if counted else ())]]
    for row in rows:
        line = [row["position"], WORDS[row["value"]]]
        if counted:
            line += [f"{row[name]:,}" for name in columns] + [f"{100 * row['points']:.1f} %"]
        text.append(line)
    return text


def count_and_print(config: OpeningsConfig) -> None:
    rows, of = shown(config)
    most = max(config.pieces or 0, min(LISTED, book_pieces()))
    levels = [count_level(pieces) for pieces in range(most + 1)]
    if config.json:
        told = {"levels": [level._asdict() for level in levels], "positions": rows, "of": of}
        print(json.dumps(told))
        return
    header = [name.replace("_", " ") for name in Level._fields]
    counts = [[f"{number:,}" for number in level] for level in levels]
    print_table([header, *counts], "canonical positions with a piece in hand")
    if rows:
        went = ", by games that went there" if config.runs else ""
        print()
        title = f"{len(rows)} of {of:,} positions of {config.pieces} pieces{went}"
        print_table(text_rows(rows), title)


def main(arguments: list[str] | None = None) -> int:
    return run_command("oracle.openings", __doc__, OpeningsConfig, count_and_print, arguments)


if __name__ == "__main__":
    sys.exit(main())
