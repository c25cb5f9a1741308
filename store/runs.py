"""Find the runs in a folder, and delete one."""

import os
from collections.abc import Mapping
from contextlib import suppress

import pyarrow.fs as fs

from store import lock, parquet
from store.folder import TEMPORARY, Folder, StoreError
from store.kinds import MIND, Kind
from store.run import ENDING, OWN_FILES, Run
from store.summary import Summary, size_text

HERE = "runs"
DEPTH = 2  # of folders in folders in which runs are looked for


def find_runs(address: str, kinds: Mapping[str, Kind], depth: int = DEPTH) -> list[Summary]:
    """Return the run at an address and those in the folders inside it, the newest first. `kinds`:
    descriptions of kinds of runs by name."""
    folder = Folder(address)
    visible = [info for info in folder.infos() if not info.base_name.startswith(".")]
    steps = [info for info in visible if info.base_name.endswith(ENDING)]
    is_run = any(is_step(folder, one) for one in steps)
    found = [Summary(Run(address), steps, kinds)] if is_run else []
    for inner in folder.infos(kind=fs.FileType.Directory) if depth else []:
        if not inner.base_name.startswith("."):
            # a folder that may not be read is skipped
            with suppress(StoreError):
                found += find_runs(f"{folder.address}/{inner.base_name}", kinds, depth - 1)
    return sorted(found, key=lambda one: one.time, reverse=True)


def is_step(folder: Folder, info: fs.FileInfo) -> bool | None:
    """Whether a file is a step of a run; None if it is damaged and does not tell."""
    try:
        with folder.files.open_input_file(info.path) as file:
            return f"{parquet.read_step(file)}{ENDING}" == info.base_name
    except Exception:
        return None


def summary_of(address: str, kinds: Mapping[str, Kind]) -> Summary:
    here = find_runs(address, kinds, depth=0)
    if not here:
        raise StoreError(f"{address}: holds no run")
    return here[0]


def remove(address: str) -> str:
    """Delete a run; what was done, in a line. The last steps go first, so that what a kill leaves
    is a run, too."""
    summary = summary_of(address, {})
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
