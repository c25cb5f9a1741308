import numpy as np
import pytest

import agents
from agents.beam import layout
from agents.beam.layout import CACHE, HITS, LOOKUPS, PARTS
from agents.beam.rules import measure
from agents.beam.search import depth_of
from agents.learned import read_shipped
from agents.mind import Mind
from agents.outcomes import read_results
from agents.sprint.features import REPLIES
from arena.match import play_match
from engine.exact.solver import solve
from engine.exact.solver_memory import NODES
from engine.lines import LINES
from engine.symmetry import from_key
from evo.genomes import GENOMES
from oracle import testset
from oracle.turn_values import quiet_position
from selfplay.learners import LEARNERS
from tests.agents.search.test_bounded import questions, turn_of
from tests.agents.test_sprint import feature_vector, nets_of, plain_answers, safe_turns
from tests.engine.positions import random_position
from workers.transport import pack, unpack

LEARNER = LEARNERS["beam"].first_player


def test_with_ten_or_more_pieces_placed_every_decision_is_right():
    beam = agents.make("beam")
    questions = [q for q in testset.read() if q.position.placed >= 10][::10]
    for position, value, turns in questions:
        cell = beam.place(position)
        after = position.place(cell)
        piece = 0 if after.is_over else beam.give(after)
        assert turns[cell, piece] == value, position


def test_a_decision_does_not_depend_on_earlier_ones():
    fresh = {
        seed: agents.make("beam").place(random_position(seed, 5 + seed % 4), rng=seed)
        for seed in range(8)
    }
    beam = agents.make("beam")
    for seed in [*range(8), *reversed(range(8))]:
        assert beam.place(random_position(seed, 5 + seed % 4), rng=seed) == fresh[seed]


def test_the_fixed_rules_measure_what_they_say():
    for seed in range(60):
        board = random_position(seed, seed % 7, hand=False)
        active = []
        for line in LINES.tolist():
            pieces = [
                board.piece_at(cell)
                for cell in range(16)
                if line >> cell & 1 and board.piece_at(cell) >= 0
            ]
            shared = sum(len({p >> a & 1 for p in pieces}) == 1 for a in range(4))
            if pieces and shared:
                active.append((len(pieces), shared))
        sizes, common = [a[0] for a in active], [a[1] for a in active]
        assert [measure(board, rule) for rule in range(4)] == [
            len(active),
            -len(active),
            max(sizes, default=0),
            sum(common),
        ]


def test_the_options_make_different_players():
    options = ("widths=3-3-3-3", "rule=3", "cache=off", "reward=flat", "nodes=500", "cunning=9")
    specs = ["beam", "beam:thorough=false", *(f"beam:{option}" for option in options)]
    assert len({agents.make(spec).digest for spec in specs}) == len(specs)
    genes = "rule=2,boldness=1,cunning=0,trust=3,greed=0.5,caution=7-8-9"
    named = agents.make(f"beam:widths=3-4-5-6,{genes}")
    assert named.mind.parameters[:12].tolist() == [2, 1, 0, 3, 4, 5, 6, 3, 0.5, 7, 8, 9]


@pytest.mark.parametrize(
    ("missing", "specs"),
    [
        ("beam cache", [LEARNER, *(name for name in LEARNERS["beam"].mix if "beam" in name)]),
        ("beam genes", [GENOMES["beam"].player, *GENOMES["beam"].opponents]),
    ],
)
def test_training_needs_nothing_that_it_produces(monkeypatch, tmp_path, missing, specs):
    """`make train` from scratch: evolution needs a reward but no champion and no cache, self-play
    a champion but no cache."""
    monkeypatch.setitem(layout.PARTS, missing, tmp_path / "none.parquet")
    for spec in specs:
        player = agents.make(spec)
        assert (unpack(pack(player)).mind.parameters == player.mind.parameters).all()
    with pytest.raises(ValueError, match="there is no such file"):
        agents.make("beam")


def test_with_few_nodes_its_moves_are_still_legal():
    for nodes in (1, 20, 300):
        beam = agents.make(f"beam:nodes={nodes}")
        for placed in range(4, 15):
            position = random_position(placed, placed)
            assert beam.place(position) in position.legal()


def test_the_shipped_cache_is_used_and_mostly_right():
    beam = agents.make("beam")
    play_match(beam, agents.make("hardcoded"), 1, 10)
    assert beam.mind.memory[HITS] > 0.01 * beam.mind.memory[LOOKUPS] > 1
    results, _ = read_results(read_shipped(PARTS[CACHE]))
    sample = np.random.default_rng(1).choice(len(results.key), 40, replace=False)
    wrong = 0
    for i in sample:
        claimed = np.rint((results.wins[i] - results.losses[i]) / results.visits[i])
        wrong += solve(from_key(results.key[i], True)) != claimed
    assert wrong <= 6


