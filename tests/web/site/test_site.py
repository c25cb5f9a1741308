"""The pages of the static site, in a browser and as files."""

import filecmp
import random
import re
import urllib.request

import pytest

from engine import Position, analyse
from tests.commands import call
from tests.web.serving import wait_for
from tests.web.test_browser_pages import assert_fits_and_is_accessible
from web.pages.offline import STATIC
from web.site import pages

PERFECT = "#opponent=perfect&you=second&seed=7"
PAGES = {
    "play": f"index.html{PERFECT}",
    "analyse": "analyse.html",
    "review": "review.html#game=8-a1+7-d4+0-b2+f-c3+1-a3+e-d2+3-c2+c-b3+2-a2+6-d3+9-a4",
    "puzzles": "puzzles.html",
    "learn": "learn.html",
    "league": "league.html",
    "player": "player.html?name=pro",
    "documentation": "docs/index.html",
    "a page of the documentation": "docs/web.html",
    "results": "docs/results.html",
    "a missing address": "404.html",
}
GAME_OVER = "document.getElementById('what').textContent.match(/win|draw/i) !== null"
YOURS = "document.getElementById('what').textContent.startsWith('Your turn')"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_has_no_serious_accessibility_error(open_site, name):
    assert_fits_and_is_accessible(open_site(PAGES[name], 1200, "dark"))


def game_of(page):
    text = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('game')")
    return text.replace("_", " ")


@pytest.mark.parametrize("you", ["first", "second"])
def test_a_game_against_the_perfect_player_is_played_to_its_end(open_site, you):
    page, chance = open_site("index.html"), random.Random(you)
    page.check("input[name=opponent][value=perfect]")
    page.check(f"input[name=you][value={you}]")
    page.get_by_role("button", name="Start", exact=True).click()
    for _ in range(33):
        wait_for(page, f"({YOURS}) || ({GAME_OVER})")
        if page.evaluate(GAME_OVER):
            break
        open_now = page.locator(".cell.open, .slot.open")
        open_now.nth(chance.randrange(open_now.count())).click()
    assert page.inner_text("#what") == "Perfect wins"
    position = Position.start()
    for piece, cell in (move.split("-") for move in game_of(page).split()):
        for move, mine in (
            (int(piece, 16), (position.placed % 2 == 0) == (you == "first")),
            (
                "abcd".index(cell[0]) * 4 + int(cell[1]) - 1,
                (position.placed % 2) == (you == "first"),
            ),
        ):
            assert mine or move in analyse(position).best()
            position = position.play(move)
    assert position.is_won
    page.click("#review")
    wait_for(page, "document.body.dataset.reviewed === 'true'")
    text = page.inner_text("#shown").lower()
    assert "you" in text and "perfect" in text


def test_links_restore_positions_and_games(open_site):
    page = open_site("analyse.html#position=4.../c.b./7.1./3ed.+0")
    wait_for(page, "document.body.dataset.done === '4.../c.b./7.1./3ed. 0'")
    assert page.inner_text("#what") == "▲ win in 7 for the player who places"
    page.click(".cell >> nth=3")
    wait_for(page, "document.body.dataset.done === '4..0/c.b./7.1./3ed. -'")
    again = open_site("analyse.html" + page.evaluate("location.hash"))
    wait_for(again, "document.body.dataset.done === '4..0/c.b./7.1./3ed. -'")
    page.go_back()
    wait_for(page, "document.body.dataset.done === '4.../c.b./7.1./3ed. 0'")
    game = open_site(f"index.html{PERFECT}&game=8-a1_7-d4_0-")
    wait_for(game, YOURS)
    assert game_of(game).startswith("8-a1 7-d4 0-")
    game.click("#analyse")
    wait_for(game, "document.body.dataset.done.startsWith('8.')")


def test_a_link_to_a_player_of_the_server_is_answered_in_one_sentence(open_site):
    page = open_site("index.html#opponent=pro&you=second&seed=1")
    wait_for(page, "document.getElementById('problem').textContent !== ''")
    assert page.inner_text("#problem") == "pro needs the server: here perfect and random play"


