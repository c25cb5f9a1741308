"""Learning from games: self-play, and supervised learning from exact labels.

import selfplay
player = selfplay.learn("rl", games=100_000, store="runs/mine")    # agents.make("rl:run=runs/mine")
"""

import console as console  # first, because it handles Ctrl-C
from selfplay.learner import ITSELF, Games, Learner, PlayedGame
from selfplay.loop import learn

__all__ = ["ITSELF", "Games", "Learner", "PlayedGame", "learn"]
