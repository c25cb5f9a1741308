"""The runs in a folder: what they are, how two of them differ, and how to get rid of one.

python -m store.runs                     the runs in the folder runs
python -m store.runs FOLDER              those in another folder, or at an s3:// address
python -m store.runs --compare A B       where configuration and result of two runs differ
python -m store.runs --remove RUN        delete a run; files that are not of it stay
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass

import pyarrow.fs as fs

from console.command import run_command
from console.config import Config, argument, option
from console.errors import BadInput
from console.table import print_table
from console.typed import command_line, printable
from store import lock, parquet
from store.folder import TEMPORARY, Folder, StoreError
from store.run import ENDING, OWN_FILES, Run
from store.summary import MIND, Summary, differences, size_text

HERE = "runs"
DEPTH = 2  # of folders in folders in which runs are looked for


@dataclass(kw_only=True)
class Runs(Config):
    where: list[str] = argument(f"a folder with runs (default {HERE})", metavar="FOLDER")
    compare: bool = option(False, "name two runs: where they differ")
    remove: bool = option(False, "name the runs to delete")

    def check(self) -> None:
        if self.compare and self.remove:
            raise BadInput("--compare and --remove: give one of the two")
        if self.compare and len(self.where) != 2:
            raise BadInput(f"--compare: name two runs, {len(self.where)} given")
        if self.remove and not self.where:
            raise BadInput("--remove: name the run to delete")


def work(config: Runs) -> None:
    if config.compare:
        compare(*config.where)
    elif config.remove:
        for address in config.where:
            print(printable(remove(address)))
    else:
        for address in config.where or [HERE]:
            runs = find_runs(address)
            if not runs:
                make = command_line("evo.run")
                raise StoreError(f"{address}: holds no run; make one with: {make}")
            list_runs(runs)


def find_runs(address: str, depth: int = DEPTH) -> list[Summary]:
    """The run at an address and those in the folders inside it, the newest first."""
    folder = Folder(address)
    visible = [info for info in folder.infos() if not info.base_name.startswith(".")]
    steps = [info for info in visible if info.base_name.endswith(ENDING)]
    found = [Summary(Run(address), steps)] if any(is_step(folder, one) for one in steps) else []
    for inner in folder.infos(kind=fs.FileType.Directory) if depth else []:
        if not inner.base_name.startswith("."):
            # one that may not be read is not ours to tell of
            with suppress(StoreError):
                found += find_runs(f"{folder.address}/{inner.base_name}", depth - 1)
    return sorted(found, key=lambda one: one.time, reverse=True)


def is_step(folder: Folder, info: fs.FileInfo) -> bool | None:
    """Whether a file is a step of a run; None if it is damaged and does not tell."""
    try:
        with folder.files.open_input_file(info.path) as file:
            return f"{parquet.read_step(file)}{ENDING}" == info.base_name
    except Exception:
        return None


def list_runs(runs: list[Summary]) -> None:
    title = ["run", "what", "when", "how far", "size", "champion"]
    print_table([title, *(one.row() for one in runs)])


def compare(a: str, b: str) -> None:
    one, other = summary_of(a), summary_of(b)
    rows = differences(one, other)
    if rows:
        print_table([["", one.run.address, other.run.address], *rows])
    else:
        print("no difference in configuration and result")


def summary_of(address: str) -> Summary:
    here = find_runs(address, depth=0)
    if not here:
        raise StoreError(f"{address}: holds no run")
    return here[0]


def remove(address: str) -> str:
    """Delete a run; what was done, in a line. The last steps go first, so that what a kill leaves
    is a run, too."""
    summary = summary_of(address)
    folder = summary.run.folder
    if not folder.remote and os.path.islink(folder.root):
        raise StoreError(f"{address}: is a symbolic link; name the folder that it leads to")
    release = lock.take(folder)
    try:
        gone = files_of_run(folder)
        for info in sorted(gone, key=lambda info: info.path, reverse=True):
            folder.remove(info.base_name)
    finally:
        release()
    others = folder.remove_if_empty()
    stays = f"; not of the run, and still there: {', '.join(others)}" if others else ""
    size = size_text(sum(info.size for info in gone))
    return f"removed {summary.run.address}: {len(gone)} files, {size}{stays}"


def files_of_run(folder: Folder) -> list[fs.FileInfo]:
    """Steps and what commands write beside them. A damaged file is one of them if it is called
    what the steps of this run are called."""
    infos = {info.base_name: info for info in folder.infos()}
    ours = {name: is_step(folder, infos[name]) for name in infos if name.endswith(ENDING)}
    called = {MIND, *(step_name(name) for name, sure in ours.items() if sure)}

    def is_of_run(name: str) -> bool:
        if name in OWN_FILES or name.startswith(TEMPORARY):
            return True
        sure = ours.get(name, False)
        return step_name(name) in called if sure is None else sure

    return [info for name, info in infos.items() if is_of_run(name)]


def step_name(file: str) -> str:
    """`generation` of generation-00007.parquet."""
    return file.removesuffix(ENDING).partition("-")[0]


def main(arguments: list[str] | None = None) -> int:
    return run_command("store.runs", __doc__, Runs, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
