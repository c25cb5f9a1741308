"""Pages to look at: tables and figures under headings, the results first. The same contents make a
file that opens offline, and what the server shows while a run goes on."""

import html
import json
import os
import re
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from console.errors import BadInput
from console.table import Rows, numeric_columns
from console.typed import command_line
from store.run import Run
from web.pages.palette import CONFIG

# what begins a tag of plotly's that no figure of ours has
MARKUP = re.compile("<(?!br>|/?extra>)")
TEMPLATE = Path(__file__).with_name("page.html")
PLACE = re.compile(r"\{\{(\w+)\}\}")


def fill(template: str, parts: dict[str, str]) -> str:
    """Return the template with each {{name}} replaced. One pass: parts may hold braces, too."""
    return PLACE.sub(lambda found: parts[found[1]], template)


@dataclass(frozen=True)
class Section:
    """A part of a page: a table, a figure of plotly's, or both, and a sentence about them."""

    title: str
    rows: Rows | None = None
    figure: Any = None
    text: str = ""
    # what to type, each under what it does
    commands: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"title": self.title, "text": self.text, "commands": self.commands}
        if self.rows:
            told |= {"rows": [list(row) for row in self.rows], "numbers": self.numbers}
        if self.figure is not None:
            told["figure"] = self.drawn
        return told

    @property
    def drawn(self) -> Any:
        """The figure as JSON, in which no text is a link: plotly makes links of `<a href>`, and
        names of players may come from a run of somebody else's."""
        return _without_markup(json.loads(self.figure.to_json()))

    @property
    def numbers(self) -> list[bool]:
        """Which columns hold numbers."""
        return numeric_columns(self.rows) if self.rows else []

    def as_html(self) -> str:
        parts = [f"<section><h2>{html.escape(self.title)}</h2>"]
        parts += [f"<p>{html.escape(self.text)}</p>"] if self.text else []
        if self.rows:
            parts.append(html_table(self.rows, self.numbers))
        for about, command in self.commands.items():
            parts.append(f"<p>{html.escape(about)}</p><pre>{html.escape(command)}</pre>")
        if self.figure is not None:
            from plotly.io import to_html

            options = {"full_html": False, "include_plotlyjs": False, "validate": False}
            parts.append(to_html(self.drawn, config=CONFIG, **options))
        return "\n".join([*parts, "</section>"])


def _without_markup(value: Any) -> Any:
    """JSON in whose texts only line breaks, and the end of a hover's text, are markup."""
    if isinstance(value, str):
        return MARKUP.sub("&lt;", value)
    if isinstance(value, list):
        return [_without_markup(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_markup(one) for name, one in value.items()}
    return value


@dataclass(frozen=True)
class Page:
    """`facts`: the few figures that say how it stands, by name; `remarks`: what is missing."""

    title: str
    about: str
    sections: Sequence[Section]
    facts: dict[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    # the player that came of it, as it is typed
    player: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "about": self.about,
            "facts": self.facts,
            "remarks": list(self.remarks),
            "player": self.player,
            "sections": [section.as_json() for section in self.sections],
        }

    def as_html(self, refresh: float | None = None) -> str:
        """One file: the plotting library's own script is in it, so it opens without a network.

        `refresh`: seconds after which the open page is read again."""
        from plotly.offline import get_plotlyjs

        again = f'<meta http-equiv="refresh" content="{refresh:g}">' if refresh else ""
        facts = "".join(
            f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
            for name, value in self.facts.items()
        )
        remarks = "".join(f'<p class="remark">{html.escape(one)}</p>' for one in self.remarks)
        parts = {
            "refresh": again,
            "title": html.escape(self.title),
            "about": html.escape(self.about),
            "facts": f"<dl>{facts}</dl>" if facts else "",
            "remarks": remarks,
            "sections": "\n".join(section.as_html() for section in self.sections),
            "plotly": get_plotlyjs() if any(s.figure is not None for s in self.sections) else "",
        }
        return fill(TEMPLATE.read_text(encoding="utf-8"), parts)


def html_table(rows: Rows, numbers: Sequence[bool]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        marked = zip(cells, numbers, strict=True)
        inside = "".join(
            f"<{tag}{' class=number' * number}>{html.escape(cell)}</{tag}>"
            for cell, number in marked
        )
        return f"<tr>{inside}</tr>"

    body = "".join(row(cells, "td") for cells in rows[1:])
    head = row(rows[0], "th") if any(rows[0]) else ""
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def settings_rows(config: dict[str, Any]) -> list[list[str]]:
    """A configuration as a table."""
    rows = [["setting", "value"]]
    for key, value in config.items():
        if isinstance(value, dict):
            value = ", ".join(f"{name} {one}" for name, one in value.items())
        elif isinstance(value, list):
            value = ", ".join(map(str, (one[0] if isinstance(one, list) else one for one in value)))
        rows.append([key.replace("_", " "), "-" if value is None else str(value)])
    return rows


def not_yet(run: Run, first: str, *words: str) -> BadInput:
    """The error that there is nothing to show yet; `words`: module and options that made it."""
    go_on = command_line(*words, "--store", run.address)
    return BadInput(f"{run.address}: its first {first} is not complete yet; to go on: {go_on}")


def write_page(out: Path, page: str, option: str = "--out") -> None:
    """Write a page to a file that the user has named by `option`."""
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{option} {out}: cannot be written: {error.strerror}") from None


def replace_page(out: Path, page: str) -> None:
    """Write a page into a run, whole or not at all. A link at its place is replaced, not followed:
    in a run from elsewhere it could lead to any file of the user's."""
    temporary = out.with_name(f".writing-{uuid.uuid4().hex[:8]}-{out.name}")
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(page)
        os.replace(temporary, out)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise BadInput(f"{out}: cannot be written: {error.strerror}; name another --out") from None
