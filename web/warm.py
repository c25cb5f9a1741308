"""What is compiled, or loaded, before anybody asks for it."""

import gc

from engine.exact.solver import Solver
from engine.position import Position


def warm_up() -> None:
    """While the first page is looked at."""
    Solver().analyse(Position.parse("4.../c.b./7.1./3ed. 0"), distance=True)
    # Libraries and compiled code stay as long as the server does. To look through all of it for
    # garbage now and then took a tenth of a second, in which nobody was answered.
    gc.collect()
    gc.freeze()
