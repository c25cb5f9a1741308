"""The champion of an evolution of one's own genome: `champion:run=RUN`.

The run holds all that makes it: the parameters, the player whose they are, and the source of that
player if it is the user's, so that it plays on any machine, whatever becomes of the file.
"""

from typing import Any

import numpy as np

from agents.learned import STEP, read_mind
from agents.mind import Mind
from agents.own import load_player_class
from agents.player import Player
from agents.source import ClassSpec, Source

NAME, HOLDS = "champion", "champion"


def as_champion(player: Player, base: str) -> dict[str, Any]:
    """What the step `mind` of a run tells of its champion; `base`: the player it was made of."""
    source = list(player.source) if player.source else None
    parameters = player.mind.parameters.tolist()
    return {"champion": {"base": base, "parameters": parameters, "source": source}}


def read_champion(run: str, make: Any) -> Player:
    """ValueError if the run holds none. `make`: of a player from its text."""
    from store import Run

    holds, _ = read_mind(run)
    about = Run(run).about(STEP)["measured"].get("champion")
    if not about:
        raise ValueError(f"{NAME}: run={run} holds the {holds}: name the player who is made of it")
    if about["source"]:
        path, text, beside = about["source"]
        source = Source(path, text, tuple((name, text) for name, text in beside))
        base = load_player_class(source, ClassSpec.split(about["base"]).name)()
    else:
        base = make(about["base"])
    mind = Mind(np.array(about["parameters"], np.float64), base.mind.memory)
    return base.with_mind(mind, f"{NAME}:run={run}")
