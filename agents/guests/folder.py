"""The folder of a guest program: the files that are sent to workers (workers/shared.py), and their
digest."""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST_FILES, MOST_BYTES = 5000, 64 * 2**20
# Not part of a program: leftovers of tools and runs.
LEFT_OUT = ("__pycache__", "node_modules", "runs")


class Contents(NamedTuple):
    """The files of a folder."""

    files: tuple[Path, ...]
    size: int
    too_large: bool  # the list was cut off at the limits

    @classmethod
    def of(cls, folder: Path) -> "Contents":
        files, size, too_large = [], 0, False
        for file in _walk(folder):
            files.append(file)
            size += file.stat().st_size
            too_large = len(files) > MOST_FILES or size > MOST_BYTES
            if too_large:
                break
        return cls(tuple(files), size, too_large)

    @property
    def digest(self) -> str:
        """Checksum of names and contents, or size and time of a file that is too large to send."""
        checksum = 0
        for file in self.files:
            state = file.stat()
            small = state.st_size <= MOST_BYTES
            text = file.read_bytes() if small else b"%d %d" % (state.st_size, state.st_mtime_ns)
            checksum = zlib.crc32(text, zlib.crc32(file.name.encode(), checksum))
        return f"{checksum:08x}"


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a fixed order, without hidden ones and virtual environments."""
    for place, folders, names in os.walk(folder):
        there = Path(place)
        inside = sorted(name for name in folders if name not in LEFT_OUT and name[0] != ".")
        folders[:] = [name for name in inside if not (there / name / "pyvenv.cfg").exists()]
        for name in sorted(names):
            if name[0] != "." and (there / name).is_file():
                yield there / name


def digest_of(path: str) -> str:
    """Return the digest of a folder, empty if there is no such folder."""
    folder = Path(path)
    return Contents.of(folder).digest if folder.is_dir() else ""
