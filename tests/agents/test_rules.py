import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agents
from agents.rules.english import explain, read_english
from agents.rules.language import NAMES, STAGES, Rule, Strategy, Term
from agents.rules.player import rules_mind, shipped_strategies
from agents.rules.quantities import ALL_GROUPS, COUNT, count_quantities
from engine.exact.quiet import as_quiet
from engine.jit.kernel import kernel, types
from engine.lines import LINES
from engine.position import POSITION
from engine.symmetry import canonical_key
from oracle.turn_values import quiet_position
from tests.agents.search.test_bounded import turn_of
from tests.agents.test_sprint import safe_turns
from tests.commands import call
from tests.engine.positions import transform

ORDERS = list(itertools.permutations(range(4)))


@kernel(types.void(POSITION, types.int64[::1]))
def fill_counts(position, counts):
    count_quantities(as_quiet(position), ALL_GROUPS, counts)


def counts_of(position):
    counts = np.full(COUNT, -1)
    fill_counts(position, counts)
    return dict(zip(list(NAMES)[:COUNT], counts.tolist(), strict=True))


def positions(least=1, most=14):
    return st.builds(
        lambda placed, index: quiet_position(78, placed, index),
        st.integers(least, most),
        st.integers(0, 10**6),
    )


TERMS = st.lists(
    st.builds(Term, st.integers(-9, 9).filter(bool), st.integers(0, len(NAMES) - 1)),
    min_size=1,
    max_size=5,
    unique_by=lambda term: term.quantity,
)
RULES = st.builds(Rule.of, TERMS, st.booleans(), st.booleans())
BLOCKS = st.lists(RULES, min_size=1, max_size=3).map(tuple)
STRATEGIES = st.dictionaries(st.sampled_from(STAGES), BLOCKS, max_size=4).map(Strategy.of)


@settings(deadline=None)
@given(STRATEGIES)
def test_a_strategy_is_read_back_from_its_text_and_from_its_english(strategy):
    assert Strategy.parse(str(strategy)) == strategy
    assert str(Strategy.parse(str(strategy))) == str(strategy)
    assert read_english(explain(strategy)) == strategy


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("5-9 fewest turns", "write STAGES: RULE"),
        ("5-9: fewest", "is no rule; a rule is like 'fewest turns'"),
        ("5-9: fewest turn", "unknown quantity 'turn'"),
        ("5-9: fewest turns - turns", "a sum of nothing"),
        ("5-9: most 100 turns - live", "weights to 99"),
        ("0-9: fewest turns", "give numbers of pieces, 1 to 12"),
        ("5-99999999999: fewest turns", "give numbers of pieces, 1 to 12"),
        ("5: fewest turns\n4-6: most odd", "5 pieces are in two lines"),
        ("5: " + "; ".join(["most odd"] * 25), "5 pieces: at most 24 rules"),
    ],
)
def test_an_invalid_strategy_is_refused_with_the_reason(text, problem, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"rules: strategy=.*mine.txt: ") as error:
        agents.make(f"rules:strategy={file}")
    assert problem in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("change", [("Take wins", "Take losses"), ("fewest", "least"), ("5", "13")])
def test_english_that_no_strategy_has_is_refused(change):
    text = explain(Strategy.parse("5: fewest turns"))
    with pytest.raises(ValueError, match=r"not the English of a strategy|is no rule|give numbers"):
        read_english(text.replace(*change))


@settings(max_examples=200, deadline=None)
@given(positions(), st.integers(0, 31), st.sampled_from(ORDERS), st.integers(0, 15))
def test_no_symmetry_changes_a_quantity(position, cells, order, flips):
    assert counts_of(transform(position, cells, order, flips)) == counts_of(position)


@settings(max_examples=100, deadline=None)
@given(positions())
def test_the_quantities_match_their_definitions(position):
    counts, hand, board = counts_of(position), position.hand, position.board
    safe = [len(position.place(cell).safe_pieces()) for cell in position.legal()]
    assert counts["turns"] == sum(safe)
    assert counts["live"] == sum(number > 0 for number in safe)
    assert counts["odd"] == sum(number % 2 for number in safe)
    assert counts["even"] == counts["live"] - counts["odd"]
    assert (counts["tight"], counts["double"]) == (safe.count(1), safe.count(2))
    assert (counts["rich"], counts["poor"]) == (max(safe), min(safe))
    assert counts["safe"] == len(position._replace(hand=-1).safe_pieces())
    pieces = [position._replace(hand=p, pool=0) for p in range(16) if position.pool >> p & 1]
    assert counts["gaps"] >= len({cell for piece in pieces for cell in piece.winning_cells()})
    links, breaks, dead = [0] * 4, [0] * 4, 0
    for line in LINES:
        line_pieces = [board[cell] for cell in range(16) if line >> cell & 1 and board[cell] >= 0]
        if len(line_pieces) not in (1, 2, 3):
            continue
        shared = [len({p >> a & 1 for p in line_pieces}) == 1 for a in range(4)]
        like = [not (line_pieces[0] ^ hand) >> a & 1 for a in range(4)]
        links[len(line_pieces)] += sum(s and k for s, k in zip(shared, like, strict=True))
        breaks[len(line_pieces)] += sum(s and not k for s, k in zip(shared, like, strict=True))
        dead += not any(shared)
    assert [counts["alike1"], counts["alike2"], 0] == links[1:]
    assert [counts["unlike1"], counts["unlike2"], counts["unlike3"]] == breaks[1:]
    assert counts["dead"] == dead
    apart = [(p ^ hand).bit_count() for p in range(16) if position.pool >> p & 1]
    distances = [counts["near"], counts["far"], counts["opposite"]]
    assert distances == [apart.count(distance) for distance in (1, 3, 4)]


