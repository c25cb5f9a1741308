"""Players on their way to a worker: small, plain, and made again there once.

A player goes as its name and the numbers of its mind; with the words of its mind where they were learned and are not those that ship; and, for a player of the user's
own, with the source that the user named: no worker ever reads or runs another file.
"""

import zlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np

import agents
from agents.custom import CustomPlayer
from agents.mind import Mind
from agents.player import Player, find


class SharedArray:
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
        return isinstance(other, SharedArray) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


class PackedPlayer(NamedTuple):
    """Hashable, so that a worker makes each player only once."""

    spec: str
    numbers: tuple[float, ...] | None = None
    source: str | None = None
    words: SharedArray | None = None


def pack(player: Player) -> PackedPlayer:
    if isinstance(player, CustomPlayer):
        return PackedPlayer(player.spec, source=player.source)
    words = SharedArray(player.mind.memory) if player.learned_elsewhere else None
    return PackedPlayer(player.spec, tuple(player.mind.parameters.tolist()), words=words)


@lru_cache(maxsize=4)  # what is learned is large, and a run of self-play sends a new one every round
def unpack_learned(packed: PackedPlayer) -> Player:
    cls = find(packed.spec.partition(":")[0])
    player = cls.__new__(cls)
    player.settings, player.mind = dict(cls.options), Mind(np.array(packed.numbers), np.array(packed.words.array))
    return player


def unpack(packed: PackedPlayer) -> Player:
    return unpack_learned(packed) if packed.words is not None else unpack_small(packed)


@lru_cache(maxsize=256)
def unpack_small(packed: PackedPlayer) -> Player:
    if packed.source is not None:
        return CustomPlayer.from_source(packed.spec, packed.source)
    if packed.numbers is None:
        return agents.make(packed.spec)
    player = find(
        packed.spec.partition(":")[0]
    )()  # its options are in the numbers: no file that they may name is read here
    player.mind = player.mind._replace(parameters=np.array(packed.numbers))
    return player
