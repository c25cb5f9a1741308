"""Who plays. One file a family; each player a function of the position.

>>> import agents
>>> from engine import Position
>>> player = agents.make("pro:bound=1,value=1")
>>> player.place(Position.parse("4.../c.b./7.1./3e.. 0"), rng=7)
1
"""

from agents import baseline, evolved, exact, frontier, ga, hardcoded, human, minmax, pro, rl, rulebased, singleminmax  # noqa: F401  each registers
from agents.beam import player  # noqa: F401
from agents.custom import CustomPlayer, is_path
from agents.player import REGISTRY, Player, find, names, parse_options

__all__ = ["REGISTRY", "CustomPlayer", "Player", "make", "names"]


def make(spec: str) -> Player:
    """A player from its name: `random`, `pro:bound=1,value=1`, `path/to/file.py:ClassName`. ValueError says what is wrong with it."""
    if is_path(spec):
        return CustomPlayer.load(spec)
    name, _, options = spec.strip().partition(":")
    cls = find(name)
    return cls(**parse_options(cls, options))
