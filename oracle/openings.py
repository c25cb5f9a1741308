"""Openings: how many positions there are, their exact values, and their results in recorded games.

    python -m oracle.openings                 the positions of the book by pieces and exact value
    python -m oracle.openings RUN ...         also those that occurred in recorded tournaments
                                             (python -m arena.run ... --record)
    python -m oracle.openings --pieces 3      some positions of three pieces, those lost first

Positions are canonical: one stands for all equivalent ones, and its hand is piece 0. Values, wins,
draws, losses and points are those of the player to place.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from agents.outcomes import OutcomeTable, Results
from arena.collect import collect
from arena.recorded import game_steps, read_games
from console.command import command
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

LISTED = 4  # pieces; positions of more are counted but not listed: there are millions
WITH_RUNS = 2
COUNTS = ("games", "wins", "draws", "losses")


class OpeningsConfig(Config):
    runs: list[str] = argument("recorded tournaments", metavar="RUN")
    pieces: int | None = option(
        None,
        f"show positions of N pieces (default {WITH_RUNS} with a run, else none)",
        least=0,
        metavar="N",
    )
    count: int = option(20, "number of positions to show", least=1, metavar="N")
    json: bool = option(False, "print one JSON object instead of tables")

    def check(self) -> None:
        if self.pieces is None and self.runs:
            self.pieces = WITH_RUNS
        if self.pieces is not None and self.pieces > book_pieces():
            more = f"the book goes to {book_pieces()}; {command_line('oracle.book')} makes it"
            raise BadInput(f"--pieces {self.pieces}: {more}")


class Level(NamedTuple):
    """Numbers of canonical positions of `pieces` pieces and a hand."""

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
    """Count positions by the book; six pieces take some seconds."""
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
    """Return the exact values of canonical positions in the range of the book."""
    values = np.zeros(len(keys), np.int8)
    ask_book(keys, values, memory_with(book_words(), LEAST_TABLE))
    # the book does not hold positions that are won at once
    values[[winning_cells(from_key(key, True)) != 0 for key in keys]] = 1
    return values


def every_position(pieces: int) -> np.ndarray:
    """Return the canonical keys of all positions of `pieces` pieces: lost, then drawn, then won."""
    keys = np.concatenate([np.concatenate(portion) for portion in portions(pieces)])
    return keys[np.lexsort((keys, values_of(keys)))]


def met(runs: Sequence[str], pieces: int) -> Results:
    """Return the positions of `pieces` pieces in recorded games, most frequent first."""
    table = OutcomeTable.empty()
    readers = [Run(address) for address in runs]
    steps = [(run, step) for run in readers for step in game_steps(run)]
    with Progress("games", "matches", len(steps)) as progress:
        for run, step in steps:
            # the first game of a match has index 0
            outcomes = collect(*read_games(run, step), 0, pieces, False).exact
            chosen = outcomes.rows(placed_of(outcomes.key) == pieces)
            table = table.add(OutcomeTable(chosen, Results.none()))
            progress.add(1)
    return table.exact.rows(np.lexsort((table.exact.key, -table.exact.visits)))


def as_rows(results: Results) -> list[dict[str, Any]]:
    """Return for each position its exact value and its results, if there are any."""
    rows = []
    for key, value, *counts in zip(results.key, values_of(results.key), *results[1:], strict=True):
        row = {"position": from_key(key, True).to_text(), "value": int(value)}
        if counts[0]:
            row |= dict(zip(COUNTS, map(int, counts), strict=True))
            row["points"] = round((row["wins"] + row["draws"] / 2) / row["games"], 4)
        rows.append(row)
    return rows


def shown(config: OpeningsConfig) -> tuple[list[dict[str, Any]], int]:
    """Return the rows that are shown, and the number of all."""
    if config.pieces is None or (config.pieces > LISTED and not config.runs):
        return [], 0
    if config.runs:
        results = met(config.runs, config.pieces)
    else:
        keys = every_position(config.pieces)
        results = Results.of_counts(keys, np.zeros((len(keys), 3), np.int64))
    return as_rows(results.rows(np.arange(min(config.count, len(results.key))))), len(results.key)


def text_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    text = [["position", "value", *((*COUNTS, "points") if "games" in rows[0] else ())]]
    for row in rows:
        text.append([row["position"], WORDS[row["value"]]])
        if "games" in row:
            counts = (f"{row[name]:,}" for name in COUNTS)
            text[-1] += [*counts, f"{100 * row['points']:.1f} %"]
    return text


def count_and_print(config: OpeningsConfig) -> None:
    rows, total = shown(config)
    most = max(config.pieces or 0, min(LISTED, book_pieces()))
    levels = [count_level(pieces) for pieces in range(most + 1)]
    if config.json:
        counts = [level._asdict() for level in levels]
        print(json.dumps({"levels": counts, "positions": rows, "of": total}))
        return
    header = [name.replace("_", " ") for name in Level._fields]
    counts_text = [[f"{number:,}" for number in level] for level in levels]
    print_table([header, *counts_text], "canonical positions with a piece in hand")
    if rows:
        order = ", by number of games" if config.runs else ""
        print()
        title = f"{len(rows)} of {total:,} positions of {config.pieces} pieces{order}"
        print_table(text_rows(rows), title)


main = command("oracle.openings", __name__, __doc__, OpeningsConfig, count_and_print)
