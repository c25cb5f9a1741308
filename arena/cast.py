"""Players on their way to a worker: small, plain, and made again there once.

A player goes as its name, the numbers of its mind where they are not the ones that the name implies, and, for a player of the user's own, the
source that the user named: no worker ever reads or runs another file.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

import agents
from agents.own import OwnPlayer
from agents.player import Player, find


class Packed(NamedTuple):
    """Hashable, so that a worker makes each player only once."""

    spec: str
    numbers: tuple[float, ...] | None = None
    source: str | None = None


def pack(player: Player) -> Packed:
    if isinstance(player, OwnPlayer):
        return Packed(player.spec, source=player.source)
    return Packed(player.spec, tuple(player.mind.numbers.tolist()))


@lru_cache(maxsize=256)
def unpack(packed: Packed) -> Player:
    if packed.source is not None:
        return OwnPlayer.from_source(packed.spec, packed.source)
    if packed.numbers is None:
        return agents.make(packed.spec)
    player = find(
        packed.spec.partition(":")[0]
    )()  # its options are in the numbers: no file that they may name is read here
    player.mind = player.mind._replace(numbers=np.array(packed.numbers))
    return player
