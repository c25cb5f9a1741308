"""The decisions of a game judged by the oracle: value before and after, better moves, the turning
point and the verdict.

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
MOST_ALTERNATIVES = 4  # in a verdict


class Judged(NamedTuple):
    """A decision. Values are those of the player to move: 1 win, 0 draw, -1 loss. Distances count
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
    # by legal move
    values: dict[str, int]
    distances: dict[str, int | None]

    @property
    def lost(self) -> bool:
        """Whether the decision lost exact value."""
        return self.after < self.value

    @property
    def at_stake(self) -> bool:
        """Whether moves differ in value."""
        return len(set(self.values.values())) > 1


class Accuracy(NamedTuple):
    """How many decisions of a player kept the value: where something was at stake, and of all."""

    right: int
    at_stake: int
    kept: int
    decisions: int


def judge(position: Position, move: int, distance: bool = True) -> Judged:
    """Judge a decision. Without `distance` all distances are None."""
    analysis = analyse(position, distance)
    names = {legal: move_name(position, legal) for legal in analysis.moves}
    distances = analysis.distances or dict.fromkeys(names)
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
        after_distance=distances[move],
        mark=ONLY if move == analysis.only else mark,
        better=[names[best] for best in analysis.best()] if after < value else [],
        values={name: analysis.moves[legal] for legal, name in names.items()},
        distances={name: distances[legal] for legal, name in names.items()},
    )


def judge_each(game: GameText) -> Iterator[Judged]:
    """Yield every decision of a game, judged."""
    # there is one more position than there are moves
    yield from map(judge, game.positions(), game.moves)


def review(game: GameText) -> list[Judged]:
    return list(judge_each(game))


def turning_point(latest_first: Iterable[Judged]) -> Judged | None:
    """Return the last decision that lost exact value, which decided the game, or None."""
    return next((decision for decision in latest_first if decision.lost), None)


def accuracy(decisions: Iterable[Judged], player: str) -> Accuracy:
    """Return the accuracy of the first or the second player."""
    own = [decision for decision in decisions if decision.player == player]
    staked = [decision for decision in own if decision.at_stake]
    # where nothing is at stake nothing can be lost
    right, kept = (sum(not decision.lost for decision in group) for group in (staked, own))
    return Accuracy(right, len(staked), kept, len(own))


def where_lost(game: GameText) -> str:
    """Return the verdict on a game that was won, judged from the end to the turning point."""
    moves = zip(reversed(game.positions()[:-1]), reversed(game.moves), strict=True)
    decisive = turning_point(judge(*move, distance=False) for move in moves)
    assert decisive, "the empty board is a draw"
    return verdict(game, decisive)


def verdict(game: GameText, decisive: Judged) -> str:
    """Return a sentence about the turning point of a game."""
    who = game.players[SEATS.index(decisive.player)]
    lost = "lost it" if decisive.after < 0 else "gave the win away"
    how = "giving" if decisive.kind == "give" else "placing on"
    alternatives = " ".join(decisive.better[:MOST_ALTERNATIVES])
    value = "the win" if decisive.value > 0 else "the draw"
    text = f"{who} {lost} in move {decisive.number} by {how} {decisive.move}"
    return f"{text}; {alternatives} would have kept {value}"
