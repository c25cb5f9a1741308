"""The engine's answers at every step of one game. Any change of the rules changes them.

After an intended change, `python -m tests.engine.test_golden > tests/engine/golden_game.txt` writes
the transcript again.
"""

from pathlib import Path

from engine import NONE, Position, canonical_key
from engine.exact.solver import analyse

# a draw on a full board; from the sixth piece on, every move keeps the exact value
MOVES = [
    12,
    13,
    0,
    4,
    9,
    8,
    7,
    15,
    5,
    9,
    8,
    12,
    6,
    11,
    14,
    6,
    15,
    0,
    13,
    7,
    11,
    14,
    10,
    2,
    1,
    3,
    4,
    10,
    3,
    1,
    2,
    5,
]


def transcript() -> str:
    position, lines = Position.start(), []
    for move in [*MOVES, None]:
        lines.append(position.to_text())
        lines.append(f"  over {position.is_over} won {position.is_won} last {position.last}")
        lines.append(f"  legal {position.legal()}")
        lines.append(f"  winning {position.winning_cells()} safe {position.safe_pieces()}")
        if position.hand != NONE or position.pool:
            lines.append(f"  key {canonical_key(position):016x}")
        if position.placed >= 6:
            analysis = analyse(position)
            lines.append(f"  value {analysis.value} moves {analysis.moves}")
        if move is None or position.is_over:
            break
        lines.append(f"{'give' if position.hand == NONE else 'place'} {move}")
        position = position.give(move) if position.hand == NONE else position.place(move)
    return "\n".join(lines) + "\n"


def test_the_transcript_of_the_golden_game_is_unchanged():
    assert transcript() == Path(__file__).with_name("golden_game.txt").read_text()


if __name__ == "__main__":
    print(transcript(), end="")
