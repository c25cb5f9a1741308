"""Pages of tables and figures, as HTML files that open offline and as JSON for the server."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from console.errors import BadInput
from console.table import Rows, numeric_columns
from console.typed import command_line
from store.folder import Folder, StoreError
from store.kinds import Kind, Summary
from store.parts import PREFIX
from store.run import Run
from web.pages.offline import offline_page

# the start of a tag; line breaks and the end of a hover's text are the only tags in figures
MARKUP = re.compile("<(?!br>|/?extra>)")


@dataclass(frozen=True)
class Section:
    """A part of a page: a table, a plotly figure, or both, with an explanation."""

    title: str
    rows: Rows | None = None
    figure: Any = None
    text: str = ""
    # commands to type, by what they do
    commands: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the section without links in the figure: plotly renders `<a href>`, and names of
        players may come from a received run."""
        section: dict[str, Any] = {"title": self.title, "text": self.text}
        section["commands"] = self.commands
        if self.rows:
            rows = [list(row) for row in self.rows]
            section |= {"rows": rows, "numbers": numeric_columns(self.rows)}
        if self.figure is not None:
            # plotly's own text hides every `<` behind an escape
            text = json.dumps(json.loads(self.figure.to_json()))
            section["figure"] = json.loads(MARKUP.sub("&lt;", text))
        return section


@dataclass(frozen=True)
class Page:
    """`facts`: key figures by name; `remarks`: what is missing; `player`: spec of the player that
    the run produced."""

    title: str
    about: str
    sections: Sequence[Section]
    facts: dict[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    player: str = ""

    def as_json(self) -> dict[str, Any]:
        sections = [section.as_json() for section in self.sections]
        return vars(self) | {"remarks": list(self.remarks), "sections": sections}

    def as_html(self, refresh: float | None = None) -> str:
        """Return one file that opens offline; the browser reloads it every `refresh` seconds."""
        from plotly.offline import get_plotlyjs

        again = f'<meta http-equiv="refresh" content="{refresh:g}">' if refresh else ""
        has_figure = any(section.figure is not None for section in self.sections)
        plotly = get_plotlyjs() if has_figure else ""
        return offline_page(self.title, self.as_json(), "report", refresh=again, plotly=plotly)


def settings_rows(config: dict[str, Any]) -> list[list[str]]:
    rows = [["setting", "value"]]
    for key, value in config.items():
        if isinstance(value, dict):
            value = ", ".join(f"{name} {item}" for name, item in value.items())
        elif isinstance(value, list):
            value = ", ".join(str(item[0] if isinstance(item, list) else item) for item in value)
        rows.append([key.replace("_", " "), "-" if value is None else str(value)])
    return rows


def configuration(
    run: Run,
    config: dict[str, Any],
    words: Sequence[str] = (),
    more: dict[str, str] | None = None,
    player: str = "",
) -> Section:
    """Return the configuration with commands: `words` (module and options) makes and resumes the
    run, `player` is the spec to play against, `more`: other commands, by their purpose."""
    commands = {}
    if words:
        commands["makes and resumes this run"] = command_line(*words, "--store", run.address)
    if player:
        commands["plays against it"] = command_line("terminal", "human", player)
    return Section("Configuration", settings_rows(config), commands=commands | (more or {}))


def champion_of(run: Run) -> str:
    """Return the spec of the player that the run has made, or "" if it cannot be read."""
    with suppress(StoreError):
        return Kind().champion(Summary(run, run.folder.infos()))
    return ""


def not_yet(run: Run, step: str, words: Callable[[dict[str, Any]], list[str]]) -> None:
    """Raise BadInput with the command that resumes the run if it has only parts of its first step.
    `words`: module and options of that command, by the configuration."""
    if parts := run.steps(f"{PREFIX}{step}-"):
        resume = command_line(*words(run.about(parts[0])["config"]), "--store", run.address)
        raise BadInput(f"{run.address}: its first {step} is not complete yet; to go on: {resume}")


def write_page(out: Path, page: str) -> None:
    """Write a page to the file that the user gave as --out."""
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror}") from None


def replace_page(out: Path, page: str) -> None:
    """Write a page into a run atomically. A link in its place is replaced, not followed: in a
    received run it could point at any file of the user."""
    try:
        Folder(out.parent).write(out.name, page.encode())
    except StoreError as error:
        raise BadInput(f"{error}; name another --out") from None
