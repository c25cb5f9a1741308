"""Players named on a command line, and the options of commands that take players."""

import os
import shutil
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import agents
from agents.guests.own import player_of_class, spec_of_class
from agents.guests.program import HouseRules, check_python
from agents.player import Player
from console.config import Config, argument, option
from console.errors import BadInput
from console.typed import command_line

RULES = ("on_error", "time_limit")
AUTOMATIC = [name for name in agents.names() if name != "human"]

# a spec, a player, or a class: of `Player`, or one that plays in a process of its own
AnyPlayer = str | Player | type


def as_player(player: AnyPlayer, rules: HouseRules | None = None) -> Player:
    """Return the player. Raise BadInput if the spec or the class is invalid."""
    try:
        if isinstance(player, type):
            return player_of_class(player) or agents.make(spec_of_class(player), rules)
        if isinstance(player, str):
            return agents.make(player, rules)
    except ValueError as error:
        raise BadInput(str(error)) from None
    if not isinstance(player, Player):
        raise BadInput(
            f"{player!r} is not a player: give a spec such as 'pro', a Player or a class"
        )
    return player


class Guests(Config):
    """Options for players in processes of their own: file.py:Class and program:COMMAND."""

    on_error: ClassVar[str] = "stop"

    time_limit: float = option(
        10.0, "seconds that a program has for a decision", least=0.001, metavar="SECONDS"
    )
    python: str | None = option(
        None, "the Python interpreter for file.py:Class", kept=False, metavar="PATH"
    )
    sandbox: bool = option(
        False, "run programs without a network; they can write to their own folder only", kept=False
    )

    @property
    def rules(self) -> HouseRules:
        python = os.path.abspath(shutil.which(self.python) or self.python) if self.python else ""
        try:
            if python and not os.access(python, os.X_OK):
                raise ValueError("there is no such program")
            if python:
                check_python(python)
        except ValueError as error:
            raise BadInput(f"--python {self.python}: {error}") from None
        return HouseRules(self.time_limit, self.on_error, python, self.sandbox)


class GuestsInMatches(Guests):
    """The options of `Guests`, and what a program's failure means for a game."""

    on_error: str = option(  # type: ignore[misc]
        "stop",
        "when a program fails: lose (it loses the game) or stop (the match stops)",
        choices=("stop", "lose"),
    )


class Entrants(GuestsInMatches):
    """Distinct players that need no person at the terminal."""

    players: Sequence[AnyPlayer] = argument(f"any of: {', '.join(AUTOMATIC)}")
    all: bool = option(False, "every player but human", kept=False)

    @cached_property
    def entrants(self) -> list[Player]:
        specs = [*(AUTOMATIC if self.all else []), *self.players]
        return [as_player(spec, self.rules) for spec in specs]

    def check(self) -> None:
        labels = [player.label for player in self.entrants]
        repeated = [label for label in labels if labels.count(label) > 1]
        if repeated:
            raise BadInput(f"{repeated[0]!r} cannot take part twice")
        if any(player.name == "human" for player in self.entrants):
            raise BadInput(f"'human' cannot take part: use {command_line('terminal')}")

    def kept(self) -> dict[str, Any]:
        """Add spec and digest of each player, since a label may come to mean another player."""
        players = [[player.label, player.spec, player.digest] for player in self.entrants]
        kept = {**super().kept(), "players": players}
        if all(player.compiled for player in self.entrants):
            # the rules concern only players in processes of their own
            kept = {key: value for key, value in kept.items() if key not in RULES}
        return kept
