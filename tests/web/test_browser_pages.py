"""Runs, review, league and the layout of every page, in a real browser."""

import json
import shutil

import pytest

from tests.commands import call, copy_step_by_step
from tests.web.conftest import SMALL
from tests.web.serving import wait_for

# report only violations of the rules; complete results take seconds on large pages
AXE = {"resultTypes": ["violations"]}
PAGES = {
    "play": "/#opponent=rulebased&you=second&seed=1",
    "analyse": "/analyse",
    "review": "/review#game=8-a1+7-d4+0-b2+f-c3+1-a3+e-d2+3-c2+c-b3+2-a2+6-d3+9-a4",
    "summary": "/review#run=cup",
    "puzzles": "/puzzles",
    "learn": "/learn",
    "runs": "/runs",
    "evolution": "/run?name=evolution",
    "tournament": "/run?name=cup",
    "self-play": "/run?name=inner/selfplay",
    "dataset": "/run?name=data",
    "two runs": "/run?name=evolution&with=inner/selfplay",
    "three runs": "/run?name=evolution&with=cup&with=data",
    "league": "/league",
    "player": "/player?name=pro",
    "api": "/api",
}


def text_with_figures(page):
    """Wait until all figures are drawn; return the text of the page."""
    wait_for(page, "[...document.querySelectorAll('.figure')].every((one) => one.dataset.drawn)")
    return page.inner_text("main")


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ((), ["Quarto tournament", "makes and resumes this run", "Elo with 95 % error bars"]),
        (("--match", 0, "--game", 2), ["gives first", "Accuracy"]),
        (("--match", 0), ["most instructive", "Mistakes by kind", "The games of cup, match 0"]),
    ],
    ids=["run", "game", "games"],
)
def test_an_offline_file_shows_its_page_without_a_server(browser, runs, tmp_path, arguments, texts):
    file = tmp_path / "page.html"
    done = call("web.pages", runs / "cup", *arguments, "--out", file)
    assert done.code == 0, done.err
    page, errors = browser.new_page(), []
    page.on("console", lambda said: errors.append(said.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready], body[data-reviewed]")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    content = text_with_figures(page)
    assert all(text in content for text in texts), content
    page.close()
    assert errors == []


def test_a_run_is_watched_while_it_grows(open_page, runs, tmp_path):
    whole, growing = tmp_path / "whole", runs / "growing"
    assert call("evo.run", *SMALL, "--generations", 5, "--workers", 0, "--store", whole).code == 0
    growing.mkdir()
    copy_step_by_step(whole, tmp_path / "steps")
    files = sorted(
        (tmp_path / "steps").glob("*.parquet"), key=lambda file: (file.stem[-5:], file.stem)
    )
    early = [file for file in files if file.stem[-5:] in ("00000", "00001")]
    for file in early:
        shutil.copy(file, growing)
    try:
        page = open_page("/run?name=growing")
        text_with_figures(page)
        assert page.inner_text(".so-far").split("\n") == ["stopped", "2 of 5 generations"]
        page.evaluate("window.sameDocument = true")
        for file in files:
            shutil.copy(file, growing / f".writing-{file.name}")
            (growing / f".writing-{file.name}").rename(growing / file.name)
        wait_for(page, "document.querySelector('.state').textContent === 'done'")
        assert page.inner_text(".so-far").split("\n")[1] == "5 generations"
        assert page.evaluate("window.sameDocument"), "the page was reloaded"
        page.get_by_label("Against random", exact=True).check()
        wait_for(page, "document.querySelector('.hero .figure')._fullData?.at(-1).y.length === 5")
        assert "fresh" in page.inner_text("main")
        page.get_by_role("link", name="Play against it").click()
        page.wait_for_selector("body.play[data-ready]")
        wait_for(page, "document.getElementById('what').textContent.startsWith('Your turn')")
    finally:
        shutil.rmtree(growing)


def test_deleting_a_watched_run_is_reported_in_one_sentence(open_page, runs):
    gone = shutil.copytree(runs / "evolution", runs / "gone")
    page = open_page("/run?name=gone")
    assert page.inner_text(".so-far").split() == ["done", "4", "generations"]
    shutil.rmtree(gone)
    wait_for(page, "document.querySelector('.problem').textContent !== ''")
    assert page.inner_text(".problem") == "there is no run 'gone' in the folder"


def test_a_game_of_a_recorded_run_is_reviewed(open_page):
    page = open_page("/runs")
    page.get_by_role("link", name="cup").click()
    page.get_by_role("link", name="Review its games").click()
    page.wait_for_selector("body.review[data-ready]")
    wait_for(page, "document.body.dataset.reviewed === 'true'")
    text = page.inner_text("#shown")
    assert "rulebased against dumb" in text and "gives first; " in text
    moves = page.locator("#moves button").count()
    page.keyboard.press("End")
    assert page.inner_text("#where") == f"end, {moves} decisions"
    page.keyboard.press("Home")
    page.keyboard.press("m")
    assert page.locator("#shown .mark").first.inner_text() in ("?", "??")
    assert "better: " in page.inner_text("#better")


def test_many_games_get_a_summary_and_its_positions_open_their_games(open_page, runs, tmp_path):
    page = open_page("/review")
    page.select_option("#run", "cup")
    wait_for(page, "!document.getElementById('all').disabled")
    page.click("#all")
    wait_for(page, "document.body.dataset.reviewed === 'true'")
    everything = json.loads(call("oracle.review", runs / "cup", "--json").out)
    assert page.locator("#facts dt").all_inner_texts()[::3] == ["games", "mistakes"]
    counts = [f"{everything[count]:,}" for count in ("games", "mistakes")]
    assert page.locator("#facts dd").all_inner_texts()[::3] == counts and counts[0] == "60"
    lessons = everything["instructive"]
    sentences = [f"{lesson['sentence']}." for lesson in lessons]
    assert page.locator(".lesson p:first-of-type").all_inner_texts() == sentences
    page.locator(".lesson button").nth(1).click()
    here = f"decision {lessons[1]['ply'] + 1} of "
    wait_for(page, f"document.getElementById('where').innerText.startsWith('{here}')")
    assert page.inner_text("#what").startswith(f"Move {lessons[1]['number']}: ")
    assert not page.is_visible("#summary")
    page.click("#to-summary")
    assert page.is_visible("#summary") and not page.is_visible("#shown")
    # a file of the same games has the same summary
    (tmp_path / "cup.txt").write_text(call("arena.recorded", runs / "cup", "games-0000").out)
    page.set_input_files("#file", tmp_path / "cup.txt")
    wait_for(page, "document.getElementById('summary-title').innerText === '20 games'")
    assert "rulebased" in page.inner_text("#tables") and "random" not in page.inner_text("#tables")


def test_a_summary_can_be_stopped(open_page):
    page = open_page("/review")
    # a server that does not answer yet
    page.route("**/api/review", lambda _: None)
    page.get_by_role("button", name="Review", exact=True).click()
    page.click("#stop")
    assert not page.is_visible("#busy") and page.inner_text("#problem") == ""


def test_an_invalid_pasted_game_is_refused_in_one_sentence(open_page):
    page = open_page("/review", refused=True)
    page.fill("#text", "8-a1 8-a2")
    page.get_by_role("button", name="Review", exact=True).click()
    wait_for(page, "document.getElementById('problem').textContent !== ''")
    assert "piece 8 is on a1 already" in page.inner_text("#problem")


def test_the_examples_of_the_api_run(open_page):
    page = open_page("/api")
    buttons = page.get_by_role("button", name="Run")
    assert buttons.count() >= 8
    for i in range(buttons.count()):
        buttons.nth(i).click()
    texts = "[...document.querySelectorAll('pre:not([hidden])')].map((one) => one.innerText)"
    wait_for(page, f"{texts}.every((text) => text !== '...')")
    assert '"error":' not in page.inner_text("#list")
    assert '"value": 1' in page.inner_text("main")


def test_the_theme_follows_the_system_until_one_is_chosen_and_stored(open_page):
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = open_page("/"), open_page("/", theme="dark")
    assert light.evaluate(colour) != dark.evaluate(colour)
    light.click("#theme")
    light.click("#theme")
    assert light.inner_text("#theme") == "Theme: dark"
    assert light.evaluate(colour) == dark.evaluate(colour)
    light.goto(light.url.partition("#")[0] + "league")
    assert light.evaluate(colour) == dark.evaluate(colour)


def serious_violations(page):
    """Return the page's serious violations of the accessibility rules of axe."""
    axe_library = pytest.importorskip("axe_playwright_python.sync_playwright")
    return [
        (rule["id"], rule["nodes"][0]["html"][:200], rule["nodes"][0]["failureSummary"][:300])
        for rule in axe_library.Axe().run(page, options=AXE).response["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


def assert_fits_and_is_accessible(page):
    for width, theme in ((1200, "dark"), (360, "light")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=theme)
        text_with_figures(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} pixels of {width}"
        assert serious_violations(page) == [], theme


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_has_no_serious_accessibility_error(open_page, name):
    assert_fits_and_is_accessible(open_page(PAGES[name], 1200, "dark"))
