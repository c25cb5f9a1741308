"""The real drivers in the simulated world. More lives: python -m tests.simulation."""

import pytest

from tests.simulation.bugs import BUGS
from tests.simulation.life import JOBS, Broken, Life

# bug -> the most lives that it may take to find it; the other bugs need more than a test may take
QUICK = {
    "no rename": 20,
    "no fsync of the file": 40,
    "no fsync of the folder": 20,
    "temporary files stay": 20,
    "lease without expiry": 20,
}


@pytest.mark.parametrize("remote", [False, True], ids=["disk", "s3"])
@pytest.mark.parametrize("job", JOBS)
def test_a_job_ends_with_the_undisturbed_tables_whatever_happens_to_it(job, remote):
    for seed in range(6):
        Life(seed, job, remote).check()


@pytest.mark.parametrize("bug", QUICK)
def test_a_planted_bug_breaks_a_life(bug):
    with pytest.raises(Broken):
        for seed in range(QUICK[bug]):
            Life(seed, bug=bug).check()


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_replaces_something_that_exists(bug):
    with BUGS[bug]():
        pass


def test_the_same_seed_gives_the_same_life():
    first, second = Life(7), Life(7)
    assert first.live() == second.live()
    assert first.world.events == second.world.events and len(first.world.events) > 3
