"""Players on their way to workers.

A player travels as its class, its settings and its whole mind, so a worker plays with the same
parameters and memory as the driver and reads no file that an option names. A compiled player in a
file of the user's brings the source of that file and of the files beside it that it imports; a
program brings its folder.
"""

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from agents.guests.folder import SharedFolder
from agents.guests.own import load_player_class
from agents.guests.program import Command, HouseRules, ProgramPlayer
from agents.guests.source import ClassSpec, Source
from agents.mind import make_mind, without_zeros
from agents.player import Player, find


class SharedArray:
    """An array that goes through Ray's object store once, however many tasks refer to it. Zeros at
    its end, such as the unused memory of a search, do not travel."""

    def __init__(self, array: np.ndarray):
        self._array: np.ndarray | None = array
        self._ref: Any = None
        self._size, self._dtype = array.size, array.dtype
        self.digest = zlib.crc32(array.data)

    def copy(self) -> np.ndarray:
        """Return the array; the caller may write to it."""
        if self._array is not None:
            return self._array.copy()
        array = np.zeros(self._size, self._dtype)
        if self._ref is not None:
            import ray

            content = ray.get(self._ref)
            array[: content.size] = content
        return array

    def __getstate__(self) -> dict:
        content = self._array if self._array is None else without_zeros(self._array)
        if self._ref is None and content is not None and content.size:
            import ray

            self._ref = ray.put(content)
        return vars(self) | {"_array": None}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedArray) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, int]:
        return self._size, self.digest


class PackedProgram(NamedTuple):
    """A player in a process of its own."""

    command: Command
    rules: HouseRules
    folder: SharedFolder | None


class PackedPlayer(NamedTuple):
    """Hashable, so that a worker makes each player only once."""

    spec: str
    label: str
    # a name of the registry, or FILE.py:CLASS
    kind: str = ""
    settings: tuple[tuple[str, Any], ...] = ()
    parameters: tuple[float, ...] = ()
    memory: SharedArray | None = None
    # the user's file that holds the class
    source: Source | None = None
    program: PackedProgram | None = None


def pack(player: Player, ready: bool = True) -> PackedPlayer:
    """Return the player as it travels. `ready`: compile its kernels first, so that workers need
    only load them."""
    if isinstance(player, ProgramPlayer):
        program = PackedProgram(player.command, player.rules, player.folder)
        return PackedPlayer(player.spec, player.label, program=program)
    if ready:
        player.ready()
    return PackedPlayer(
        player.spec,
        player.label,
        player.address or player.name,
        tuple(player.settings.items()),
        tuple(player.mind.parameters.tolist()),
        SharedArray(player.mind.memory),
        player.source,
    )


def unpack(packed: PackedPlayer) -> Player:
    """Return the player, the same object each time as long as it is in use."""
    return _unpack_mind(packed) if packed.program is None else _unpack_program(packed)


# A memory has up to 8 MB, and self-play sends a new one every round.
@lru_cache(maxsize=8)
def _unpack_mind(packed: PackedPlayer) -> Player:
    assert packed.memory is not None
    mind = make_mind(packed.parameters, packed.memory.copy())
    cls = _class_of(packed)
    return cls.of_state(packed.spec, dict(packed.settings), mind).called(packed.label)


@lru_cache(maxsize=256)
def _unpack_program(packed: PackedPlayer) -> Player:
    """Return a player whose process starts with its first game."""
    assert packed.program is not None
    command, rules, shared = packed.program
    folder = shared.place() if shared else None
    return ProgramPlayer(packed.spec, command.at(folder), rules).called(packed.label)


def _class_of(packed: PackedPlayer) -> type[Player]:
    if packed.source is not None:
        return load_player_class(packed.source, ClassSpec.split(packed.kind).name)
    return find(packed.kind)
