"""The files of a run: which file holds a step, and the merging of small files into segments.

Small files are for the tail of a run. When the last files of a kind have enough steps, the writer
merges them into one. A kill at any moment loses nothing: the files that were merged are removed
after the segment is there, and until then the segment counts.
"""

from collections.abc import Callable, Iterable
from typing import Any

from store import parquet
from store.folder import DamagedFile, Folder, MissingFile, StoreError
from store.schema import SchemaError, values_in
from store.step_file import NUMBERED, Step, StepFile, joined, locate, pack, prefix_of, steps_in

ENDING = ".parquet"
FULL = 64  # steps of a segment
LARGE = 1_000_000  # bytes from which on a file is not merged any more
MOST_VALUES = 2_000_000  # of a merged file
OPEN = 4  # segments that stay in memory, because their steps are often read in order


class Files:
    """Files of a folder by the steps that they hold: as last seen, and as written since."""

    def __init__(self, folder: Folder):
        self.folder = folder
        self.held: dict[str, str] = {}
        self.opened: dict[str, StepFile] = {}
        # by prefix: the last files, which together are too small for a segment, with their bytes,
        # and their steps if this program has written them
        self.tails: dict[str, dict[str, tuple[int, list[Step] | None]]] = {}

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
            self._add_to_tail(file, 0)

    def write(self, steps: list[Step], about: dict[str, Any]) -> None:
        """Write steps of one kind; consecutive ones share a file."""
        for together in joined(steps):
            self._write_file(together, about)
        self.merge(prefix_of(steps[0].name), about)

    def _write_file(self, steps: list[Step], about: dict[str, Any]) -> str:
        file, data = pack(steps, about)
        self.folder.write(file + ENDING, data, once=bool(NUMBERED.fullmatch(file)))
        self.opened.pop(file, None)
        self.held |= dict.fromkeys((step.name for step in steps), file)
        self._add_to_tail(file, len(data), steps)
        return file

    def _add_to_tail(self, file: str, size: int, steps: list[Step] | None = None) -> None:
        """Add a file to the tail of its kind, if it is small."""
        names = steps_in(file)
        prefix = prefix_of(names[0])
        tail = self.tails.setdefault(prefix, {})
        if size >= LARGE or len(names) >= FULL:
            tail.clear()
        elif prefix != names[0]:
            tail[file] = size, steps
        if len(tail) > 2 * FULL:  # of an earlier version
            del tail[next(iter(tail))]

    def merge(self, prefix: str, about: dict[str, Any], least: int | None = None) -> None:
        """Merge the last files of a kind once they are large enough for a segment, or have `least`
        steps."""
        tail = self.tails.get(prefix, {})
        count = sum(len(steps_in(file)) for file in tail)
        size = sum(size for size, _ in tail.values())
        if len(tail) < 2 or (count < (least or FULL) and size < LARGE):
            return
        self.tails[prefix] = {}
        try:
            lists = (steps or self.ask(file, StepFile.all) for file, (_, steps) in tail.items())
            merged = [step for steps in lists for step in steps]
        except StoreError:
            return  # the command that reads the file says what to do
        small = sum(values_in(step.table) for step in merged) <= MOST_VALUES
        if small and len([*joined(merged)]) == 1:
            segment = self._write_file(merged, about)
            self.remove_files(set(tail) - {segment})

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
        self.folder.remove([file + ENDING for file in sorted(files)])

    def ask_step(self, step: str, question: Callable[[StepFile], Any], writing: bool) -> Any:
        """Return the answer of the file that holds a step."""
        try:
            return self.ask(self.held.get(step, step), question)
        except MissingFile:
            if writing and step not in self.held:
                raise
            if writing:
                gone = "another program has removed it; the same command goes on from there"
                raise StoreError(f"{self.folder.address}/{step}{ENDING}: {gone}") from None
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
            raise DamagedFile(f"{name}: is damaged: {error}") from None
        except (parquet.Unreadable, SchemaError) as error:
            raise StoreError(f"{name}: {error}") from None
