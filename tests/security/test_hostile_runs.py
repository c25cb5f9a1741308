"""A sample of the hostile runs, and tests of the harness itself. All variants: python -m
tests.security.hostile."""

import json
import re

import pytest

import agents
from store import Run
from store.schema import SchemaError, check_table
from tests.commands import Result, call, run
from tests.security.genuine import COMMANDS
from tests.security.hostile import check, prepare, problem_of
from tests.security.readers import (
    HEAVY,
    PATHS,
    READERS,
    Reader,
    every_reader,
    mains,
    routes,
    unlisted,
)
from tests.security.stored_variants import ESCAPES, LINK
from tests.security.variants import every_variant
from tests.web.serving import serving


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("genuine")
    for name in ("tournament", "sequential"):
        done = call(*COMMANDS[name], "--workers", 0, "--store", folder / name)
        assert done.code == 0
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def case_of(runs, tmp_path):
    """Return a function that prepares a variant of the tournament and returns (variant, case)."""
    by_name = {v.what: v for v in every_variant(runs) if v.kind == "tournament"}

    def make(what):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        return by_name[what], prepare(by_name[what], runs, folder)

    return make


def test_a_sample_of_hostile_runs_does_no_harm():
    done = run("tests.security.hostile", "--variants", 6, "--quick")
    assert done.code == 0, done.err
    assert " 0 failures, " in done.out and done.out.startswith("6 of ")


@pytest.mark.parametrize("spec", ["program:touch {mark}", "{run}/bad.py:Bad"])
def test_no_reader_executes_the_players_that_a_run_names(case_of, spec):
    variant, case = case_of(f"config.players.0.1 {spec}")
    readers = [reader for reader in every_reader() if reader.module not in HEAVY]
    with serving(case.folder) as server:
        assert check(variant, case._replace(server=server), readers) == []


def test_every_command_and_path_is_in_one_of_the_lists_of_readers(tmp_path):
    with serving(tmp_path) as server:
        paths = routes(server.state, server.guard)
    assert not unlisted(mains(), paths)
    assert set(PATHS) <= paths and set(READERS) <= mains()


def test_a_new_command_or_path_is_reported_as_unlisted():
    assert unlisted({"arena.new"}, {"/api/new"}) == {"arena.new", "/api/new"}


def make_players(case):
    """Make the players of a run, as web.pages.tournament once did."""
    for _, spec, _ in Run(str(case.run)).about("match-0000")["config"]["players"]:
        agents.make(spec).ready()
    return Result(0, "", "")


def write_page(case):
    (case.run / "report.html").write_text("a page")
    return Result(0, "", "")


@pytest.mark.parametrize(
    ("what", "ask", "problem"),
    [
        ("config.players.0.1 {run}/bad.py:Bad", make_players, "executed what the run names"),
        ("report.html -> victim", write_page, "wrote outside the run"),
        ("match-0000.wins missing", lambda case: 1 / 0, "ZeroDivisionError"),
        ("match-0000.wins missing", lambda case: Result(0, ESCAPES, ""), "escape sequence"),
        ("match-0000.wins missing", lambda case: Result(139, "", ""), "ended with"),
    ],
)
def test_a_planted_bug_is_reported(case_of, what, ask, problem):
    variant, case = case_of(what)
    [failure] = check(variant, case, [Reader("planted", ask)])
    assert problem in failure.problem


def test_a_reader_that_hides_other_runs_is_reported(case_of):
    _, case = case_of("match-0000.wins missing")
    listing = Reader("cli.runs FOLDER", lambda case: Result(0, "only this one", ""))
    assert problem_of(listing, case).startswith("hides other runs")


def test_a_text_that_parquet_stores_once_is_not_copied_into_gigabytes(case_of):
    _, case = case_of("match-0000 one_text_often")
    assert (case.run / "match-0000.parquet").stat().st_size < 100_000
    done = call("cli.show", case.run, "match-0000")
    assert done.code == 2 and "bytes; more than" in done.err


@pytest.mark.parametrize("moves", [[1, 2, 300], [0, 1, 0, 2], [*range(16)] * 3])
def test_impossible_moves_are_refused_before_they_reach_a_kernel(runs, tmp_path, moves):
    games = Run(str(runs["tournament"])).read("games-0000")
    column = [[moves] * len(games)]
    with pytest.raises(SchemaError):
        check_table("tournament", "games-0000", games.set_column(4, "moves", column))


def test_figures_do_not_render_links_in_labels(case_of, tmp_path):
    _, case = case_of("match-0000.first link")
    page = case.out
    assert call("web.pages", case.run, "--out", page).code == 0
    text = page.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1]
    page = json.loads(data)
    figures = [section["figures"] for section in [page["hero"], *page["sections"]]]
    assert "&lt;a href" in json.dumps(figures) and "<a" not in json.dumps(figures)
    assert LINK not in text


def test_a_link_to_a_run_is_not_removed(case_of):
    _, case = case_of("the folder -> a run")
    removed = call("cli.runs", "--remove", case.run)
    assert removed.code == 2 and "symbolic link" in removed.err
    assert Run(str(case.place.victim.parent / "run")).steps()
