"""Serialization of players for workers.

A player is sent as its class, its settings and its whole mind, so a worker plays with the same
parameters and memory as the driver and reads no file that an option names. A compiled player in a
user's file is sent with the source of that file and of the files beside it that it imports; a
program is sent with its folder. `unpack` checks what `pack` has stored: the checksum below covers
all that decides the games, except for memory and folder, which have their own (shared.py).
"""

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

from agents.guests.own import load_player_class
from agents.guests.program import Command, HouseRules, ProgramPlayer
from agents.guests.source import ClassSpec, Source
from agents.mind import make_mind
from agents.player import Player, find
from workers.shared import SharedArray, SharedFolder


class PackedProgram(NamedTuple):
    """A player that runs in its own process."""

    command: Command
    rules: HouseRules
    folder: SharedFolder | None


class PackedPlayer(NamedTuple):
    """A serialized player, hashable so that a worker makes each player only once."""

    spec: str
    label: str
    # name in the registry, or FILE.py:CLASS
    kind: str = ""
    settings: tuple[tuple[str, Any], ...] = ()
    parameters: tuple[float, ...] = ()
    memory: SharedArray | None = None
    # the user's file with the class
    source: Source | None = None
    program: PackedProgram | None = None
    checksum: int = 0


def pack(player: Player, ready: bool = True) -> PackedPlayer:
    """Return the serialized player. `ready`: compile its kernels, which workers then only load."""
    program = isinstance(player, ProgramPlayer)
    assert player.compiled or program, f"{player.spec}: decides in this process, and is not sent"
    if ready:
        player.ready()
    packed = PackedPlayer(player.spec, player.label, checksum=_checksum(player))
    if isinstance(player, ProgramPlayer):
        folder = player.command.folder
        shared = SharedFolder(folder, player.digest) if folder else None
        return packed._replace(program=PackedProgram(player.command, player.rules, shared))
    return packed._replace(
        kind=player.address or player.name,
        settings=tuple(player.settings.items()),
        parameters=tuple(player.mind.parameters.tolist()),
        memory=SharedArray(player.mind.memory),
        source=player.source,
    )


def unpack(packed: PackedPlayer) -> Player:
    """Return the player, the same object for each call while it is cached."""
    return _unpack_mind(packed) if packed.program is None else _unpack_program(packed)


# few: a memory has up to 8 MB, and self-play sends a new one every round
@lru_cache(maxsize=8)
def _unpack_mind(packed: PackedPlayer) -> Player:
    assert packed.memory is not None
    mind = make_mind(packed.parameters, packed.memory.copy())
    name, source = packed.kind, packed.source
    kind = load_player_class(source, ClassSpec.split(name).name) if source else find(name)
    player = kind.from_state(packed.spec, dict(packed.settings), mind)
    return _checked(player.with_label(packed.label), packed)


@lru_cache(maxsize=256)
def _unpack_program(packed: PackedPlayer) -> Player:
    """Return a player whose process starts with its first game."""
    assert packed.program is not None
    command, rules, shared = packed.program
    folder = shared.place() if shared else None
    player = ProgramPlayer(packed.spec, command.at(folder), rules)
    return _checked(player.with_label(packed.label), packed)


def _checked(player: Player, packed: PackedPlayer) -> Player:
    assert _checksum(player) == packed.checksum, f"{packed.spec}: unpacked as another player"
    return player


def _checksum(player: Player) -> int:
    source = player.source.digest if player.source else ""
    rules = player.compiled, player.uses_chance, player.on_error
    state = type(player).__name__, source, player.spec, player.settings, rules
    return zlib.crc32(player.mind.parameters.tobytes(), zlib.crc32(repr(state).encode()))
