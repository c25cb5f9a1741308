"""The game: positions as bits, rules, notation, symmetry, exact solver.

>>> from engine import Position
>>> from engine.solver import analyse
>>> position = Position.start().give(0).place(5).give(15)
>>> position.to_text()
'..../.0../..../.... f'
>>> position.winning_cells(), position.safe_pieces()[:3]
([], [1, 2, 3])
>>> late = Position.parse("4.../c.b./7.1./3ed. 0")
>>> analyse(late).value
1
"""

from engine.position import NONE, POSITION, Position
from engine.solver import Analysis, Solver
from engine.symmetry import canonical, canonical_key, from_key

__all__ = [
    "NONE",
    "POSITION",
    "Analysis",
    "Position",
    "Solver",
    "canonical",
    "canonical_key",
    "from_key",
]
