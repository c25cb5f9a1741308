"""The folder of a guest program: the files that are sent to workers (workers/shared.py), and their
digest."""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

MOST_FILES, MOST_BYTES = 5000, 64 * 2**20
# Not part of a program: leftovers of tools and runs.
LEFT_OUT = ("__pycache__", "node_modules", "runs")


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a fixed order, without hidden ones and virtual environments."""
    for place, folders, names in os.walk(folder):
        there = Path(place)
        inside = sorted(name for name in folders if name not in LEFT_OUT and name[0] != ".")
        folders[:] = [name for name in inside if not (there / name / "pyvenv.cfg").exists()]
        for name in sorted(names):
            if name[0] != "." and (there / name).is_file():
                yield there / name


def files_of(folder: Path) -> tuple[list[Path], bool]:
    """Return the files of a folder, and whether the list was cut off at the limits."""
    files, size = [], 0
    for file in _walk(folder):
        files.append(file)
        size += file.stat().st_size
        if len(files) > MOST_FILES or size > MOST_BYTES:
            return files, True
    return files, False


def digest_of(path: str) -> str:
    """Return a checksum of names and contents, or size and time of a file that is too large to
    send; empty if there is no such folder."""
    if not Path(path).is_dir():
        return ""
    checksum = 0
    for file in files_of(Path(path))[0]:
        state = file.stat()
        small = state.st_size <= MOST_BYTES
        text = file.read_bytes() if small else b"%d %d" % (state.st_size, state.st_mtime_ns)
        checksum = zlib.crc32(text, zlib.crc32(file.name.encode(), checksum))
    return f"{checksum:08x}"
