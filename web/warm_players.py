"""Preloaded by the fork server of deciders.py: players and the kernels of common ones, which all
forked processes then share."""

import agents
from engine.position import Position
from web.roster import Roster

__all__ = ["Roster"]

Position.start().legal()
for _name in ("random", "rulebased", "pro"):
    agents.make(_name).ready()