def plain_sum(rule, position, handed):
    counts = [*counts_of(position).values(), *counts_of(handed).values()]
    total = sum(term.weight * counts[term.quantity] for term in rule.terms)
    return total if rule.most else -total


def plain_choice(rules, position):
    """Return the turns that the rules leave over, by definition."""
    after = {(c, p): position.place(c).give(p) for c, p in safe_turns(position)}
    for rule in rules:
        values = {}
        for turn, handed in after.items():
            ends = [handed]
            if rule.worst:
                ends = [handed.place(c).give(p) for c, p in safe_turns(handed)]
            values[turn] = min((plain_sum(rule, end, handed) for end in ends), default=np.inf)
        after = {turn: after[turn] for turn in after if values[turn] == max(values.values())}
    return after


@settings(max_examples=50, deadline=None)
@given(positions(10, 14), BLOCKS)
def test_a_turn_is_chosen_as_the_rules_say(position, rules):
    strategy = Strategy.of(dict.fromkeys(STAGES, rules))
    player = agents.make("rules").with_mind(rules_mind(strategy), "rules")
    turns = plain_choice(rules, position)
    assert player.preferred(position) == sorted(16 * cell + piece for cell, piece in turns)
    if turns:
        assert turn_of(player, position) in turns


@settings(max_examples=60, deadline=None)
@given(positions(5, 12), st.integers(0, 31), st.sampled_from(ORDERS), st.integers(0, 15))
def test_equivalent_positions_get_equivalent_turns(position, cells, order, flips):
    player, keys = agents.make("rules"), []
    for image in (position, transform(position, cells, order, flips)):
        cell, piece = turn_of(player, image)
        keys.append(canonical_key(image.place(cell).give(piece)))
    if safe_turns(position):
        assert keys[0] == keys[1]


def test_an_exception_overrules_the_rules(tmp_path):
    position = quiet_position(3, 7, 11)
    chosen = turn_of(agents.make("rules"), position)
    wanted = next(turn for turn in safe_turns(position) if turn[0] != chosen[0])
    after = canonical_key(position.place(wanted[0]).give(wanted[1]))
    table = pa.table({"key": [canonical_key(position)], "after": [after]})
    parquet.write_table(table, tmp_path / "exceptions.parquet")
    player = agents.make(f"rules:exceptions={tmp_path}/exceptions.parquet")
    cell, piece = turn_of(player, position)
    assert canonical_key(position.place(cell).give(piece)) == after
    assert player.preferred(position) == [16 * cell + piece]
    other = quiet_position(3, 7, 12)
    assert turn_of(player, other) == turn_of(agents.make("rules"), other)
    assert player.digest != agents.make("rules").digest


@pytest.mark.parametrize("content", [b"no parquet", None])
def test_a_file_without_exceptions_is_refused_in_one_line(tmp_path, content):
    file = tmp_path / "exceptions.parquet"
    if content:
        file.write_bytes(content)
    with pytest.raises(ValueError, match=r"^rules: exceptions=.*parquet: [^\n]*$"):
        agents.make(f"rules:exceptions={file}")


def test_every_shipped_strategy_fits_into_120_words_that_say_it_all():
    shipped = shipped_strategies()
    assert min(shipped) == 1 and max(shipped) >= 2
    for size, strategy in shipped.items():
        english = explain(strategy)
        assert read_english(english) == strategy and len(english.split()) <= 120
        assert english.count("\nWith ") + english.count(", then ") == size


def test_a_smaller_size_asks_for_a_strategy_of_fewer_rules():
    sizes = [agents.make(f"rules:size={size}").strategy.size for size in (1, 12)]
    assert sizes == sorted(set(sizes)) and sizes[0] == 1


def test_the_players_command_prints_the_strategy_in_english():
    done = call("agents.__main__", "rules:size=1")
    english = explain(agents.make("rules:size=1").strategy)
    assert " ".join(english.split()) in " ".join(done.out.split())
