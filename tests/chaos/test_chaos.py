"""The fault injector: its faults happen, and the damage is noticed. The rest is `make chaos`."""

import signal

import pytest

from store import Run
from tests.chaos.faults import AFTER, BEFORE, BETWEEN, REQUEST, Event, Injector, Plan, events
from tests.chaos.job import BUCKET, EVOLUTION, TOURNAMENT, Broken, Job, end_of
from tests.moody import moody_server

SIZES = "--generations 3 --population 4 --offspring 4 --tournament 2 --games 4 --fresh 4"
SHORT = ["evo.run", *SIZES.split(), "--no-curve", "--opponents", "random"]


def survive(job, folder, seed, **options):
    injected: list[Event] = []
    plan = Plan(seed, 0, **{"rate": 0.04, "in_workers": 0.0, "log": "", **options})
    launches = job.survive(folder / "job", 1, plan, lambda label, event: injected.append(event))
    return launches, injected


@pytest.mark.chaos
def test_a_job_that_is_killed_repeatedly_ends_with_the_same_tables(tmp_path):
    launches, injected = survive(Job("evolution", SHORT), tmp_path, seed=2, rate=0.05, only="kill")
    assert {event.point for event in injected} == {BEFORE, BETWEEN, AFTER}
    assert launches == 1 + sum(event.fault == "kill" for event in injected) > 1


@pytest.mark.chaos
def test_faults_of_the_s3_server_change_no_row(tmp_path):
    job = Job("tournament-s3", [*TOURNAMENT[:3], "--games", "20"], remote=True)
    _, injected = survive(job, tmp_path, seed=1, rate=0.2)
    assert sum(event.point == REQUEST and event.fault != "" for event in injected) > 2


@pytest.mark.chaos
def test_a_writer_frozen_for_longer_than_its_lease_cannot_damage_the_run(tmp_path):
    """It goes on when another writer has taken the run over and finished it."""
    job, store = Job("evolution-s3", EVOLUTION, remote=True), f"s3://{BUCKET}/frozen"
    plan = Plan(0, 0, 0.0, 0.0, str(tmp_path / "log"), lease=4.0)
    with (
        moody_server(BUCKET, lambda method, path: "") as server,
        pytest.MonkeyPatch.context() as at,
    ):
        for name, value in server.items():
            at.setenv(name, value)
        frozen = job.start(store, plan.to_environment())
        while not Run(store).steps():
            assert frozen.poll() is None
        frozen.send_signal(signal.SIGSTOP)
        refusals = 0
        while (done := job.launch(store, plan.to_environment())).returncode:
            assert "another program is writing to this run" in done.stderr
            refusals += 1
        frozen.send_signal(signal.SIGCONT)
        late = end_of(frozen)
        last = late.stderr.strip().splitlines()[-1]
        assert late.returncode == 2 and "another program has" in last, late.stderr
        # the same command removes the parts that it may have written until it noticed
        assert job.launch(store, plan.to_environment()).returncode == 0
        job.check(store, {}, tmp_path / "job", ())
    assert refusals < 30


@pytest.mark.chaos
def test_a_write_without_a_rename_is_noticed(tmp_path):
    with pytest.raises(Broken, match="is damaged"):
        survive(Job("evolution", SHORT), tmp_path, seed=2, rate=0.1, planted=True, only="kill")


def test_the_same_seed_draws_the_same_faults(tmp_path):
    drawn = []
    for seed in (1, 1, 2):
        injector = Injector(Plan(seed, 0, 0.3, 0.3, str(tmp_path / "log")))
        drawn.append([injector.draw(BEFORE, ["kill", "freeze"]) for _ in range(200)])
    assert drawn[0] == drawn[1] != drawn[2]
    assert 30 < sum(map(bool, drawn[0])) < 90


def test_a_fault_is_logged_before_it_happens(tmp_path):
    injector = Injector(Plan(0, 0, 1.0, 1.0, str(tmp_path / "log")))
    injector.draw = lambda point, names: "full_disk"
    with pytest.raises(OSError, match="No space left"):
        injector.reach(BEFORE, "here")
    assert events(tmp_path / "log") == [Event(BEFORE, "full_disk", "here")]
