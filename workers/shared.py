"""Large arguments of tasks: they go through Ray's object store once, however many tasks refer to
them. What arrives is checked against the checksum of what was sent."""

import io
import tarfile
import tempfile
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agents.guests.folder import MOST_BYTES, MOST_FILES, Contents, digest_of
from agents.mind import without_zeros
from console.errors import UserError


class SharedArray:
    """An array as it is now. Zeros at its end, such as the unused memory of a search, do not
    travel."""

    def __init__(self, array: np.ndarray) -> None:
        content = without_zeros(array).copy()
        self._size, self._dtype = array.size, array.dtype
        self.digest = zlib.crc32(content.data)
        # None on workers, which have the reference; no content has none
        self._content: np.ndarray | None = content
        self._ref: Any = None

    def copy(self) -> np.ndarray:
        """Return the array; the caller may write to it."""
        array = np.zeros(self._size, self._dtype)
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedArray) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, int]:
        return self._size, self.digest


@dataclass(unsafe_hash=True)
class SharedFolder:
    """The folder of a program, with the digest that it had when its player was made. A worker that
    has the same folder at the same place, as those on this machine have, uses it there; any other
    gets a copy."""

    path: str
    digest: str
    # made when the first task is sent
    _archive: SharedArray | None = field(default=None, compare=False)

    def place(self) -> str:
        """Return where it is on this machine."""
        if self._archive is None or digest_of(self.path) == self.digest:
            return self.path
        return _extract(self.digest, self._archive.copy().tobytes())

    def __getstate__(self) -> dict:
        self._archive = self._archive or SharedArray(np.frombuffer(_archive(self.path), np.uint8))
        return vars(self)


def _archive(path: str) -> bytes:
    """Raise UserError if the folder is too large to be sent."""
    folder = Path(path)
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
def _extract(digest: str, archive: bytes) -> str:
    """Return a copy that stays as long as this process."""
    folder = tempfile.TemporaryDirectory(prefix=f"quarto-{digest}-")
    _copies.append(folder)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as packed:
        packed.extractall(folder.name, filter="data")
    return folder.name


_copies: list[tempfile.TemporaryDirectory] = []
