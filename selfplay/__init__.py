"""Learning from games: datasets with exact labels, self-play, what was learned as tables.

import selfplay
player = selfplay.learn("rl", games=100_000, store="runs/mine")    # agents.make("rl:run=runs/mine")
"""

from selfplay.learning import learn

__all__ = ["learn"]
