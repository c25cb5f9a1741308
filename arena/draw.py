"""The board drawn large for the terminal.

high      low         C coloured (in colour where the terminal has it), P plain
┌─C─┐                 square corners ┌┐, round corners ╭╮
│███│     ╭─P─╮       filled: solid; blank: hollow
│███│     │   │       the digit below is the piece's name
└─f─┘     ╰─0─╯
"""

import os
import sys

from agents.human import cell_name
from engine.bits import bits_of
from engine.position import NONE, Position

HEIGHT = 4
COLOURED, PLAIN, RESET = "\x1b[1;36m", "\x1b[33m", "\x1b[0m"


def in_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def piece_art(piece: int, colour: bool = False) -> list[str]:
    """Four lines of five characters."""
    corners = "┌┐└┘" if piece & 1 else "╭╮╰╯"
    body = f"│{'███' if piece & 2 else '   '}│"
    letter = "C" if piece & 4 else "P"
    lines = [
        f"{corners[0]}─{letter}─{corners[1]}",
        body,
        body,
        f"{corners[2]}─{piece:x}─{corners[3]}",
    ]
    if not piece & 8:
        lines = [" " * 5, lines[0], body, lines[3]]
    if colour:
        lines = [f"{COLOURED if piece & 4 else PLAIN}{line}{RESET}" for line in lines]
    return lines


def cell_art(position: Position, cell: int, colour: bool) -> list[str]:
    piece = position.piece_at(cell)
    if piece == NONE:
        return [" " * 5, " " * 5, f" {cell_name(cell)}  ", " " * 5]
    return piece_art(piece, colour)


def large_board(position: Position) -> str:
    """Board, hand and pool."""
    colour = in_colour()
    rule = "  +" + "---------+" * 4
    lines = ["       1         2         3         4", rule]
    for row in range(4):
        cells = [cell_art(position, 4 * row + column, colour) for column in range(4)]
        for i in range(HEIGHT):
            name = "abcd"[row] if i == 2 else " "
            lines.append(f"{name} |" + "|".join(f"  {cell[i]}  " for cell in cells) + "|")
        lines.append(rule)
    if position.hand != NONE:
        lines += ["hand", *("  " + line for line in piece_art(position.hand, colour))]
    pool = [piece_art(piece, colour) for piece in bits_of(position.pool)]
    if pool:
        lines.append("pool")
        for first in range(0, len(pool), 8):
            lines += [
                "  " + " ".join(piece[i] for piece in pool[first : first + 8])
                for i in range(HEIGHT)
            ]
    return "\n".join(lines)
