import itertools
import random

import pytest

import agents
from agents.whole_turn import before_last
from engine import Position
from oracle import testset
from oracle.turn_values import NOT_LEGAL
from tests.engine.positions import random_position

QUESTIONS = testset.read()


def questions(placed, count):
    return [question for question in QUESTIONS if question.position.placed == placed][:count]


def turn_of(player, position):
    cell = player.place(position)
    return cell, player.give(position.place(cell))


def count_replies(given):
    return sum(len(given.place(cell).safe_pieces()) for cell in given.legal())


@pytest.mark.parametrize("placed", [8, 9, 10, 11, 12])
def test_with_enough_nodes_every_turn_keeps_the_exact_value(placed):
    player = agents.make("bounded:nodes=1000000")
    for position, value, turns in questions(placed, 60):
        assert turns[turn_of(player, position)] == value


def test_with_a_single_node_it_leaves_the_fewest_replies():
    player, refuted_turns = agents.make("bounded:nodes=1"), 0
    for position, _, turns in questions(7, 40):
        legal = [turn for turn in itertools.product(range(16), repeat=2) if turns[turn] > NOT_LEGAL]
        given = {
            (cell, piece): position.place(cell).give(piece)
            for cell, piece in legal
            if piece in position.place(cell).safe_pieces()
        }
        replies = {turn: count_replies(left) for turn, left in given.items()}
        # ties go to the first, by cell and then by piece
        first, second = sorted(replies, key=lambda turn: (replies[turn], turn))[:2]
        # its single node finds a reply that leaves us no safe reply
        refuted = any(
            count_replies(given[first].place(cell).give(piece)) == 0
            for cell in given[first].legal()
            for piece in given[first].place(cell).safe_pieces()
        )
        refuted_turns += refuted
        assert turn_of(player, position) == (second if refuted else first)
    assert 0 < refuted_turns < 40


def test_more_nodes_find_more_right_turns():
    right = {}
    for nodes in (1, 200, 5000):
        player = agents.make(f"bounded:nodes={nodes}")
        asked = questions(7, 150)
        right[nodes] = sum(q.turns[turn_of(player, q.position)] == q.value for q in asked)
    assert right[1] < right[200] - 10 < right[200] < right[5000] - 10
    assert right[5000] > 140


def test_an_answer_depends_on_the_position_alone():
    """Not on earlier questions, nor on whether the same player decided the placement."""
    asked = [question.position for placed in (5, 6, 7, 9) for question in questions(placed, 8)]
    fresh = [turn_of(agents.make("bounded:nodes=600"), position) for position in asked]
    player = agents.make("bounded:nodes=600")
    order = list(range(len(asked)))
    random.Random(1).shuffle(order)
    assert [turn_of(player, asked[i]) for i in order] == [fresh[i] for i in order]
    for (cell, piece), position in zip(fresh, asked, strict=True):
        assert agents.make("bounded:nodes=600").give(position.place(cell)) == piece


def test_two_limits_that_share_a_memory_do_not_share_a_turn():
    few, many = agents.make("bounded:nodes=1"), agents.make("bounded:nodes=5000")
    shared = few.with_mind(many.mind._replace(parameters=few.mind.parameters), "few")
    differ = 0
    for position, *_ in questions(7, 30):
        expected = turn_of(few, position)
        differ += turn_of(many, position) != expected
        assert turn_of(shared, position) == expected
    assert differ


def test_it_gives_a_piece_even_after_a_placement_that_is_not_its_own():
    player, otherwise = agents.make("bounded:nodes=300"), 0
    for seed in range(30):
        position = random_position(seed, 5 + seed % 9)
        for cell in position.legal():
            after = position.place(cell)
            if after.is_over or not after.safe_pieces():
                continue
            otherwise += cell != player.place(position)
            assert player.give(after) in after.safe_pieces()
            without_last = after._replace(last=-1)
            assert player.give(without_last) in after.safe_pieces()
    assert otherwise > 30


def test_the_position_before_the_last_placement_is_recovered():
    for seed in range(40):
        position = random_position(seed, 1 + seed % 15)
        for cell in position.legal():
            before = Position(*before_last(position.place(cell)))
            assert before == position._replace(last=-1)
