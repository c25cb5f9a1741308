"""Players on their way to a worker: small, plain, and made again there once.

A player goes as its name and the parameters of its mind; with the memory of its mind where that was
learned and does not ship with its class; and, for a player of the user's own, with the source that
the user named and of what it imports from beside it: no worker ever reads or runs another file.
"""

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from agents.custom import CustomPlayer
from agents.mind import Mind
from agents.player import Player, find


class SharedArray:
    """An array that goes through Ray's object store once, however many tasks name it. Read-only on
    the other side."""

    def __init__(self, array: np.ndarray):
        self._array: np.ndarray | None = array
        self._ref: Any = None
        self.digest = zlib.crc32(array.data)

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedArray) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


class PackedPlayer(NamedTuple):
    """Hashable, so that a worker makes each player only once."""

    spec: str
    label: str
    parameters: tuple[float, ...] = ()
    source: str | None = None
    # what stands beside it: (module, text)
    siblings: tuple[tuple[str, str], ...] = ()
    memory: SharedArray | None = None


def pack(player: Player, ready: bool = True) -> PackedPlayer:
    """`ready`: compiled here once, not by every worker."""
    if ready:
        player.ready()
    if isinstance(player, CustomPlayer):
        siblings = tuple(sorted(player.siblings.texts.items()))
        return PackedPlayer(player.spec, player.label, (), player.source, siblings)
    memory = None if player.ships_with_class else SharedArray(player.mind.memory)
    parameters = tuple(player.mind.parameters.tolist())
    return PackedPlayer(player.spec, player.label, parameters, memory=memory)


def unpack(packed: PackedPlayer) -> Player:
    return _unpack_small(packed) if packed.memory is None else _unpack_learned(packed)


# What is learned is large, and self-play sends a new one every round.
@lru_cache(maxsize=4)
def _unpack_learned(packed: PackedPlayer) -> Player:
    assert packed.memory is not None
    mind = Mind(np.array(packed.parameters, float), np.array(packed.memory.array))
    return _class_of(packed).bare(packed.spec, mind).called(packed.label)


@lru_cache(maxsize=256)
def _unpack_small(packed: PackedPlayer) -> Player:
    if packed.source is not None:
        return _unpack_custom(packed)
    # its settings are in the parameters: no file that they may name is read here
    player = _class_of(packed)()
    mind = player.mind._replace(parameters=np.array(packed.parameters, float))
    return player.with_mind(mind, packed.spec).called(packed.label)


def _unpack_custom(packed: PackedPlayer) -> Player:
    assert packed.source is not None
    player = CustomPlayer(packed.spec, packed.source, dict(packed.siblings))
    return player.called(packed.label)


def _class_of(packed: PackedPlayer) -> type[Player]:
    return find(packed.spec.partition(":")[0])
