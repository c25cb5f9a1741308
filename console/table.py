"""Tables: by rich on a terminal, as HTML in a notebook, as aligned text elsewhere."""

import re
import sys
from collections.abc import Sequence
from html import escape
from typing import Literal

from console.typed import printable

# 1,234  -0.5  −3  1e-05  94.4 %
NUMBER = re.compile(r"[-+−]?[\d,]+(\.\d+)?(e[-+]?\d+)?( ?%)?|nan")
MIN_TEXT = 8  # characters of a readable column of text
Rows = Sequence[Sequence[str]]  # the first row is the header


def print_table(rows: Rows, title: str = "") -> None:
    # rich takes 16 ms to import
    import rich.box
    import rich.console
    import rich.table

    rows = [[printable(cell) for cell in row] for row in rows]
    # names of players may look like markup or emoji codes
    console = rich.console.Console(markup=False, emoji=False, highlight=False)
    text, numeric = aligned(rows), numeric_columns(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    borders = 3 * len(widths) + 1
    columns = zip(widths, numeric, strict=True)
    # the width without a wrapped cell, and without a wrapped number
    whole = sum(widths) + borders
    needed = sum(width if is_number else MIN_TEXT for width, is_number in columns) + borders
    tight = whole > console.width >= len(max(text.splitlines(), key=len))
    if not sys.stdout.isatty() or tight or needed > console.width:
        print("\n".join(filter(None, [title, text])))
        return
    table = rich.table.Table(title=title or None, title_justify="left", box=rich.box.SIMPLE_HEAD)
    for name, is_number in zip(rows[0], numeric, strict=True):
        justify: Literal["left", "right"] = "right" if is_number else "left"
        table.add_column(name, justify=justify, no_wrap=is_number, overflow="fold")
    for row in rows[1:]:
        table.add_row(*row)
    console.print(table)


def aligned(rows: Rows) -> str:
    """Return the table with padded columns, numbers aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = numeric_columns(rows)
    lines = [
        "  ".join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, right, strict=True)
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def as_html(rows: Rows, title: str = "") -> str:
    """Return the table for a notebook, all text escaped, numbers aligned to the right."""
    sides = ["right" if is_number else "left" for is_number in numeric_columns(rows)]
    lines = []
    for i, row in enumerate(rows):
        tag = "td" if i else "th"
        cells = (
            f'<{tag} style="text-align: {side}">{escape(printable(cell), quote=False)}</{tag}>'
            for cell, side in zip(row, sides, strict=True)
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    text = escape(printable(title), quote=False)
    caption = f'<caption style="text-align: left">{text}</caption>' if title else ""
    head, *body = lines
    return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def numeric_columns(rows: Rows) -> list[bool]:
    """For each column, whether it holds only numbers."""
    columns = range(len(rows[0]))
    return [all(NUMBER.fullmatch(row[i]) for row in rows[1:] if row[i]) for i in columns]
