import pytest

from agents.beam.lure import LOOKED_AT, trap_share
from engine.exact.solver import solve
from engine.exact.solver_memory import LIMIT, NODES, make_memory
from engine.jit.kernel import kernel, types
from engine.position import POSITION
from oracle.turn_values import quiet_position


@kernel(types.float64(POSITION, types.uint64[::1]))
def share(position, words):
    return trap_share(position, words)


def quiet(placed, number):
    return [quiet_position(1, placed, i) for i in range(number)]


def safe_turns(position):
    boards = [position.place(cell) for cell in position.legal()]
    return [board.give(piece) for board in boards for piece in board.safe_pieces()]


@pytest.mark.parametrize("placed", [9, 10, 12])
def test_a_trap_is_a_promising_turn_that_loses(placed):
    words, shares = make_memory(), []
    for position in quiet(placed, 40):
        turns = sorted(safe_turns(position), key=lambda turn: len(safe_turns(turn)))
        shares.append(share(position, words))
        if len(turns) <= LOOKED_AT or len(safe_turns(turns[LOOKED_AT - 1])) < len(
            safe_turns(turns[LOOKED_AT])
        ):
            expected = [solve(turn) == 1 for turn in turns[:LOOKED_AT]]
            assert shares[-1] == pytest.approx(sum(expected) / max(1, len(expected)))
    assert len(set(shares)) > 3


def test_it_stops_at_the_node_limit():
    words = make_memory()
    words[LIMIT] = 50
    for position in quiet(7, 5):
        words[NODES] = 0
        share(position, words)
        assert 50 < words[NODES] < 100
