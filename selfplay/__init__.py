"""Learning from games: datasets with exact labels, self-play, what was learned as tables.

import selfplay
player = selfplay.learn("rl", games=100_000, store="runs/mine")    # agents.make("rl:run=runs/mine")
"""

import console as console  # first: it hears Ctrl-C
from selfplay.learner import ITSELF, Games, Learner, PlayedGame
from selfplay.loop import learn

__all__ = ["ITSELF", "Games", "Learner", "PlayedGame", "learn"]
