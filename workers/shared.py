"""Large arguments of tasks, which are sent through Ray's object store once for all tasks, with a
checksum."""

import io
import tarfile
import tempfile
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agents.guests.folder import MOST_BYTES, MOST_FILES, digest_of, files_of
from agents.mind import without_zeros
from console.errors import UserError


@dataclass(init=False, unsafe_hash=True)
class SharedArray:
    """A copy of an array. Trailing zeros, such as the unused memory of a search, are not sent."""

    size: int
    dtype: np.dtype
    digest: int
    # None on workers, which use the reference unless the array is empty
    _content: np.ndarray | None = field(compare=False)
    _ref: Any = field(compare=False, default=None)

    def __init__(self, array: np.ndarray) -> None:
        content = self._content = without_zeros(array).copy()
        self.size, self.dtype, self.digest = array.size, array.dtype, zlib.crc32(content.data)

    def copy(self) -> np.ndarray:
        array = np.zeros(self.size, self.dtype)
        content = array[:0] if self._content is None else self._content
        if self._content is None and self._ref is not None:
            import ray

            content = ray.get(self._ref)
        assert zlib.crc32(content.data) == self.digest, "arrived as something else"
        array[: content.size] = content
        return array

    def __getstate__(self) -> dict:
        if self._ref is None and self._content is not None and self._content.size:
            import ray

            self._ref = ray.put(self._content)
        return vars(self) | {"_content": None}


@dataclass(unsafe_hash=True)
class SharedFolder:
    """The folder of a program, with the digest from when its player was made. Workers that have the
    same folder at the same path use it; others get a copy."""

    path: str
    digest: str
    # made with the first task
    _archive: SharedArray | None = field(default=None, compare=False)

    def place(self) -> str:
        """Return the path of the folder on this machine."""
        if self._archive is None or digest_of(self.path) == self.digest:
            return self.path
        return _extract(self.digest, self._archive.copy().tobytes())

    def __getstate__(self) -> dict:
        self._archive = self._archive or SharedArray(np.frombuffer(_archive(self.path), np.uint8))
        return vars(self)


def _archive(path: str) -> bytes:
    """Raise UserError if the folder is too large to be sent."""
    folder = Path(path)
    files, too_large = files_of(folder)
    if too_large:
        most = f"{MOST_BYTES // 2**20} MB or {MOST_FILES:,} files"
        advice = "put the player into a folder of its own, or give --workers 0"
        raise UserError(f"{folder}: has more than the {most} that can be sent to workers: {advice}")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for file in files:
            archive.add(file, file.relative_to(folder), recursive=False)
    return packed.getvalue()


@lru_cache(maxsize=16)
def _extract(digest: str, archive: bytes) -> str:
    """Return the path of a copy that exists until this process ends."""
    folder = tempfile.TemporaryDirectory(prefix=f"quarto-{digest}-")
    _copies.append(folder)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as packed:
        packed.extractall(folder.name, filter="data")
    return folder.name


_copies: list[tempfile.TemporaryDirectory] = []
