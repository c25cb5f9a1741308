"""The players that a command names, and the configuration that names them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import agents
from agents.player import Player
from console.config import Config, argument, option
from console.errors import BadInput
from console.typed import command_line

EVERYBODY = [name for name in agents.names() if name != "human"]


def as_player(player: str | Player) -> Player:
    """Made from its text, unless it is one; BadInput says what is wrong with the text."""
    try:
        return player if isinstance(player, Player) else agents.make(player)
    except ValueError as error:
        raise BadInput(str(error)) from None


@dataclass(kw_only=True)
class Entrants(Config):
    """Players who can do without a person at the terminal, each once."""

    players: Sequence[str | Player] = argument(f"any of: {', '.join(EVERYBODY)}")
    all: bool = option(False, "every player but human", kept=False)

    @cached_property
    def entrants(self) -> list[Player]:
        return [as_player(one) for one in [*(EVERYBODY if self.all else []), *self.players]]

    def check(self) -> None:
        names = [player.label for player in self.entrants]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise BadInput(f"{twice[0]!r} cannot take part twice")
        if any(player.name == "human" for player in self.entrants):
            raise BadInput(f"'human' cannot take part: use {command_line('arena.play')}")

    def kept(self) -> dict[str, Any]:
        """A label may come to mean another player: with what it is made of, and its digest."""
        players = [[player.label, player.spec, player.digest] for player in self.entrants]
        return {**super().kept(), "players": players}
