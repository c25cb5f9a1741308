"""A run behaves as a dictionary; model.py says how. More sequences: python -m tests.store.model."""

import pytest
from hypothesis import Phase

from store import StoreError
from tests.simulation.bugs import BUGS
from tests.store.model import MODELS, explore

# bug -> the place where it shows itself
PLANTED = {"temporary files stay": "local", "lease without expiry": "s3"}


@pytest.mark.parametrize("place", MODELS)
def test_a_run_behaves_as_its_model(place):
    explore(place, examples=15, operations=12, derandomize=True)


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_noticed(bug):
    # not shrunk to the shortest sequence
    options = {"derandomize": True, "phases": [Phase.generate], "report_multiple_bugs": False}
    with BUGS[bug](), pytest.raises((AssertionError, StoreError)):
        explore(PLANTED[bug], examples=100, operations=12, **options)
