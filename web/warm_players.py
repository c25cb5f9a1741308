"""Imported by the fork server of deciders.py: players, and the kernels of those that people meet
first. What is loaded here is there at once in every process that it forks."""

import agents
from engine.position import Position
from web.roster import Roster

__all__ = ["Roster"]

Position.start().legal()
for _name in ("random", "rulebased", "pro"):
    agents.make(_name).ready()
