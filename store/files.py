"""The files of a run: which file holds a step, and the merging of small files into segments.

Small files are for the tail of a run. When the last files of a kind have enough steps, the writer
merges them into one. A kill at any moment loses nothing: the files that were merged are removed
after the segment is there, and until then the segment counts.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from store import parquet
from store.conditional import remove_files, write_once
from store.folder import DamagedFile, Folder, MissingFile, StoreError
from store.schema import SchemaError, values_in
from store.step_file import (
    FORMAT,
    OLDEST,
    Step,
    StepFile,
    WrongFormat,
    joined,
    locate,
    pack,
    prefix_of,
    steps_in,
)

ENDING = ".parquet"
ONCE = re.compile(r"(?!part-).*-\d+")  # files that are never written again
FULL = 64  # steps of a file from which on it is not merged any more
SMALL = 256_000  # bytes of a file that may be merged
AT_HAND = 64_000  # bytes of a file whose steps stay in memory until it is merged
MOST_VALUES = 2_000_000  # of a merged file
MOST_FILES = 500  # that are merged into one
OPEN = 4  # segments that stay in memory, because their steps are often read in order


class Files:
    """Files of a folder by the steps that they hold: as last seen, and as written since."""

    def __init__(self, folder: Folder):
        self.folder = folder
        self.held: dict[str, str] = {}
        self.opened: dict[str, StepFile] = {}
        # by prefix: the last files, which together have too few steps for a segment, with their
        # steps if these are at hand
        self.tails: dict[str, dict[str, list[Step] | None]] = {}

    def look(self) -> set[str]:
        """List the folder. Return the files whose steps are all in other files, too."""
        names = self.folder.names()
        files = {name.removesuffix(ENDING) for name in names if name.endswith(ENDING)}
        self.held = locate(files)
        return files.difference(self.held.values())

    def begin_writing(self) -> None:
        """Remove what a killed writer has merged, and find the tails."""
        self.remove_files(self.look())
        for file in dict.fromkeys(self.held[step] for step in sorted(self.held)):
            tail = self._add_to_tail(file, 0)
            if len(tail) > MOST_FILES:  # of an earlier version
                del tail[next(iter(tail))]

    def write(self, steps: list[Step], about: dict[str, Any]) -> None:
        """Write steps of one kind; consecutive ones share a file."""
        for together in joined(steps):
            self._write_file(together, about)
        self.merge(prefix_of(steps[0].name), about)

    def _write_file(self, steps: list[Step], about: dict[str, Any]) -> str:
        file, data = pack(steps, about)
        if self.folder.remote and ONCE.fullmatch(file):
            write_once(self.folder, file + ENDING, data)
        else:
            self.folder.write(file + ENDING, data)
        self.opened.pop(file, None)
        self.held |= dict.fromkeys((step.name for step in steps), file)
        self._add_to_tail(file, len(data), steps)
        return file

    def _add_to_tail(
        self, file: str, size: int, steps: list[Step] | None = None
    ) -> dict[str, list[Step] | None]:
        """Add a file to the tail of its kind, if it is small. Return the tail."""
        names = steps_in(file)
        prefix = prefix_of(names[0])
        tail = self.tails.setdefault(prefix, {})
        if size > SMALL or len(names) >= FULL:
            tail.clear()
        elif prefix != names[0]:
            tail[file] = steps if size <= AT_HAND else None
        return tail

    def merge(self, prefix: str, about: dict[str, Any], at_end: bool = False) -> None:
        """Merge the last files of a kind once they have enough steps for a segment. `at_end`: of
        the run, also if they have fewer."""
        files = self.tails.get(prefix, {})
        count = sum(len(steps_in(file)) for file in files)
        if len(files) < 2 or count < (4 if at_end else FULL):
            return
        self.tails[prefix] = {}
        try:
            lists = (known or self.ask(file, StepFile.all) for file, known in files.items())
            steps = [step for known in lists for step in known]
        except StoreError:
            return  # the command that reads the file says what to do
        small = sum(values_in(step.table) for step in steps) <= MOST_VALUES
        if small and len([*joined(steps)]) == 1:
            merged = self._write_file(steps, about)
            self.remove_files(set(files) - {merged})

    def remove(self, steps: Iterable[str]) -> None:
        """Remove the files of which all steps are among these."""
        gone = set(steps)
        files = {self.held[step] for step in gone.intersection(self.held)}
        files = {file for file in files if gone.issuperset(steps_in(file))}
        self.held = {step: file for step, file in self.held.items() if file not in files}
        for tail in self.tails.values():
            for file in files.intersection(tail):
                del tail[file]
        self.remove_files(files)

    def remove_files(self, files: Iterable[str]) -> None:
        for file in files:
            self.opened.pop(file, None)
        remove_files(self.folder, [file + ENDING for file in sorted(files)])

    def ask_step(self, step: str, question: Callable[[StepFile], Any], writing: bool) -> Any:
        """Return the answer of the file that holds a step."""
        try:
            return self.ask(self.held.get(step, step), question)
        except MissingFile:
            if writing:
                raise
            # the writer may have merged it since
            self.look()
            return self.ask(self.held.get(step, step), question)

    def ask(self, file: str, question: Callable[[StepFile], Any]) -> Any:
        """Return the answer of a file. Raise StoreError, which names the file."""
        name = f"{self.folder.address}/{file}{ENDING}"
        try:
            opened = self.opened.get(file) or StepFile(file, self.folder.read(file + ENDING))
            if len(opened.steps) > 1:
                self.opened |= {file: opened}
                while len(self.opened) > OPEN:
                    self.opened.pop(next(iter(self.opened)), None)
            return question(opened)
        except parquet.Damaged as error:
            problem = f"{name}: is damaged: {error}"
            damaged = DamagedFile(
                f"{problem}: delete this file; the command that made the run makes it again"
            )
            damaged.problem = problem
            raise damaged from None
        except (parquet.TooLarge, SchemaError) as error:
            raise StoreError(f"{name}: {error}") from None
        except parquet.Foreign:
            raise StoreError(f"{name}: is Parquet, but not written by this project") from None
        except WrongFormat as error:
            [format] = error.args
            if format < OLDEST:
                old = "was written by version 0.1, whose runs are not read any more: make it again"
                raise StoreError(f"{name}: {old}") from None
            new = f"has format {format}, this program knows up to {FORMAT}: use a newer one"
            raise StoreError(f"{name}: {new}") from None
