"""Pages of runs as HTML files that open offline and as JSON for the server: the state of the run, a
large figure, the card of its player, then tables and figures."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

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
    # a figure, or several by name, of which the reader chooses one
    figure: Any = None
    text: str = ""
    # commands to type, by what they do
    commands: dict[str, str] = field(default_factory=dict)
    # whether the reader has to open it
    folded: bool = False

    @property
    def figures(self) -> dict[str, Any]:
        if isinstance(self.figure, dict):
            return self.figure
        return {} if self.figure is None else {self.title: self.figure}

    def as_json(self) -> dict[str, Any]:
        section: dict[str, Any] = {"title": self.title, "text": self.text, "folded": self.folded}
        section["commands"] = self.commands
        if self.rows:
            rows = [list(row) for row in self.rows]
            section |= {"rows": rows, "numbers": numeric_columns(self.rows)}
        section["figures"] = {name: figure_json(figure) for name, figure in self.figures.items()}
        return section


def figure_json(figure: Any) -> Any:
    """Return a figure without links: plotly renders `<a href>`, and names of players may come from
    a received run."""
    # plotly's own text hides every `<` behind an escape
    return json.loads(MARKUP.sub("&lt;", json.dumps(json.loads(figure.to_json()))))


class Bar(NamedTuple):
    """A bar of a card: a share in percent. `own`: whether it is the card's own player."""

    name: str
    share: float
    text: str
    own: bool = False


@dataclass(frozen=True)
class Card:
    """The player that a run has made, or its winner: what it is, and its strength beside players
    that everyone can try. `scale`: what the bars show."""

    title: str
    text: str
    scale: str = ""
    bars: Sequence[Bar] = ()
    commands: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return vars(self) | {"bars": [bar._asdict() for bar in self.bars]}


@dataclass(frozen=True)
class State:
    """How far a run has come: running, done or stopped; steps done, in words and as a share; the
    time left in words."""

    name: str
    how_far: str
    share: float | None = None
    left: str = ""


@dataclass(frozen=True)
class Page:
    """The page of a run, in the order in which it is shown: state, facts (key figures by name), the
    large figure, the card of its player, sections. `remarks`: what is missing; `player`: spec of
    the player that the run produced; `pace`: seconds for each step."""

    title: str
    about: str
    sections: Sequence[Section]
    facts: dict[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    player: str = ""
    hero: Section | None = None
    card: Card | None = None
    state: State | None = None
    pace: float | None = None

    def as_json(self) -> dict[str, Any]:
        page = vars(self) | {"remarks": list(self.remarks)}
        page["sections"] = [section.as_json() for section in self.sections]
        page["hero"] = self.hero and self.hero.as_json()
        page["card"] = self.card and self.card.as_json()
        page["state"] = self.state and vars(self.state)
        return page

    def as_html(self, refresh: float | None = None) -> str:
        """Return one file that opens offline; the browser reloads it every `refresh` seconds."""
        from plotly.offline import get_plotlyjs

        again = f'<meta http-equiv="refresh" content="{refresh:g}">' if refresh else ""
        parts = [*self.sections, *filter(None, [self.hero])]
        has_figure = any(section.figures for section in parts)
        plotly = get_plotlyjs() if has_figure else ""
        return offline_page(self.title, self.as_json(), "report", refresh=again, plotly=plotly)


def configuration(
    run: Run,
    kind: Kind,
    config: dict[str, Any],
    words: Sequence[str] = (),
    more: dict[str, str] | None = None,
) -> Section:
    """Return the configuration with commands: `words` (module and options) makes and resumes the
    run, `more`: other commands, by their purpose."""
    commands = {}
    if words:
        commands["makes and resumes this run"] = command_line(*words, "--store", run.address)
    rows = [["setting", "value"], *map(list, kind.settings(config).items())]
    return Section("Configuration", rows, commands=commands | (more or {}), folded=True)


def play_command(player: str) -> dict[str, str]:
    """Return the command to play against a player, by its purpose; none without a player."""
    return {"in a terminal": command_line("terminal", "human", player)} if player else {}


def champion_of(run: Run, kind: Kind) -> str:
    """Return the spec of the player that the run has made, or "" if it cannot be read."""
    with suppress(StoreError):
        return kind.champion(Summary(run, run.folder.infos()))
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
