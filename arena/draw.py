"""Drawing of the board, the hand and the pool for a terminal of 80 columns and 24 lines."""

import os
import shutil
import sys
from collections.abc import Sequence
from itertools import zip_longest

from engine.lines import LINES
from engine.notation import cell_name
from engine.position import NONE, Position

LEGEND = """On the board:
  ┌─C─┐           three lines: high, two: low;  C coloured, P plain;
  │███│  ╭─P─╮    corners ┌ square, ╭ round;  filled: solid, else hollow;
  └█f█┘  ╰ 0 ╯    the digit is the piece's name; > < marks the line that has won"""
HEIGHT = 3
POOL_ROW = 6  # pieces
COLUMNS, ROWS = 80, 24
COLOURED, PLAIN, RESET = "\x1b[1;36m", "\x1b[33m", "\x1b[0m"
HOME_AND_CLEAR = "\x1b[H\x1b[2J"
ASCII = str.maketrans("┌┐└┘╭╮╰╯─│█", "++++..''-|#")


def can_redraw() -> bool:
    """Return whether stdout is a terminal that can be cleared and has room for the board."""
    size = shutil.get_terminal_size()
    can_clear = sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return can_clear and size.columns >= COLUMNS and size.lines >= ROWS


def piece_art(piece: int, colour: bool = False) -> list[str]:
    """Return three lines of five characters; NONE is a gap."""
    if piece == NONE:
        return HEIGHT * [5 * " "]
    corners = "┌┐└┘" if piece & 1 else "╭╮╰╯"
    fill = "█" if piece & 2 else " "
    top = f"{corners[0]}─{'C' if piece & 4 else 'P'}─{corners[1]}"
    bottom = f"{corners[2]}{fill}{piece:x}{fill}{corners[3]}"
    lines = [top, f"│{3 * fill}│", bottom] if piece & 8 else [5 * " ", top, bottom]
    if colour:
        lines = [f"{COLOURED if piece & 4 else PLAIN}{line}{RESET}" for line in lines]
    return lines


def cell_art(position: Position, cell: int, marked: bool, colour: bool) -> list[str]:
    """Return the picture of a cell: three lines of seven characters."""
    piece = position.piece_at(cell)
    if piece == NONE:
        return [7 * " ", f"  {cell_name(cell)}   ", 7 * " "]
    left, right = "><" if marked else "  "
    return [f"{left}{line}{right}" for line in piece_art(piece, colour)]


def board_lines(position: Position, marked: int, colour: bool) -> list[str]:
    """Return the picture of a board: 18 lines of 35 characters."""
    rule = "  +" + "-------+" * 4
    lines = ["  " + "".join(f"    {column}   " for column in "1234") + " ", rule]
    for row in range(4):
        cells = [
            cell_art(position, cell, bool(marked >> cell & 1), colour)
            for cell in range(4 * row, 4 * row + 4)
        ]
        for i in range(HEIGHT):
            name = "abcd"[row] if i == 1 else " "
            lines.append(f"{name} |" + "|".join(cell[i] for cell in cells) + "|")
        lines.append(rule)
    return lines


def winning_line(position: Position) -> int:
    """Return the cells of a completed line as a mask, or 0."""
    for line in map(int, LINES if position.is_won else ()):
        pieces = [position.piece_at(cell) for cell in range(16) if line >> cell & 1]
        same = pieces[0] & pieces[1] & pieces[2] & pieces[3]
        neither = ~(pieces[0] | pieces[1] | pieces[2] | pieces[3])
        if NONE not in pieces and (same | neither) & 15:
            return line
    return 0


def side_by_side(pieces: list[int], colour: bool) -> list[str]:
    art = [piece_art(piece, colour) for piece in pieces]
    return [" ".join(lines) for lines in zip(*art, strict=True)]


def draw(position: Position, title: Sequence[str] = (), marked: int = 0) -> str:
    """Return board, hand and pool in 18 lines. `marked` is the mask of a completed line."""
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    hand = "nothing in hand" if position.hand == NONE else "in hand"
    panel = [*title, "", hand, *side_by_side([position.hand], colour), "pool"]
    pool = [piece if position.pool >> piece & 1 else NONE for piece in range(16)]
    for first in range(0, len(pool), POOL_ROW):
        panel += side_by_side(pool[first : first + POOL_ROW], colour)
    rows = zip_longest(board_lines(position, marked, colour), panel, fillvalue="")
    text = "\n".join(f"{left}   {right}".rstrip() for left, right in rows)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(ASCII)
    return text
