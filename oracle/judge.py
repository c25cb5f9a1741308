"""A game judged by the oracle, decision by decision: what it was worth before and after, what would
have been better, and where the game turned.

    ??  a win became a loss      ?  half of it: a win became a draw, or a draw a loss
    !   the only move that keeps the value
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.exact.solver import analyse
from engine.game_text import SEATS, GameText
from engine.notation import move_name
from engine.position import NONE, Position

BLUNDER, MISTAKE, ONLY = "??", "?", "!"


class Judged(NamedTuple):
    """A decision. Values are for whoever decides: 1 win, 0 draw, -1 loss; distances count
    placements from here on and are None for draws."""

    number: int  # of the move in the game's text, from 1
    player: str  # first or second
    kind: str  # give or place
    position: str  # before
    move: str
    value: int  # before
    distance: int | None
    after: int
    after_distance: int | None
    mark: str
    # the moves that keep the value, if this one does not
    better: list[str]
    # of every legal move
    values: dict[str, int]
    distances: dict[str, int | None]

    @property
    def lost(self) -> bool:
        """Whether it lost exact value."""
        return self.after < self.value

    @property
    def at_stake(self) -> bool:
        """Whether another move would have been worth something else."""
        return len(set(self.values.values())) > 1


class Accuracy(NamedTuple):
    """Decisions of a player that kept the value: where something was at stake, and of all."""

    right: int
    at_stake: int
    kept: int
    decisions: int


def judge(position: Position, move: int, distance: bool = True) -> Judged:
    """One decision. Without `distance` all distances are None."""
    analysis = analyse(position, distance)
    names = {one: move_name(position, one) for one in analysis.moves}
    far = analysis.distances or dict.fromkeys(names)
    value, after = analysis.value, analysis.moves[move]
    giving = position.hand == NONE
    mark = {0: "", 1: MISTAKE, 2: BLUNDER}[value - after]
    return Judged(
        number=position.placed + 1,
        player=SEATS[(position.placed + (not giving)) % 2],
        kind="give" if giving else "place",
        position=position.to_text(),
        move=names[move],
        value=value,
        distance=analysis.distance,
        after=after,
        after_distance=far[move],
        mark=ONLY if move == analysis.only else mark,
        better=[names[one] for one in analysis.best()] if after < value else [],
        values={names[one]: analysis.moves[one] for one in names},
        distances={names[one]: far[one] for one in names},
    )


def judge_each(game: GameText) -> Iterator[Judged]:
    """Every decision, from the first on."""
    # there is one more position than there are moves
    yield from map(judge, game.positions(), game.moves)


def review(game: GameText) -> list[Judged]:
    """Every decision of a game."""
    return list(judge_each(game))


def turning_point(latest_first: Iterable[Judged]) -> Judged | None:
    """The last decision that lost exact value: since then, what came of the game was certain if
    nobody erred, and nobody did. None if nothing was ever lost."""
    return next((one for one in latest_first if one.lost), None)


def accuracy(decisions: Iterable[Judged], player: str) -> Accuracy:
    """Of the first or the second player."""
    own = [one for one in decisions if one.player == player]
    staked = [one for one in own if one.at_stake]
    # where nothing is at stake nothing can be lost
    return Accuracy(
        sum(not one.lost for one in staked), len(staked), sum(not one.lost for one in own), len(own)
    )
