"""Matches: who meets whom, and what came of it.

>>> import arena
>>> arena.play("rulebased", "random", games=100)
Score(wins=91, draws=2, losses=7; 83.8 .. 95.2 %)
>>> arena.tournament(["random", "rulebased"], games=100, workers=0).elo[0].player
'rulebased'
"""

from collections.abc import Sequence
from typing import Any

import console as console  # first: it hears Ctrl-C
from agents.player import Player
from arena.entrants import as_player
from arena.match import Games, play_match
from arena.score import Score
from arena.standings import Standings

__all__ = ["Games", "Score", "Standings", "play", "play_match", "tournament"]


def play(a: str | Player, b: str | Player, games: int = 1000, seed: int = 0) -> Score:
    """The score of A against B, who take the seats by turns."""
    return play_match(as_player(a), as_player(b), seed, games).score


def tournament(
    players: Sequence[str | Player], games: int = 1000, store: str | None = None, **options: Any
) -> Standings:
    """Everybody against everybody. `options` are those of `python -m arena.run`; nothing is kept
    unless there is a `store`, a folder or an s3:// address: there it goes on if it was stopped."""
    import tempfile
    from dataclasses import replace

    from arena.run import TournamentConfig, run_tournament

    if store:
        return run_tournament(
            TournamentConfig(players=players, games=games, store=store, **options)
        )
    with tempfile.TemporaryDirectory() as folder:
        return replace(tournament(players, games, folder, **options), store=None)
