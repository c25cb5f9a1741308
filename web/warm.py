"""What is compiled, or loaded, before anybody asks for it."""

from contextlib import suppress

import agents
from engine.position import Position
from engine.solver import Stopped, analyse

FIRST_TO_PLAY = ("rulebased", "pro")


def warm_up() -> None:
    """In a thread of the oracle's, while the first page is looked at."""
    with suppress(Stopped):
        analyse(Position.parse("4.../c.b./7.1./3ed. 0"), distance=True)
    for name in FIRST_TO_PLAY:
        agents.make(name).ready()
