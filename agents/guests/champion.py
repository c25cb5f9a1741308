"""The champion of a user's own genome or learner: `champion:run=RUN`. The run holds the whole
player: parameters, learned memory, and the source of its class if that is the user's."""

from collections.abc import Callable
from typing import Any

import numpy as np

from agents.guests.own import load_player_class
from agents.guests.source import ClassSpec, Source
from agents.learned import STEP, Table, read_mind
from agents.mind import make_mind, without_zeros
from agents.player import Player, find

NAME = HOLDS = "champion"
MEMORY = "memory"


def as_champion(player: Player, base: str) -> dict[str, Any]:
    """Return the metadata that make the player again; `base` is the player whose memory it has."""
    source = list(player.source) if player.source else None
    parameters = player.mind.parameters.tolist()
    about = {"base": base, "settings": player.settings, "parameters": parameters, "source": source}
    return {"champion": about}


def as_learned(player: Player) -> tuple[Table, dict[str, Any]]:
    """Return table and metadata of the step `mind` for a player with a memory of its own."""
    import pyarrow as pa

    about = as_champion(player, player.address or player.name)
    about["champion"]["words"] = player.mind.memory.size
    return pa.table({MEMORY: without_zeros(player.mind.memory)}), {"holds": HOLDS} | about


def read_champion(run: str, make: Callable[[str], Player]) -> Player:
    """Return the champion of a run; raise ValueError if there is none. `make`: `agents.make`."""
    from store import Run

    holds, table = read_mind(run)
    about = Run(run).about(STEP)["measured"].get("champion")
    if not about:
        raise ValueError(f"{NAME}: run={run} holds the {holds}: name a player that uses it")
    spec, base, parameters = f"{NAME}:run={run}", about["base"], about["parameters"]
    if about["source"]:
        path, text, beside = about["source"]
        source = Source(path, text, tuple((name, text) for name, text in beside))
        cls = load_player_class(source, ClassSpec.split(base).name)
    else:
        cls = find(base.partition(":")[0])
    if "words" in about:
        memory = np.zeros(about["words"], np.uint64)
        memory[: len(table)] = table[MEMORY].to_numpy()
        player = cls.from_state(spec, about["settings"], make_mind(parameters, memory))
        player.learned = memory
        return player
    player = cls(**about.get("settings", {})) if about["source"] else make(base)
    return player.with_mind(make_mind(parameters, player.mind.memory), spec)
