"""The layout of `--help`: a module's docstring, wrapped to the width of the terminal.

A line of the docstring that is indented, or has two spaces in a row, is an example: a command and
its explanation, which the next lines continue if they are indented far enough. Everything else is
paragraphs.
"""

import argparse
import inspect
import re
import textwrap
from dataclasses import dataclass

WIDEST = 100  # columns: longer lines are tiring to read
COMMANDS = 44  # columns: the explanation of a longer command begins on the next line
FAR = 8  # spaces: a line indented this much further continues the explanation above it
EXAMPLE = re.compile(r"^( *)(.*?)(?:  +(.*))?$")


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps descriptions; options and usage are argparse's."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return laid_out(text, min(width, WIDEST))


@dataclass
class Item:
    """An example, or a paragraph if it has no command."""

    depth: int
    command: str
    text: str

    def head(self) -> str:
        return " " * self.depth + self.command


def laid_out(docstring: str, width: int) -> str:
    """Return the text with lines of at most `width` columns, except for long commands."""
    blocks = re.split(r"\n\n+", inspect.cleandoc(docstring))
    return "\n\n".join(_block(block.splitlines(), width) for block in blocks)


def _block(lines: list[str], width: int) -> str:
    items: list[Item] = []
    for line in lines:
        indent, command, text = EXAMPLE.findall(line)[0]
        depth = len(indent)
        if items and depth >= items[-1].depth + FAR:
            items[-1].text += " " + line.strip()
        elif depth or text:
            items.append(Item(depth, command, text))
        elif items and not items[-1].command:
            items[-1].text += " " + line
        else:
            items.append(Item(0, "", line))
    column = _column_of(items)
    return "\n".join(line for item in items for line in _lines(item, column, width))


def _column_of(items: list[Item]) -> int:
    """Return the column of the explanations: behind the longest command that is not too long."""
    ends = [len(item.head()) for item in items if item.command and item.text]
    return max([end for end in ends if end <= COMMANDS], default=FAR) + 2


def _lines(item: Item, column: int, width: int) -> list[str]:
    if not item.command:
        return textwrap.wrap(item.text, width, break_on_hyphens=False)
    head, indent = item.head(), " " * column
    text = textwrap.wrap(item.text.strip(), width - column, break_on_hyphens=False)
    if text and len(head) < column:
        head, text = head.ljust(column) + text[0], text[1:]
    return [head, *(indent + line for line in text)]
