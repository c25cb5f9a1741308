import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.outcomes import OutcomeTable, Results, as_words, look_up, score_of, visits_of
from engine.jit.kernel import kernel


@kernel("uint64(uint64[::1], uint64)")
def find(words, key):
    return look_up(words, np.uint64(0), key)


@kernel("float64(uint64)")
def score(entry):
    return score_of(entry)


@kernel("int64(uint64)")
def visits(entry):
    return visits_of(entry)


def test_look_up_returns_the_results_of_each_key_and_none_for_others():
    chance = np.random.default_rng(3)
    keys = np.unique(
        np.concatenate(
            [chance.integers(0, 2**63, 5000, np.uint64), np.arange(300, dtype=np.uint64)]
        )
    )
    counts = chance.integers(0, 1000, (3, len(keys)))
    words = as_words(Results(keys, counts.sum(axis=0), *counts))
    for key, wins, draws, losses in zip(keys, *counts, strict=True):
        entry = find(words, key)
        assert visits(entry) == wins + draws + losses
        if visits(entry):
            assert abs(score(entry) - (wins - losses) / (wins + draws + losses)) < 1e-12
    assert not any(find(words, key) for key in chance.integers(2**63, 2**64 - 1, 1000, np.uint64))
    assert find(as_words(Results.none()), np.uint64(0)) == 0, "an empty table has no entry"


def level(keys: int) -> st.SearchStrategy[dict[int, tuple[int, int, int]]]:
    """Draw wins, draws and losses by key, from few keys, so that tables share some."""
    count = st.integers(0, 1000)
    return st.dictionaries(st.integers(0, keys) | st.just(2**64 - 2), st.tuples(*3 * [count]))


def make(rows: dict[int, tuple[int, int, int]]) -> Results:
    keys = sorted(rows)
    counts = np.array([rows[key] for key in keys], np.int64).reshape(-1, 3)
    return Results.of_counts(np.array(keys, np.uint64), counts)


TABLES = st.builds(OutcomeTable, level(30).map(make), level(5).map(make))


def columns(table: OutcomeTable) -> list[list]:
    return [column.tolist() for results in table for column in results]


@settings(deadline=None)
@given(st.lists(TABLES, min_size=1, max_size=6), st.data())
def test_the_sum_of_tables_does_not_depend_on_order_or_grouping(several, data):
    at_once = OutcomeTable.empty().add(*several)
    shuffled = data.draw(st.permutations(several))
    cut = data.draw(st.integers(0, len(several)))
    parts = (OutcomeTable.empty().add(*part) for part in (shuffled[:cut], shuffled[cut:]))
    assert columns(at_once) == columns(next(parts).add(next(parts)))
    for name in OutcomeTable._fields:
        met = sum(getattr(table, name).visits.sum() for table in several)
        sums = getattr(at_once, name)
        assert sums.visits.sum() == met == (sums.wins + sums.draws + sums.losses).sum()
        assert sums.key.tolist() == sorted({k for t in several for k in getattr(t, name).key})


@settings(deadline=None)
@given(TABLES)
def test_a_table_that_is_stored_and_read_is_unchanged(table):
    again = OutcomeTable.from_arrow(table.to_arrow())
    assert columns(again) == columns(table)
    types = [[column.dtype for column in results] for results in again]
    assert types == 2 * [[np.uint64] + 4 * [np.int64]]


@settings(deadline=None)
@given(TABLES, st.integers(0, 40))
def test_pruning_keeps_the_most_visited_keys_and_the_smaller_ones_of_a_tie(table, size):
    rows = sorted(zip(*table.exact, strict=True), key=lambda row: (-row[1], row[0]))
    pruned = table.prune(size)
    assert list(zip(*pruned.exact, strict=True)) == sorted(rows[:size])
    assert columns(pruned)[5:] == columns(table)[5:], "the coarse level stays"


@pytest.mark.parametrize("value", [None, float("nan"), "1", [1]])
def test_a_table_that_holds_no_whole_numbers_is_refused(value):
    table = OutcomeTable(make({7: (1, 0, 0)}), Results.none()).to_arrow()
    for name in Results._fields:
        damaged = table.set_column(table.column_names.index(name), name, pa.array([value]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match="not whole numbers"):
                OutcomeTable.from_arrow(damaged)
