"""The game: positions as bits, rules, notation, symmetry, exact solver.

>>> import engine
>>> position = engine.Position.start().give(0).place(5).give(15)
>>> position.to_text()
'..../.0../..../.... f'
>>> position.winning_cells(), position.safe_pieces()[:3]
([], [1, 2, 3])
>>> engine.analyse("4.../c.b./7.1./3ed. 0").best()
[3, 15]
"""

import console as console  # first: it hears Ctrl-C
from engine.exact.solver import Analysis, Solver, analyse, best_line
from engine.game_text import GameText, read_games
from engine.jit.kernel import after_compiling
from engine.position import NONE, POSITION, Position
from engine.symmetry import canonical, canonical_key, from_key

after_compiling.append(console.note_pause)

__version__ = "0.2.0"
__all__ = [
    "NONE",
    "POSITION",
    "Analysis",
    "GameText",
    "Position",
    "Solver",
    "analyse",
    "best_line",
    "canonical",
    "canonical_key",
    "from_key",
    "read_games",
]
