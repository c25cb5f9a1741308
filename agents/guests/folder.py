"""The folder of a program that plays: which of its files go to workers (workers/shared.py), and
their digest."""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST_FILES, MOST_BYTES = 5000, 64 * 2**20
# Not part of a program: leftovers of tools and runs.
LEFT_OUT = ("__pycache__", "node_modules", "runs")


class Contents(NamedTuple):
    """The files of a folder that are sent with it."""

    files: tuple[Path, ...]
    size: int
    # there are more than may be sent
    too_large: bool

    @classmethod
    def of(cls, folder: Path) -> "Contents":
        files, size = [], 0
        for file in _walk(folder):
            files.append(file)
            size += file.stat().st_size
            if len(files) > MOST_FILES or size > MOST_BYTES:
                return cls(tuple(files), size, True)
        return cls(tuple(files), size, False)

    @property
    def digest(self) -> str:
        """Changes when the content of a file does. Of a file that is too large to be sent, its size
        and time stand for the content."""
        known = 0
        for file in self.files:
            state = file.stat()
            small = state.st_size <= MOST_BYTES
            text = file.read_bytes() if small else b"%d %d" % (state.st_size, state.st_mtime_ns)
            known = zlib.crc32(text, zlib.crc32(file.name.encode(), known))
        return f"{known:08x}"


def _walk(folder: Path) -> Iterator[Path]:
    """Its files, in an order of their own; hidden ones and environments left out."""
    for place, folders, names in os.walk(folder):
        there = Path(place)
        inside = sorted(name for name in folders if name not in LEFT_OUT and name[0] != ".")
        folders[:] = [name for name in inside if not (there / name / "pyvenv.cfg").exists()]
        for name in sorted(names):
            if name[0] != "." and (there / name).is_file():
                yield there / name


def digest_of(path: str) -> str:
    folder = Path(path)
    return Contents.of(folder).digest if folder.is_dir() else ""
