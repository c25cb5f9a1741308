"""Imports and kernels that most commands need, loaded by the fork server of tests/children.py."""

import agents
from arena.match import play_match
from cli import COMMANDS
from engine import Position
from engine.exact.solver import solve

for _command in COMMANDS.values():
    if _command.module not in ("agents", "terminal", "web"):
        __import__(_command.main or _command.module)
for _name in ("random", "dumb", "rulebased", "ga", "perfect"):
    play_match(agents.make(_name), agents.make("random"), 1, 2)
solve(Position.parse("4.../c.b./7.1./3ed. 0"))
