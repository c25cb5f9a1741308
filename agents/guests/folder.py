"""The folder that somebody's program lives in: what is in it, and how it gets to a worker.

A worker that has the same folder at the same place, as those on this machine have, plays there;
any other gets a copy. Nothing else is ever sent.
"""

import io
import os
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from console.errors import UserError

MOST_FILES, MOST_BYTES = 5000, 64 * 2**20
# Not a part of a program: what tools and runs leave behind.
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


class SharedFolder:
    """A folder that goes through Ray's object store once, however many tasks name it."""

    def __init__(self, path: str, digest: str):
        self.path, self.digest = path, digest
        self._ref: Any = None

    def __getstate__(self) -> dict:
        import ray

        self._ref = self._ref or ray.put(np.frombuffer(pack(Path(self.path)), np.uint8))
        return {"path": self.path, "digest": self.digest, "_ref": self._ref}

    def place(self) -> str:
        """Where it is on this machine."""
        if self._ref is None or digest_of(self.path) == self.digest:
            return self.path
        import ray

        return unpack(self.digest, ray.get(self._ref).tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedFolder) and self._known == other._known

    def __hash__(self) -> int:
        return hash(self._known)

    @property
    def _known(self) -> tuple[str, str]:
        return self.path, self.digest


def digest_of(path: str) -> str:
    folder = Path(path)
    return Contents.of(folder).digest if folder.is_dir() else ""


def pack(folder: Path) -> bytes:
    """An archive; UserError if it is too large to be sent."""
    contents = Contents.of(folder)
    if contents.too_large:
        most = f"{MOST_BYTES // 2**20} MB or {MOST_FILES:,} files"
        advice = "put the player into a folder of its own, or give --workers 0"
        raise UserError(f"{folder}: has more than the {most} that go to workers: {advice}")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for file in contents.files:
            archive.add(file, file.relative_to(folder), recursive=False)
    return packed.getvalue()


@lru_cache(maxsize=16)
def unpack(digest: str, archive: bytes) -> str:
    """A copy that stays while this process does."""
    folder = tempfile.TemporaryDirectory(prefix=f"quarto-{digest}-")
    _copies.append(folder)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as packed:
        packed.extractall(folder.name, filter="data")
    return folder.name


_copies: list[tempfile.TemporaryDirectory] = []
