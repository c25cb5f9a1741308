"""Imports that the fork server of deciders.py makes once, for all processes that it forks: the
players, and the kernels of the common ones."""

import agents
from engine.position import Position
from web.roster import Roster

__all__ = ["Roster"]

Position.start().legal()
for _name in ("random", "rulebased", "pro"):
    agents.make(_name).ready()
