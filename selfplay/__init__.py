"""Learning from games: datasets with exact labels, self-play, what was learned as tables.

import selfplay
player = selfplay.learn("rl", games=100_000, store="runs/mine")    # agents.make("rl:run=runs/mine")
"""

import console as console  # first: it hears Ctrl-C
from selfplay.learner import ITSELF, Learner, PlayedGame
from selfplay.learning import learn

__all__ = ["ITSELF", "Learner", "PlayedGame", "learn"]
