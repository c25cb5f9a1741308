"""Matches and tournaments.

>>> import arena
>>> arena.play("rulebased", "random", games=100)
Score(wins=91, draws=2, losses=7; 83.8 .. 95.2 %)
>>> arena.tournament(["random", "rulebased"], games=100, workers=0).elo[0].player
'rulebased'
"""

from collections.abc import Sequence
from typing import Any

import console as console  # first: it handles Ctrl-C
from arena.entrants import AnyPlayer, Guests, as_player
from arena.match import Batch, Games, play_games, play_match
from arena.score import Score
from arena.standings import Standings
from arena.suite import NO_OPENINGS, read_suite

__all__ = ["Games", "Score", "Standings", "play", "play_match", "tournament"]


def play(a: AnyPlayer, b: AnyPlayer, games: int = 1000, seed: int = 0, **options: Any) -> Score:
    """Return the score of A against B, who alternate in giving first. A player is a spec, a
    `Player` or a class; `options` are `openings` and those of `python -m terminal` for players in
    processes of their own."""
    suite = read_suite(options.pop("openings", NO_OPENINGS))
    rules = Guests(**options).rules
    players = as_player(a, rules), as_player(b, rules)
    return play_games(players, Batch(seed % 2**64, 0, games, suite)).score


def tournament(
    players: Sequence[AnyPlayer], games: int | None = None, store: str | None = None, **options: Any
) -> Standings:
    """Return the standings of a round robin. `options` are those of `python -m arena.run`. Nothing
    is stored unless `store` names a folder or an s3:// address, where a stopped tournament is
    resumed."""
    import tempfile
    from dataclasses import replace

    from arena.run import TournamentConfig, run_tournament

    options |= {"players": players, "games": games}
    if store:
        return run_tournament(TournamentConfig(store=store, **options))
    with tempfile.TemporaryDirectory() as folder:
        return replace(run_tournament(TournamentConfig(store=folder, **options)), store=None)
