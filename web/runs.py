"""The runs of a folder by name. A name that is not in the list is never looked up elsewhere."""

import time
from dataclasses import dataclass
from typing import Any

from console.errors import UserError
from store.folder import Folder
from store.kinds import DAMAGED, RUNNING, STOPPED, Summary
from store.lock import is_held
from store.run import interpreting
from store.runs import find_runs
from web.limits import NAME, Refusal
from web.pages.kinds import KINDS

KEEP_SECONDS = 1.0  # for which a list is used


@dataclass(frozen=True)
class Row:
    """A run as the list shows it."""

    name: str
    kind: str
    state: str
    how_far: str
    champion: str
    time: float
    size: int
    problem: str


class RunList:
    """The runs at an address, listed again on request when the last list is old."""

    def __init__(self, address: str):
        self.folder = Folder(address)
        self.listed_at = -KEEP_SECONDS
        self.summaries: dict[str, Summary] = {}
        # by name: state and files of a run, and the row made of them
        self.rows: dict[str, tuple[Any, Row]] = {}

    def look(self) -> dict[str, Summary]:
        """Return the runs by name. Two threads at once may both read the folder."""
        if time.monotonic() - self.listed_at >= KEEP_SECONDS:
            summaries = find_runs(self.folder.address, KINDS)
            self.summaries = {self.name_of(summary): summary for summary in summaries}
            self.listed_at = time.monotonic()
        return self.summaries

    def name_of(self, summary: Summary) -> str:
        inside = summary.run.address.removeprefix(self.folder.address).strip("/")
        return inside or self.folder.address.rpartition("/")[2] or "run"

    def find(self, name: str) -> Summary:
        """Return the run of this name; raise Refusal if there is none."""
        if name not in self.look():
            # the run may be new
            self.listed_at = -KEEP_SECONDS
        summary = self.look().get(name)
        if summary is None:
            shown = name if len(name) <= NAME else f"{name[:60]}..."
            raise Refusal(f"there is no run {shown!r} in the folder", 404)
        return summary

    def without_addresses(self, sentence: str) -> str:
        """Return an error message that names runs and not paths of this machine."""
        return sentence.replace(f"{self.folder.address}/", "")

    def row(self, name: str, summary: Summary) -> Row:
        """Return the row of a run: the same object until its state or files change."""
        state = "held" if is_held(summary.run.folder) else ""
        files = (state, *((info.base_name, info.size, info.mtime_ns) for info in summary.files))
        cached = self.rows.get(name)
        if not cached or cached[0] != files:
            cached = self.rows[name] = (files, self._row(name, summary, bool(state)))
        return cached[1]

    def _row(self, name: str, summary: Summary, held: bool) -> Row:
        kind, how_far, champion, problem = "?", "", "", ""
        state = RUNNING if held else STOPPED
        try:
            kind, how_far, champion = summary.overview()
            # the state has a column of its own
            how_far = how_far.removesuffix(", done")
            with interpreting(summary.run.address):
                state = summary.state(held)
        except UserError as error:
            problem, state = self.without_addresses(str(error)), DAMAGED
        return Row(name, kind, state, how_far, champion, summary.time, summary.size, problem)

    def every(self) -> list[Row]:
        """Return all runs, the newest first."""
        return [self.row(name, summary) for name, summary in list(self.look().items())]
