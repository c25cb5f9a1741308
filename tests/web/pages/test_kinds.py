"""Kinds of runs: each is defined by the package that makes it, and registered."""

import inspect

import pyarrow as pa
import pytest

import arena.kind
import evo.summary
import selfplay.kinds
from store import Run
from store.kinds import Kind
from store.runs import summary_of
from web.pages.kinds import KINDS

MODULES = (arena.kind, evo.summary, selfplay.kinds)
STEP = pa.table({"n": [1]})


def defined_kinds():
    for module in MODULES:
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, Kind) and value is not Kind:
                yield value


def test_every_kind_that_a_package_defines_is_registered():
    names = [kind.name for kind in defined_kinds()]
    assert {"tournament", "evolution", "self-play"} < set(names)
    assert sorted(names) == sorted(KINDS)


@pytest.mark.parametrize(
    ("kind", "steps", "how_far", "done"),
    [
        ("demo", ["a", "b"], "2 steps", True),
        ("demo", ["a", "part-b-00000"], "1 step", False),
        ("self-play", ["round-00000"], "1 round", False),
        ("self-play", ["round-00000", "mind"], "1 round, done", True),
        ("net", ["pieces-05", "pieces-06"], "2 numbers of pieces", True),
        ("net", ["pieces-05", "part-pieces-06-00000"], None, False),
    ],
)
def test_a_run_reports_its_progress(tmp_path, kind, steps, how_far, done):
    with Run(tmp_path, kind, {}) as run:
        for step in steps:
            run.write(step, STEP, {"holds": "rl table"} if step == "mind" else {})
    summary = summary_of(str(tmp_path), KINDS)
    expected = how_far or "1 number of pieces, parts of the next"
    assert summary.kind.how_far(summary) == expected
    assert summary.kind.is_done(summary) is done
    assert bool(summary.kind.champion(summary)) is ("mind" in steps)
