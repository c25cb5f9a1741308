"""The game as an environment for learners: one core with four interfaces.

envs.quarto_v0     PettingZoo, two agents          pip install -e '.[env]'
envs.gym           Gymnasium, one against a player pip install -e '.[env]'
envs.openspiel     OpenSpiel's python_quarto       pip install -e '.[openspiel]'
envs.vector        thousands of boards per call    no extra needed
"""

import console as console  # first: it handles Ctrl-C
from envs.core import ACTIONS, PLANES, SYMMETRIES, observe, symmetries
from envs.vector import Boards

__all__ = ["ACTIONS", "PLANES", "SYMMETRIES", "Boards", "observe", "symmetries"]
