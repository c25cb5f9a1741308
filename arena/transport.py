"""Players on their way to a worker: small, plain, and made again there once.

A player goes as its name and the parameters of its mind; with the memory of its mind where that was
learned and does not ship with its class. A compiled player of the user's goes with the source that
the user named and of what it imports from beside it, a program with the folder that it lives in: no
worker ever reads or runs another file.
"""

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from agents.folder import SharedFolder
from agents.mind import Mind
from agents.own import load_player_class
from agents.player import Player, find
from agents.program import Command, HouseRules, ProgramPlayer
from agents.source import ClassSpec, Source


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


class PackedProgram(NamedTuple):
    """A player in a process of its own."""

    command: Command
    rules: HouseRules
    folder: SharedFolder | None


class PackedPlayer(NamedTuple):
    """Hashable, so that a worker makes each player only once."""

    spec: str
    label: str
    # what names its class
    kind: str = ""
    parameters: tuple[float, ...] = ()
    memory: SharedArray | None = None
    # of a class of the user's
    source: Source | None = None
    program: PackedProgram | None = None


def pack(player: Player, ready: bool = True) -> PackedPlayer:
    """`ready`: compiled here once, not by every worker."""
    if isinstance(player, ProgramPlayer):
        program = PackedProgram(player.command, player.rules, player.folder)
        return PackedPlayer(player.spec, player.label, program=program)
    if ready:
        player.ready()
    memory = None if player.ships_with_class else SharedArray(player.mind.memory)
    parameters = tuple(player.mind.parameters.tolist())
    kind = player.address or player.name
    return PackedPlayer(player.spec, player.label, kind, parameters, memory, player.source)


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
    if packed.program is not None:
        return _unpack_program(packed, packed.program)
    # its settings are in the parameters: no file that they may name is read here
    player = _class_of(packed)()
    mind = player.mind._replace(parameters=np.array(packed.parameters, float))
    return player.with_mind(mind, packed.spec).called(packed.label)


def _unpack_program(packed: PackedPlayer, program: PackedProgram) -> Player:
    """Its process starts with its first game."""
    folder = program.folder.place() if program.folder else None
    player = ProgramPlayer(packed.spec, program.command.at(folder), program.rules)
    return player.called(packed.label)


def _class_of(packed: PackedPlayer) -> type[Player]:
    if packed.source is not None:
        return load_player_class(packed.source, ClassSpec.split(packed.kind).name)
    return find(packed.kind)
