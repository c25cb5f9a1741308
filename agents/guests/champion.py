"""The champion of a user's own genome or learner: `champion:run=RUN`.

The run holds the whole player: its parameters, the memory that a learner filled, and the source of
its class if that is the user's, so that it plays on any machine, whatever becomes of the file.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.guests.own import load_player_class
from agents.guests.source import ClassSpec, Source
from agents.learned import STEP, read_mind
from agents.mind import make_mind, without_zeros
from agents.player import Player, find

NAME, HOLDS = "champion", "champion"
MEMORY = "memory"

if TYPE_CHECKING:
    import pyarrow as pa


def as_champion(player: Player, base: str) -> dict[str, Any]:
    """Return the metadata of the step `mind` that make the player again; `base`: the player whose
    memory it has."""
    source = list(player.source) if player.source else None
    parameters = player.mind.parameters.tolist()
    about = {"base": base, "settings": player.settings, "parameters": parameters, "source": source}
    return {"champion": about}


def as_learned(player: Player) -> tuple["pa.Table", dict[str, Any]]:
    """Return table and metadata of the step `mind` for a player with a memory of its own."""
    import pyarrow as pa

    about = as_champion(player, player.address or player.name)
    about["champion"]["words"] = player.mind.memory.size
    return pa.table({MEMORY: without_zeros(player.mind.memory)}), {"holds": HOLDS} | about


def read_champion(run: str, make: Callable[[str], Player]) -> Player:
    """Return the champion of a run; ValueError if the run holds none. `make`: as `agents.make`."""
    from store import Run

    holds, table = read_mind(run)
    about = Run(run).about(STEP)["measured"].get("champion")
    if not about:
        raise ValueError(f"{NAME}: run={run} holds the {holds}: name the player who is made of it")
    spec, base, parameters = f"{NAME}:run={run}", about["base"], about["parameters"]
    cls = _class_of(about)
    if "words" in about:
        memory = np.zeros(about["words"], np.uint64)
        memory[: len(table)] = table[MEMORY].to_numpy()
        player = cls.from_state(spec, about["settings"], make_mind(parameters, memory))
        player.learned = memory
        return player
    made = cls(**about.get("settings", {})) if about["source"] else make(base)
    return made.with_mind(make_mind(parameters, made.mind.memory), spec)


def _class_of(about: dict[str, Any]) -> type[Player]:
    if not about["source"]:
        return find(about["base"].partition(":")[0])
    path, text, beside = about["source"]
    source = Source(path, text, tuple((name, text) for name, text in beside))
    return load_player_class(source, ClassSpec.split(about["base"]).name)
