import numpy as np
import pytest

import agents
from agents.search.mcts import CHILDREN, COUNT, LOST, VISITS, WON, WORDS
from oracle import testset
from tests.engine.positions import random_position

QUESTIONS = testset.read()
OUTCOME = {int(WON): 1, int(LOST): -1, 2: 0}


def questions(placed, count):
    return [question for question in QUESTIONS if question.position.placed == placed][:count]


def turn_of(player, position, seed=0):
    cell = player.place(position, seed)
    return cell, player.give(position.place(cell), seed)


def children(tree):
    """Return {turn: (visits, outcome or 0, points)} of the root's children."""
    first, count = int(tree[1]), int(tree[0] >> CHILDREN & COUNT)
    nodes = [first + int(WORDS) * i for i in range(count)]
    return {
        (int(tree[n]) >> 4 & 15, int(tree[n]) & 15): (
            int(tree[n] >> VISITS),
            int(tree[n]) >> 8 & 3,
            int(tree[n + 2]),
        )
        for n in nodes
    }


@pytest.mark.parametrize("placed", [8, 9, 10, 11, 12])
def test_outcomes_that_the_tree_proves_are_exact(placed):
    player, proved = agents.make("mcts:playouts=3000"), {1: 0, 0: 0, -1: 0}
    for position, value, turns in questions(placed, 25):
        cell = player.place(position, 1)
        for turn, (_, outcome, _) in children(player.mind.memory).items():
            if outcome:
                assert turns[turn] == OUTCOME[outcome]
                proved[OUTCOME[outcome]] += 1
        root = int(player.mind.memory[0]) >> 8 & 3
        if root:
            # from the point of view of the player who moved to the root
            assert value == -OUTCOME[root] and turns[cell].max() == value
    assert proved[-1] > 20 and proved[1] > 0 and (proved[0] > 0 or placed < 10)


def test_every_playout_is_a_visit_and_goes_through_one_turn():
    player = agents.make("mcts:playouts=400")
    for position, _, turns in questions(6, 10):
        player.place(position, 3)
        tree = player.mind.memory
        root = int(tree[0] >> VISITS)
        turns_tried = children(tree)
        assert sum(visits for visits, _, _ in turns_tried.values()) == root
        assert root == 400 or int(tree[0]) >> 8 & 3
        assert all(0 <= points <= 2 * visits for visits, _, points in turns_tried.values())
        safe = {(c, q) for c in position.legal() for q in position.place(c).safe_pieces()}
        assert set(turns_tried) == safe and (turns > -9).sum() >= len(safe)


def test_a_larger_exploration_constant_spreads_the_visits():
    position = questions(6, 4)[3].position
    shares = []
    for c in (0.1, 1.4, 20.0):
        player = agents.make(f"mcts:playouts=4000,c={c}")
        player.place(position, 1)
        visits = np.array([v for v, _, _ in children(player.mind.memory).values()])
        shares.append(visits.max() / visits.sum())
    assert shares[0] > shares[1] > shares[2]


def test_more_playouts_find_more_right_turns():
    right = []
    for playouts in (10, 200, 3000):
        player = agents.make(f"mcts:playouts={playouts}")
        asked = questions(9, 100)
        right.append(sum(q.turns[turn_of(player, q.position)] == q.value for q in asked))
    assert right[0] + 5 < right[1] < right[2] and right[2] > 95


def test_a_tree_without_room_still_answers():
    player = agents.make("mcts:playouts=2000")
    small = player.with_mind(player.mind._replace(memory=np.zeros(1600, np.uint64)), "small")
    quiet = 0
    for seed in range(10):
        position = random_position(seed, 7)
        if not position.winning_cells():
            quiet += 1
            assert small.place(position, seed) in position.legal()
            assert int(small.mind.memory[0] >> VISITS) in range(1, 2001)
    assert quiet > 3


def test_an_answer_does_not_depend_on_earlier_questions():
    asked = [question.position for question in questions(7, 6)]
    player = agents.make("mcts:playouts=300")
    together = [turn_of(player, position, 5) for position in asked]
    alone = [turn_of(agents.make("mcts:playouts=300"), position, 5) for position in asked[::-1]]
    assert together == alone[::-1]
