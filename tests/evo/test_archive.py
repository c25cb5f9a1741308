"""Damaged and missing generations: an error line that names the file and what to do."""

import shutil

import pytest

import agents
from evo.config import EvolveConfig
from store import Run
from tests.commands import call, tables
from web.pages.evolution import read_history

SMALL = [
    *("--population", 6, "--offspring", 6, "--games", 4, "--fresh", 2, "--workers", 0),
    "--no-curve",
    *("--opponents", "dumb"),
]
STRATEGIES = {"mu+lambda": [], "cma": ["--strategy", "cma"]}


def evolve(folder, generations, *arguments):
    return call("evo.run", *SMALL, "--generations", generations, "--store", folder, *arguments)


@pytest.fixture(scope="module", params=STRATEGIES.values(), ids=STRATEGIES)
def whole(request, tmp_path_factory):
    """A run with a file for each step."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        one_file_for_each_step(patch)
        assert evolve(folder, 6, *request.param).code == 0
    return folder, request.param


def one_file_for_each_step(patch):
    patch.setattr("store.run.COMMIT_EVERY", 0.0)
    patch.setattr("store.files.Files.merge", lambda *_, **__: None)


@pytest.mark.parametrize("kind", ["generation", "fitness"])
def test_repair_drops_a_damaged_last_segment_and_makes_it_again(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("store.files.FULL", 5)
    assert evolve(tmp_path / "whole", 10).code == 0
    shutil.copytree(tmp_path / "whole", tmp_path / "run")
    file = max((tmp_path / "run").glob(f"{kind}-*-to-*"))
    damage(file)
    done = evolve(tmp_path / "run", 10)
    assert done.code == 2 and done.err.count("\n") == 1
    assert f"{file.name}: is damaged" in done.err and "--repair drops this file" in done.err
    assert evolve(tmp_path / "run", 10, "--repair").code == 0
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


def test_a_damaged_segment_in_the_middle_is_reported_with_advice_that_works(tmp_path, monkeypatch):
    monkeypatch.setattr("store.files.FULL", 3)
    monkeypatch.setattr("store.run.COMMIT_EVERY", 0.0)
    assert evolve(tmp_path / "whole", 8).code == 0
    folder = shutil.copytree(tmp_path / "whole", tmp_path / "run")
    file = folder / "fitness-00003-to-00005.parquet"
    damage(file)
    done = evolve(folder, 8)
    advice = "delete fitness-00003-to-00005, generation-00003-to-00005 and all that follow them"
    assert f"{file.name}: is damaged: {advice}" in done.err
    for path in folder.glob("*-*.parquet"):
        if int(path.stem[-5:]) >= 3:
            path.unlink()
    assert evolve(folder, 8).code == 0
    assert tables(folder) == tables(tmp_path / "whole")


@pytest.fixture
def copied(whole, tmp_path):
    return shutil.copytree(whole[0], tmp_path / "run")


def damage(file):
    file.write_bytes(file.read_bytes()[:500])


@pytest.mark.parametrize("step", ["generation-00005", "fitness-00005"])
@pytest.mark.parametrize("harm", [damage, lambda file: file.unlink()], ids=["damaged", "missing"])
def test_repair_drops_a_damaged_last_generation(whole, copied, step, harm):
    harm(copied / f"{step}.parquet")
    if (copied / "generation-00005.parquet").exists():
        done = evolve(copied, 6, *whole[1])
        assert done.code == 2 and done.err.count("\n") == 1
        assert f"{step}.parquet: " in done.err and "--repair drops this file" in done.err
    assert evolve(copied, 6, "--repair", *whole[1]).code == 0
    assert tables(copied) == tables(whole[0])


@pytest.mark.parametrize("step", ["generation-00003", "fitness-00003", "generation-00000"])
@pytest.mark.parametrize("harm", [damage, lambda file: file.unlink()], ids=["damaged", "missing"])
def test_damage_in_the_middle_is_reported_with_advice_that_works(whole, copied, step, harm):
    harm(copied / f"{step}.parquet")
    number = int(step[-5:])
    advice = f"delete fitness-{number:05d}, generation-{number:05d} and all that follow them"
    if not (copied / f"generation-{number:05d}.parquet").exists():
        advice = f"delete generation-{number + 1:05d} and all that follow it"
    commands = (evolve(copied, 8, *whole[1]), evolve(copied, 8, "--repair", *whole[1]))
    for done in (*commands, call("web.pages", copied)):
        assert done.code == 2 and done.err.count("\n") == 1, done.err
        assert f"{step}.parquet: " in done.err and advice in done.err
    for file in copied.glob("*-*.parquet"):
        if int(file.stem[-5:]) >= number:
            file.unlink()
    assert evolve(copied, 6, *whole[1]).code == 0
    assert tables(copied) == tables(whole[0])


def test_the_page_is_self_contained(copied, whole):
    done = call("web.pages", copied)
    assert done.code == 0 and done.out == f"{copied / 'report.html'}\n", done.err
    text = (copied / "report.html").read_text()
    assert "<script src=" not in text and "Is it getting better?" in text


def test_the_page_of_a_long_run_draws_a_sample_of_generations_and_says_so(copied, monkeypatch):
    whole = read_history(Run(copied))
    monkeypatch.setattr("web.pages.evolution.MAX_STEPS", 3)
    some = read_history(Run(copied))
    assert (whole.numbers, some.numbers, some.count) == ([0, 1, 2, 3, 4, 5], [0, 2, 5], 6)
    assert some.populations[1].id.tolist() == whole.populations[2].id.tolist()
    assert call("web.pages", copied).code == 0
    page = (copied / "report.html").read_text()
    assert "3 of 6 generations are drawn, evenly spread" in page and "6 generations" in page


def test_a_run_with_an_option_that_no_longer_exists_is_shown_but_not_continued(
    tmp_path, monkeypatch
):
    kept = EvolveConfig.kept
    with monkeypatch.context() as patch:
        patch.setattr(EvolveConfig, "kept", lambda self: kept(self) | {"racing": True})
        assert evolve(tmp_path, 2).code == 0
    assert call("web.pages", tmp_path).code == 0
    assert agents.make(f"ga:run={tmp_path}").mind.parameters.size == 5
    done = evolve(tmp_path, 3)
    assert done.code == 2 and done.err.count("\n") == 1
    assert "racing: True there, None now" in done.err
