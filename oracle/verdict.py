"""Where a game was decided, in a sentence: the last decision that lost exact value."""

from engine.game_text import SEATS, GameText
from oracle.judge import Judged, judge, turning_point

MOST_OTHERS = 4
WORDS = {1: "the win", 0: "the draw"}
HOW = {"give": "giving", "place": "placing on"}


def where_lost(game: GameText) -> str:
    """Of a game that is won: asks the oracle from the end on, until it is known."""
    moves = zip(reversed(game.positions()[:-1]), reversed(game.moves), strict=True)
    decisive = turning_point(judge(*one, distance=False) for one in moves)
    assert decisive, "the empty board is a draw"
    return sentence(game, decisive)


def sentence(game: GameText, decisive: Judged) -> str:
    """The turning point of a game."""
    who = game.players[SEATS.index(decisive.player)]
    lost = "lost it" if decisive.after < 0 else "gave the win away"
    text = f"{who} {lost} in move {decisive.number} by {HOW[decisive.kind]} {decisive.move}"
    others = " ".join(decisive.better[:MOST_OTHERS])
    return f"{text}; {others} would have kept {WORDS[decisive.value]}"