def test_a_puzzle_and_a_flash_card_are_judged(open_site):
    for path in ("puzzles.html#deck=3&card=1", "learn.html#size=1&deck=8&card=8-1"):
        page = open_site(path)
        wait_for(page, "document.body.dataset.card !== undefined")
        page.click("#reveal")
        assert page.inner_text("#what").startswith("The answer")
        assert page.locator(".cell .worth").count() > 0


def test_the_league_leads_to_players_and_only_those_of_the_site_can_be_played(open_site):
    page = open_site("league.html")
    assert not page.is_visible("#which")
    page.get_by_role("link", name="pro", exact=True).first.click()
    wait_for(page, "document.getElementById('name').textContent === 'pro'")
    assert not page.is_visible("#play") and "Against all players" in page.inner_text("main")
    page.get_by_role("link", name="perfect", exact=True).first.click()
    wait_for(page, "document.getElementById('name').textContent === 'perfect'")
    page.click("#play")
    wait_for(page, YOURS)


def test_the_documentation_is_searched_and_leads_to_copies_of_files(open_site, site_address):
    page = open_site("docs/extend.html")
    page.fill("#find", "flash cards")
    wait_for(page, "document.querySelectorAll('#found a').length > 0")
    assert "flash" in page.inner_text("#found").lower()
    link = page.locator("article a[href$='my_player.py.txt']").first
    copied = f"{site_address}docs/{link.get_attribute('href')}"
    with urllib.request.urlopen(copied) as answer:
        assert b"class MyPlayer" in answer.read()


def test_no_file_of_the_site_names_an_address_from_the_root_of_its_host(site_folder):
    absolute = re.compile(r'(?:href|src)="/|from "/|url\(/|\.src = "/|`/(?!api/|\$)')
    texts = [
        *site_folder.glob("*.html"),
        *site_folder.glob("static/*"),
        *site_folder.glob("docs/*.html"),
    ]
    assert len(texts) > 50
    offenders = {file.name: absolute.findall(file.read_text()) for file in texts}
    assert {name: found for name, found in offenders.items() if found} == {}


def test_one_module_of_the_server_is_replaced_and_no_other(site_folder):
    assert {file.name for file in pages.OWN.iterdir()} & {
        file.name for file in STATIC.iterdir()
    } == {"service.js"}
    served = {f"{name[1:]}.html" for name in pages.SERVED} | {
        f"{name[1:]}.js" for name in pages.SERVED
    }
    assert not served & {file.name for file in site_folder.rglob("*")}


def test_the_same_site_is_made_again_and_replaces_the_old_one(site_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    again = tmp_path / "site"
    again.mkdir()
    (again / ".nojekyll").touch()
    (again / "old.html").touch()
    done = call("web.site")
    server = "python -m http.server --bind 127.0.0.1"
    assert done.code == 0 and done.out.startswith(f"site\nto look at it: {server}")
    assert list(tmp_path.iterdir()) == [again] and not (again / "old.html").exists()
    files = [path.relative_to(site_folder) for path in site_folder.rglob("*") if path.is_file()]
    assert len(files) > 100
    assert sorted(files) == sorted(
        path.relative_to(again) for path in again.rglob("*") if path.is_file()
    )
    assert filecmp.cmpfiles(site_folder, again, files, shallow=False)[1:] == ([], [])


def test_every_page_of_the_site_is_opened_by_the_tests():
    opened = {path.partition("#")[0].partition("?")[0] for path in PAGES.values()}
    assert set(pages.pages()) <= opened


def test_a_folder_that_holds_something_else_is_not_replaced(tmp_path):
    (tmp_path / "letter.txt").touch()
    for out in (tmp_path, tmp_path / "letter.txt"):
        done = call("web.site", "--out", out)
        assert done.code == 2 and "holds something that is not a site" in done.err
    assert (tmp_path / "letter.txt").exists()


def test_without_mkdocs_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    done = call("web.site", "--out", tmp_path / "site")
    assert done.code == 2 and done.err.endswith("pip install -e '.[site]'\n")
    assert not (tmp_path / "site").exists()
