"""Compiled players of the user's: a class of `Player` with two kernels, in a file of theirs. As
fast as those of the project, in every tool.

    python -m arena.run mine.py:Greedy pro
    python -m agents.new mine.py                a file to begin with
"""

from agents.player import Player
from agents.source import Source, is_own


def load_player_class(source: Source, name: str) -> type[Player]:
    """ValueError if it lacks something that a player has."""
    cls = source.load(name)
    where = f"{source.path}:{name}"
    if not issubclass(cls, Player):
        raise ValueError(f"{where} is no class of agents.Player")
    for kernel in ("place_kernel", "give_kernel"):
        if getattr(cls, kernel) is None:
            raise ValueError(f"{where} has no {kernel}: python -m agents.new writes an example")
    cls.source, cls.address, cls.name = source, where, cls.name or name
    return cls


def adopt_players(cls: type, path: str, source: Source) -> None:
    """Classes of Player that a genome or a learner of the same file has: as if they had been named
    themselves."""
    for one in vars(cls).values():
        if isinstance(one, type) and issubclass(one, Player) and is_own(one.__module__):
            one.source, one.address = source, f"{path}:{one.__name__}"
            one.name = one.name or one.__name__
