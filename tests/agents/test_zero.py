import numpy as np
import pytest

import agents
from agents.sprint.net import WEIGHTS
from agents.zero import NETS
from oracle.turn_values import quiet_position
from tests.agents.search.test_bounded import questions, turn_of
from tests.agents.test_sprint import feature_vector, plain_answers, safe_turns


def expected_points(player, given):
    net = player.learned.view(np.float32).reshape(-1, WEIGHTS)[NETS.index(given.placed)]
    return (1 / (1 + np.exp(-plain_answers(feature_vector(given), net)))).sum()


@pytest.mark.parametrize("placed", [1, 4, 6, 9, 12])
def test_without_a_search_it_takes_the_turn_with_the_most_expected_points(placed):
    player = agents.make("zero:nodes=0")
    for index in range(25):
        position = quiet_position(8, placed, index)
        turns = safe_turns(position)
        given = {(c, q): position.place(c).give(q) for c, q in turns}
        # a player without a safe reply loses: no evaluation is needed
        lost = {
            turn
            for turn, one in given.items()
            if not any(one.place(cell).safe_pieces() for cell in one.legal())
        }
        if not turns:
            continue
        chosen = turn_of(player, position)
        if lost:
            assert chosen in lost
        else:
            points = {turn: expected_points(player, position) for turn, position in given.items()}
            assert points[chosen] == pytest.approx(max(points.values()), abs=1e-4)


def right_turns(spec, asked):
    player = agents.make(spec)
    return sum(q.turns[turn_of(player, q.position)] == q.value for q in asked)


def test_the_net_improves_its_turns_and_a_search_improves_them_further():
    early, late = questions(5, 400), questions(8, 400)
    nothing, learned = (
        right_turns(spec, early) for spec in ("zero:net=none,nodes=0", "zero:nodes=0")
    )
    assert nothing + 40 < learned
    assert right_turns("zero:nodes=0", late) + 40 < right_turns("zero", late)


def test_an_answer_depends_on_the_position_alone():
    asked = [question.position for placed in (5, 6, 9) for question in questions(placed, 8)]
    fresh = [turn_of(agents.make("zero"), position) for position in asked]
    player = agents.make("zero")
    assert [turn_of(player, position) for position in asked[::-1]] == fresh[::-1]


def test_exploring_it_still_takes_wins_and_gives_safe_pieces():
    player, plain = agents.make("zero:explore=1,nodes=0"), agents.make("zero:nodes=0")
    other = 0
    for index in range(60):
        position = quiet_position(3, 6 + index % 6, index)
        cells = {player.place(position, seed) for seed in range(6)}
        other += cells != {plain.place(position)}
        after = position.place(cells.pop())
        if not after.is_over and after.safe_pieces():
            assert player.give(after, index) in after.safe_pieces()
    assert other > 50


def test_a_player_without_a_trained_net_needs_no_file(monkeypatch):
    monkeypatch.setattr("agents.zero.SHIPPED", None)
    assert agents.make("zero:net=none,nodes=0").place(quiet_position(1, 5, 1)) >= 0
