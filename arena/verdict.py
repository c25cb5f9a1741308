"""Where a game was lost: the decision after which, by the oracle, nothing could save it."""

from arena.game import Game
from engine.notation import move_name
from engine.position import NONE, Position
from engine.solver import analyse, solve

# From so many pieces on it takes no time to value every other move, too.
OTHERS_FROM = 6
MOST_OTHERS = 4
WORDS = {1: "the win", 0: "the draw"}


def turning_point(game: Game) -> tuple[Position, int, int]:
    """(position, move, the value that it gave away) of a game that is won: the loser's last
    decision before which it was not lost."""
    for position, who, move in reversed(game.history):
        value = solve(position)
        # of the opponent's decisions none makes it worse for the loser
        if who != game.acting and value >= 0:
            return position, move, value
    raise AssertionError("the empty board is a draw")


def where_lost(game: Game) -> str:
    """In one line."""
    position, move, value = turning_point(game)
    loser = game.players[1 - game.acting].label
    how = "giving" if position.hand == NONE else "placing on"
    text = f"{loser} lost it in turn {position.placed + 1} by {how} {move_name(position, move)}"
    if position.placed < OTHERS_FROM:
        return f"{text}, which gave {WORDS[value]} away"
    values = analyse(position).moves
    others = [move_name(position, other) for other in values if values[other] == value]
    return f"{text}; {' '.join(others[:MOST_OTHERS])} would have kept {WORDS[value]}"
