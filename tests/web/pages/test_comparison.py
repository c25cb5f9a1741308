"""The comparison of runs: curves, results, settings in plain words."""

import pyarrow as pa
import pytest

from oracle.curve import LADDER, SCHEMA, league_elo
from store import Run
from store.curve import GAMES, TURNS
from store.runs import summary_of
from tests.commands import call
from web.pages.comparison import compare
from web.pages.kinds import KINDS

SMALL = ("--population", 8, "--offspring", 8, "--fresh", 40, "--workers", 0)


def point(number, right, pro):
    """Return the table of a point: right turns of 1,000, points against pro of 200 games."""
    rows = [(TURNS, "5 pieces", None, right, 1000)]
    rows += [(GAMES, name, 0, pro if name == "pro" else 100, 200) for name in LADDER]
    columns = [[number] * len(rows), *map(list, zip(*rows, strict=True))]
    return pa.table(columns, schema=SCHEMA.insert(0, pa.field("generation", pa.int64())))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return three evolutions with a given learning curve and a tournament, by name."""
    folder = tmp_path_factory.mktemp("runs")
    for name, right, games in (("low", 400, 20), ("high", 500, 30), ("same", 400, 20)):
        command = ("evo.run", *SMALL, "--generations", 2, "--games", games, "--no-curve")
        assert call(*command, "--store", folder / name).code == 0
        config = Run(folder / name).about("generation-00000")["config"]
        with Run(folder / name, "evolution", config) as run:
            for number in range(2):
                run.write(f"curve-{number:05d}", point(number, right + 10 * number, 100))
    cup = ("arena.run", "random", "dumb", "--games", 4, "--workers", 0, "--store", folder / "cup")
    assert call(*cup).code == 0
    return {name: summary_of(str(folder / name), KINDS) for name in ("low", "high", "same", "cup")}


def compared(runs, *names):
    page = compare({name: runs[name] for name in names})
    return page, {section.title: section for section in page.sections}


@pytest.mark.parametrize("names", [("low", "high"), ("low", "high", "same")])
def test_the_curves_of_runs_are_laid_over_each_other(runs, names):
    page, _ = compared(runs, *names)
    figure = page.hero.figures["Right turns by generations"]
    assert [line.name for line in figure.data] == list(names)
    assert list(figure.data[0].x) == [1, 2] and list(figure.data[0].y) == [40, 41]
    assert list(figure.data[1].y) == [50, 51]
    times = page.hero.figures["Right turns by time"].data
    stored = runs["low"].run.about("generation-00001")["measured"]["seconds"]
    assert times[0].x[1] == stored
    assert "Against pro" in page.hero.figures


def test_final_results_name_the_run_that_is_probably_the_best(runs):
    _, sections = compared(runs, "low", "high")
    rows = {row[0]: row[1:] for row in sections["Final results"].rows}
    low, high, best = rows["right turns by the oracle"]
    assert (low[:4], high[:4], best) == ("41.0", "51.0", "high: 100.0 %")
    assert rows[f"points against pro (Elo {league_elo('pro')})"][2] == "equal"
    assert "points against random, fresh" in rows
    assert not any("dumb" in name for name in rows), "two games without chance are no sample"


def test_settings_that_differ_are_in_plain_words(runs):
    _, sections = compared(runs, "low", "high")
    rows = sections["What differs in the configuration"].rows
    assert rows == [
        ["setting", "low", "high"],
        ["games of a new individual against each opponent", "20", "30"],
        ["games of a survivor in each later generation", "200", "300"],
    ]
    _, sections = compared(runs, "low", "same")
    section = sections["What differs in the configuration"]
    assert section.rows is None and section.text.startswith("Nothing")


def test_runs_without_anything_in_common_say_so_in_a_sentence(runs):
    page, sections = compared(runs, "low", "cup")
    assert sections["Final results"].text == (
        "The results of low and cup cannot be compared: they have no learning curve and no "
        "opponent of fresh games in common."
    )
    assert page.remarks == ["cup has no learning curve, so the figure leaves it out"]
    rows = sections["What differs in the configuration"].rows
    assert ["kind", "evolution", "tournament"] in rows


def test_another_version_of_an_opponent_is_a_difference(runs, tmp_path):
    steps = runs["low"].run
    config = steps.about("generation-00000")["config"]
    config = config | {"minds": config["minds"] | {"random": "12345678"}}
    with Run(tmp_path / "other", "evolution", config) as run:
        for step in steps.steps():
            run.write(step, steps.read(step), steps.about(step)["measured"])
    other = summary_of(str(tmp_path / "other"), KINDS)
    _, sections = compared(runs | {"other": other}, "low", "other")
    rows = sections["What differs in the configuration"].rows
    assert rows[1:] == [["version of random", config_digest(runs), "12345678"]]


def config_digest(runs):
    return runs["low"].config["minds"]["random"]
