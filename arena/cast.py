"""Players on their way to a worker: small, plain, and made again there once.

A player goes as its name and the numbers of its mind; with the words of its mind where they were learned and are not those that ship; and, for a player of the user's
own, with the source that the user named: no worker ever reads or runs another file.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

import agents
from agents.mind import Mind
from agents.own import OwnPlayer
from agents.player import Player, find
from arena.shared import Shared


class Packed(NamedTuple):
    """Hashable, so that a worker makes each player only once."""

    spec: str
    numbers: tuple[float, ...] | None = None
    source: str | None = None
    words: Shared | None = None


def pack(player: Player) -> Packed:
    if isinstance(player, OwnPlayer):
        return Packed(player.spec, source=player.source)
    words = Shared(player.mind.words) if player.learned_elsewhere else None
    return Packed(player.spec, tuple(player.mind.numbers.tolist()), words=words)


@lru_cache(maxsize=4)  # what is learned is large, and a run of self-play sends a new one every round
def unpack_learned(packed: Packed) -> Player:
    cls = find(packed.spec.partition(":")[0])
    player = cls.__new__(cls)
    player.chosen, player.mind = dict(cls.options), Mind(np.array(packed.numbers), np.array(packed.words.array))
    return player


def unpack(packed: Packed) -> Player:
    return unpack_learned(packed) if packed.words is not None else unpack_small(packed)


@lru_cache(maxsize=256)
def unpack_small(packed: Packed) -> Player:
    if packed.source is not None:
        return OwnPlayer.from_source(packed.spec, packed.source)
    if packed.numbers is None:
        return agents.make(packed.spec)
    player = find(
        packed.spec.partition(":")[0]
    )()  # its options are in the numbers: no file that they may name is read here
    player.mind = player.mind._replace(numbers=np.array(packed.numbers))
    return player
