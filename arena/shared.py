"""Large arrays on their way to workers."""

import zlib

import numpy as np


class Shared:
    """An array that goes through Ray's object store once, however many jobs name it. Read-only on the other side."""

    def __init__(self, array: np.ndarray):
        self._array, self._ref = array, None
        self.digest = zlib.crc32(array)

    @property
    def array(self) -> np.ndarray:
        if self._array is None:
            import ray

            self._array = ray.get(self._ref)
        return self._array

    def __getstate__(self) -> dict:
        import ray

        self._ref = self._ref or ray.put(self._array)
        return {"_array": None, "_ref": self._ref, "digest": self.digest}

    def __eq__(self, other) -> bool:
        return isinstance(other, Shared) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)
