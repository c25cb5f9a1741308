"""The players, a file for each family; each player is a function of the position.

>>> import agents
>>> from engine import Position
>>> player = agents.make("pro:bound=1,value=1")
>>> player.place(Position.parse("4.../c.b./7.1./3e.. 0"), rng=7)
1
"""

import console as console  # first: it handles Ctrl-C

# Importing these modules registers their players.
from agents import baseline as baseline
from agents import evolved as evolved
from agents import frontier as frontier
from agents import ga as ga
from agents import hardcoded as hardcoded
from agents import human as human
from agents import rl as rl
from agents import rulebased as rulebased
from agents.beam.player import Beam as Beam
from agents.guests.program import HouseRules, ProgramPlayer
from agents.player import Player, PlayerError, names
from agents.rules.player import Rules as Rules
from agents.search import bounded as bounded
from agents.search import exact as exact
from agents.search import mcts as mcts
from agents.search import minmax as minmax
from agents.search import pro as pro
from agents.search import singleminmax as singleminmax
from agents.spec import make, split_specs
from agents.sprint.player import Sprint as Sprint
from agents.zero import Zero as Zero

__all__ = ["HouseRules", "Player", "PlayerError", "ProgramPlayer", "make", "names", "split_specs"]