@pytest.mark.parametrize("name", ["blindbeam", "randombeam"])
def test_the_weakened_players_still_take_a_win(name):
    player, wins = agents.make(name), 0
    for seed in range(30):
        position = random_position(seed, 13, hand=True)
        if position.winning_cells():
            wins += 1
            assert player.place(position, rng=seed) in position.winning_cells()
    assert wins > 10


def test_the_depth_is_the_largest_that_the_nodes_allow_for_the_width():
    for width in range(2, 65):
        depth = depth_of(width, 2000.0)
        assert depth == max(1, int(np.log(2000.5) / np.log(width)))
    assert depth_of(1, 2000.0) == 16, "a width of 1 follows one line to the end of the game"


PLAIN = "beam:rule=1,cunning=0,greed=0.9,cache=off"


def evaluation(given, nets):
    """Return the evaluations (not lost, won) for the player who hands it over. They are certain
    where no safe answer is left."""
    features = feature_vector(given)
    if features[REPLIES] == 0:
        return np.array([30.0, 30.0])
    return plain_answers(features, nets[given.placed])


def evaluation_after_replies(given, nets):
    """Return the same after the opponent's best answers: its wins are our losses."""
    replies = [evaluation(given.place(c).give(q), nets) for c, q in safe_turns(given)]
    return -np.max(replies, axis=0)[::-1]


def share_of_gifts(given):
    """Return the share of the opponent's turns that hand over a win."""
    return 1 - len(safe_turns(given)) / (len(given.legal()) * given.pool.bit_count())


def rating(judged, caution, lure):
    return [min(judged[0], caution) + lure, judged[1]]


@pytest.mark.parametrize(
    ("placed", "width", "trust", "boldness", "caution"),
    [(5, 6, 0.2, 0, 20), (5, 1, 2, 0, 20), (4, 3, 1, 0, 20), (4, 9, 1, 4, 2), (5, 9, 0.5, 3, 4)],
)
def test_without_a_search_it_takes_the_turn_that_two_nets_rate_highest(
    placed, width, trust, boldness, caution
):
    """Ratings above the caution count the same; the lure is added."""
    spec = f"{PLAIN},widths={{0}}-{{0}}-{{0}}-{{0}},trust={trust},boldness={boldness},"
    player = agents.make(spec.format(width) + f"caution={caution}-{caution}-{caution}")
    nets, chose_other = nets_of(agents.make("sprint")), 0
    for index in range(4):
        position = quiet_position(7, placed, index)
        given = {(c, q): position.place(c).give(q) for c, q in safe_turns(position)}
        gifts = {turn: share_of_gifts(one) for turn, one in given.items()}
        judged = {turn: evaluation(one, nets) for turn, one in given.items()}
        first = {turn: rating(judged[turn], caution, boldness * gifts[turn]) for turn in given}
        best = [sorted(given, key=lambda turn: -first[turn][i])[:width] for i in (0, 1)]
        values = {}
        for turn in {*best[0], *best[1]}:
            further = judged[turn] + trust * evaluation_after_replies(given[turn], nets)
            values[turn] = rating(further, caution, boldness * gifts[turn])
        hopeful = max(values, key=lambda turn: values[turn][1])
        goal = 1 if judged[hopeful][1] > 0 else 0
        chosen = turn_of(player, position)
        assert values[chosen][goal] == pytest.approx(
            max(v[goal] for v in values.values()), abs=1e-2
        )
        chose_other += chosen != max(given, key=lambda turn: judged[turn][goal])
    assert chose_other > 0 or width == 1


@pytest.mark.parametrize(("placed", "least"), [(5, 475), (6, 460), (7, 485), (8, 497), (9, 500)])
def test_nearly_all_of_its_turns_are_right(placed, least):
    """Out of 500. Its design goal is 95, 90 and 95 % with 5, 6 and 7 pieces."""
    player = agents.make("beam")
    asked = questions(placed, 500)
    assert sum(q.turns[turn_of(player, q.position)] == q.value for q in asked) >= least


def test_a_turn_depends_on_the_genes_only_if_minds_share_a_memory():
    """Evolution evaluates many minds in one memory."""
    genes = f"{PLAIN},boldness=0,trust=2,caution=20-20-20"
    one, other = (agents.make(f"{genes},widths={w}-{w}-{w}-{w}") for w in (1, 20))
    position = next(
        position
        for position in (quiet_position(7, 5, index) for index in range(50))
        if turn_of(one, position) != turn_of(other, position)
    )
    shared = other.with_mind(Mind(other.mind.parameters, one.mind.memory), "other")
    assert [turn_of(player, position) for player in (one, shared, one)] == [
        turn_of(player, position) for player in (one, other, one)
    ]


def test_it_searches_hardly_more_nodes_than_allowed():
    beam = agents.make("beam:nodes=500")
    for placed in (6, 7, 8, 9):
        for question in questions(placed, 20):
            turn_of(beam, question.position)
            assert beam.mind.memory[NODES] < 600
