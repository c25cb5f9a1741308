"""Pages of runs in a real browser: what the first screen shows, legends, labels."""

import shutil

import pytest

from arena.entrants import AUTOMATIC
from store import Run
from tests.commands import call, copy_step_by_step
from tests.web.conftest import SMALL
from tests.web.serving import wait_for

RUNS = {
    "plain": ("evo.run", *SMALL, "--generations", 3),
    "nsga2": (
        *("evo.run", "--genome", "rules", "--positions", 80, "--opponents", "random"),
        *("--population", 8, "--offspring", 8, "--fresh", 20, "--generations", 2),
    ),
    "cma": ("evo.run", *SMALL, "--genome", "evolved", "--strategy", "cma", "--generations", 2),
    "islands": ("evo.run", *SMALL, "--islands", 2, "--epoch", 1, "--generations", 2),
}
SCREENS = {"wide": (1280, 800), "phone": (390, 844)}
BOXES = "(all) => all.map((one) => one.getBoundingClientRect().toJSON())"


@pytest.fixture(scope="module")
def every_kind(runs):
    """Make a run of each strategy in the folder of the server; return the names of all runs."""
    for name, command in RUNS.items():
        done = call(*command, "--workers", 0, "--store", runs / name)
        assert done.code == 0, done.err
    yield [*RUNS, "inner/selfplay", "cup"]
    for name in RUNS:
        shutil.rmtree(runs / name)


def drawn(page):
    wait_for(page, "[...document.querySelectorAll('.figure')].every((one) => one.dataset.drawn)")
    return page


@pytest.mark.parametrize("screen", SCREENS)
def test_heading_state_and_the_large_figure_of_every_run_are_on_the_first_screen(
    open_page, every_kind, screen
):
    width, height = SCREENS[screen]
    for name in every_kind:
        page = open_page(f"/run?name={name}", width)
        page.set_viewport_size({"width": width, "height": height})
        drawn(page)
        parts = "h1, .so-far, .hero .figure"
        boxes = page.eval_on_selector_all(parts, BOXES)
        assert len(boxes) == 3, name
        assert max(box["bottom"] for box in boxes) <= height, (name, boxes)
        assert boxes[2]["height"] >= 250 and boxes[2]["width"] >= 0.8 * min(width, 800), name
        assert page.inner_text(".state") == "done"
        page.close()


def test_a_running_run_says_how_much_is_done_and_what_time_is_left(open_page, runs, tmp_path):
    whole, growing = tmp_path / "whole", runs / "running"
    assert call("evo.run", *SMALL, "--generations", 4, "--workers", 0, "--store", whole).code == 0
    copy_step_by_step(whole, growing)
    for file in growing.glob("*.parquet"):
        if file.stem == "mind" or file.stem[-5:] in ("00002", "00003"):
            file.unlink()
    config = Run(growing).about("generation-00000")["config"]
    try:
        with Run(growing, "evolution", config):
            page = open_page("/run?name=running")
            state, how_far, left = page.inner_text(".so-far").split("\n")[:3]
            assert (state, how_far) == ("running", "2 of 4 generations") and left.endswith("left")
            assert page.get_attribute(".so-far progress", "value") == "0.5"
        wait_for(page, "document.querySelector('.state').textContent === 'stopped'")
    finally:
        shutil.rmtree(growing)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_legend_stands_below_its_figure_and_shows_more_lines_on_demand(open_page, screen):
    page = drawn(open_page("/run?name=inner/selfplay", SCREENS[screen][0]))
    assert page.locator(".figure .legend").count() == 0, "plotly draws no legend"
    chart = page.locator("section", has_text="Right turns by number of pieces").locator(".chart")
    titles = chart.locator(".xtitle").evaluate_all(BOXES)
    for entry in chart.locator(".legend button").evaluate_all(BOXES):
        assert all(entry["top"] >= title["bottom"] for title in titles)
    lines = "document.querySelectorAll('.stack .figure')[0]._fullData"
    shown = f"{lines}.filter((line) => line.visible === true).map((line) => line.name).join()"
    assert page.evaluate(shown) == "5 pieces,8 pieces,12 pieces"
    more = chart.get_by_role("button", name="6 pieces")
    assert more.get_attribute("aria-pressed") == "false"
    more.press("Enter")
    wait_for(page, f"{shown} === '5 pieces,6 pieces,8 pieces,12 pieces'")
    assert chart.get_by_role("button", name="6 pieces").get_attribute("aria-pressed") == "true"
    assert page.evaluate("document.activeElement.dataset.name") == "6 pieces"


def overlap(a, b):
    return (
        min(a["right"], b["right"]) - max(a["left"], b["left"]) > 1
        and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > 3
    )


@pytest.mark.parametrize(("screen", "least"), [("wide", 25), ("phone", 15)])
def test_the_labels_of_the_field_do_not_cover_each_other(open_page, screen, least):
    page = drawn(open_page("/league", SCREENS[screen][0]))
    labels = page.locator(".annotation-text-g").evaluate_all(BOXES)
    assert least <= len(labels) <= len(AUTOMATIC)
    pairs = [(i, j) for i in range(len(labels)) for j in range(i)]
    assert not [(i, j) for i, j in pairs if overlap(labels[i], labels[j])]


def test_the_file_of_a_run_shows_what_its_page_shows(browser, open_page, runs, tmp_path):
    live = drawn(open_page("/run?name=evolution", 1280))
    file = tmp_path / "page.html"
    assert call("web.pages", runs / "evolution", "--out", file).code == 0
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    drawn(page)
    for part in (".so-far", ".facts", ".hero", ".stack"):
        assert page.inner_text(part) == live.inner_text(part)
    bars = "document.querySelector('.bars').innerText"
    assert page.evaluate(bars) == live.evaluate(bars)
    page.close()


@pytest.mark.parametrize("count", [2, 3])
def test_runs_are_chosen_in_the_list_and_compared(open_page, every_kind, count):
    names = ["evolution", "plain", "islands"][:count]
    page = open_page("/runs", 1280)
    button = page.get_by_role("button", name="Compare")
    assert button.is_disabled()
    for name in names:
        page.get_by_label(f"choose {name}", exact=True).check()
    button.click()
    page.wait_for_selector("body.run[data-ready]")
    drawn(page)
    lines = "document.querySelector('.hero .figure')._fullData.map((line) => line.name).join()"
    assert page.evaluate(lines) == ",".join(names)
    box = page.locator(".hero .figure").bounding_box()
    assert box["y"] + box["height"] <= 800
    text = page.inner_text("main")
    assert "Final results" in text and "PROBABLY THE BEST" in text.upper()
    assert "What differs in the configuration" in text and "00000000" not in text
    page.get_by_role("radio", name="Right turns by time").check()
    wait_for(page, "document.querySelector('.xtitle').textContent === 'seconds'")
    page.get_by_role("link", name=names[-1], exact=True).click()
    page.wait_for_selector("body.run[data-ready]")
    assert page.inner_text("h1") == names[-1]
