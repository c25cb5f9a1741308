"""The runs of a folder, by name. The list is what there is: a name that is not in it is not looked
for anywhere else."""

import time
from dataclasses import dataclass
from typing import Any

from console.errors import UserError
from store import StoreError
from store.folder import Folder
from store.lock import is_held
from store.run import interpreting
from store.runs import find_runs
from store.summary import Summary
from web.limits import NAME, Refused
from web.pages.kinds import KINDS

KEEP = 1.0  # seconds for which the list is not made again

DONE, RUNNING, STOPPED, DAMAGED = "done", "running", "stopped", "damaged"


@dataclass(frozen=True)
class Row:
    """A run in a line."""

    name: str
    kind: str
    state: str
    how_far: str
    champion: str
    time: float
    size: int
    problem: str


class RunList:
    """The runs at an address; made again when somebody asks and the last look was long ago."""

    def __init__(self, address: str):
        self.folder = Folder(address)
        self.looked = -KEEP
        self.there: dict[str, Summary] = {}
        # by name: what its files were like, and the row made of them
        self.rows: dict[str, tuple[Any, Row]] = {}

    def look(self) -> dict[str, Summary]:
        """By name. Two threads at once look twice, no more."""
        if time.monotonic() - self.looked >= KEEP:
            summaries = find_runs(self.folder.address, KINDS)
            self.there = {self.name_of(one): one for one in summaries}
            self.looked = time.monotonic()
        return self.there

    def name_of(self, summary: Summary) -> str:
        inside = summary.run.address.removeprefix(self.folder.address).strip("/")
        return inside or self.folder.address.rpartition("/")[2] or "run"

    def find(self, name: str) -> Summary:
        there = self.look()
        if name not in there:
            # it may have just been made
            self.looked = -KEEP
            there = self.look()
        if name not in there:
            shown = name if len(name) <= NAME else f"{name[:60]}..."
            raise Refused(f"there is no run {shown!r} in the folder", 404)
        return there[name]

    def without_addresses(self, sentence: str) -> str:
        """An error as the page tells it: by names, not by where things are on this machine."""
        return sentence.replace(f"{self.folder.address}/", "")

    def row(self, name: str, summary: Summary) -> Row:
        state = "held" if is_held(summary.run.folder) else ""
        files = (state, *((info.base_name, info.size, info.mtime_ns) for info in summary.files))
        known = self.rows.get(name)
        if not known or known[0] != files:
            known = self.rows[name] = (files, self._row(name, summary, bool(state)))
        return known[1]

    def _row(self, name: str, summary: Summary, held: bool) -> Row:
        kind, how_far, champion, problem = "?", "", "", ""
        state = RUNNING if held else STOPPED
        try:
            kind, how_far, champion = summary.overview()
            # as a request names it
            champion = champion.replace(f":run={summary.run.address}", f":run={name}")
            with interpreting(summary.run.address):
                state = DONE if not held and summary.kind.is_done(summary) else state
        except UserError as error:
            problem, state = self.without_addresses(str(error)), DAMAGED
        return Row(name, kind, state, how_far, champion, summary.time, summary.size, problem)

    def every(self) -> list[Row]:
        """The newest first."""
        try:
            there = self.look()
        except StoreError as error:
            raise Refused(self.without_addresses(str(error)), 404) from None
        return [self.row(name, summary) for name, summary in list(there.items())]
