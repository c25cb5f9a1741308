"""Find the runs in a folder, and delete one."""

import os
from collections.abc import Mapping
from contextlib import suppress

import pyarrow.fs as fs

from store import lock, parquet
from store.folder import TEMPORARY, Folder, StoreError
from store.kinds import MIND, Kind, Summary, size_text
from store.run import ENDING, OWN_FILES, Run

HERE = "runs"
DEPTH = 2  # of nested folders that are searched for runs


def find_runs(address: str, kinds: Mapping[str, Kind], depth: int = DEPTH) -> list[Summary]:
    """Return the run at an address and those in nested folders, newest first. `kinds` are
    descriptions of kinds of runs by name."""
    folder = Folder(address)
    steps = [
        info
        for info in folder.infos()
        if info.base_name.endswith(ENDING) and not info.base_name.startswith(".")
    ]
    is_run = any(is_step(folder, info) for info in steps)
    runs = [Summary(Run(address), steps, kinds)] if is_run else []
    for inner in folder.infos(fs.FileType.Directory) if depth else []:
        if not inner.base_name.startswith("."):
            # a folder without read permission is skipped
            with suppress(StoreError):
                runs += find_runs(f"{folder.address}/{inner.base_name}", kinds, depth - 1)
    return sorted(runs, key=lambda run: run.time, reverse=True)


def is_step(folder: Folder, info: fs.FileInfo) -> bool | None:
    """Return whether a file is a step of a run; None if it is damaged."""
    try:
        with folder.files.open_input_file(info.path) as file:
            return f"{parquet.read_step(file)}{ENDING}" == info.base_name
    except Exception:
        return None


def summary_of(address: str, kinds: Mapping[str, Kind]) -> Summary:
    runs = find_runs(address, kinds, depth=0)
    if not runs:
        raise StoreError(f"{address}: holds no run")
    return runs[0]


def remove(address: str) -> str:
    """Delete a run and return a line that describes what was deleted. The last steps go first, so
    that a killed deletion leaves a valid run."""
    summary = summary_of(address, {})
    folder = summary.run.folder
    if not folder.remote and os.path.islink(folder.root):
        raise StoreError(f"{address}: is a symbolic link; name the folder that it leads to")
    release = lock.take(folder)
    try:
        files = files_of_run(folder)
        folder.remove(sorted((info.base_name for info in files), reverse=True))
    finally:
        release()
    others = folder.remove_if_empty()
    stays = f"; not of the run, and still there: {', '.join(others)}" if others else ""
    size = size_text(sum(info.size for info in files))
    return f"removed {summary.run.address}: {len(files)} files, {size}{stays}"


def files_of_run(folder: Folder) -> list[fs.FileInfo]:
    """Return the steps of a run and the files that commands write beside them. A damaged file
    belongs to the run if its name is that of a step of this run."""
    infos = {info.base_name: info for info in folder.infos()}
    valid = {name: is_step(folder, infos[name]) for name in infos if name.endswith(ENDING)}
    prefixes = {MIND, *(_prefix(name) for name, is_valid in valid.items() if is_valid)}

    def is_of_run(name: str) -> bool:
        if name in OWN_FILES or name.startswith(TEMPORARY):
            return True
        is_valid = valid.get(name, False)
        return _prefix(name) in prefixes if is_valid is None else is_valid

    return [info for name, info in infos.items() if is_of_run(name)]


def _prefix(file: str) -> str:
    """Return `generation` for generation-00007.parquet."""
    return file.removesuffix(ENDING).partition("-")[0]
