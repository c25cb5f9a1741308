"""Board and oracle in a real browser."""

import random
from functools import partial

import pytest

import agents
from engine import Position, analyse
from engine.exact.solver import WORDS
from engine.notation import cell_name, move_name
from tests.engine.positions import random_position
from tests.web.serving import serving, wait_for

GREEDY = "agents/guests/template.py:Greedy"
MOST_TURNS = 32
GAME_OVER = "document.getElementById('what').textContent.match(/win|draw/i) !== null"
YOURS = "document.getElementById('what').textContent.startsWith('Your turn')"


def start(page, level="rulebased", you="second"):
    page.check(f"input[name=opponent][value={level}]")
    page.check(f"input[name=you][value={you}]")
    page.get_by_role("button", name="Start", exact=True).click()


def is_over(page):
    wait_for(page, f"({YOURS}) || ({GAME_OVER})")
    return page.evaluate(GAME_OVER)


def game_of(page):
    text = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('game')")
    return text.replace("_", " ")


def test_a_whole_game_is_played_with_the_mouse(open_page):
    page, chance = open_page("/"), random.Random(1)
    start(page)
    for _ in range(MOST_TURNS):
        if is_over(page):
            break
        open_now = page.locator(".cell.open, .slot.open")
        open_now.nth(chance.randrange(open_now.count())).click()
    moves = game_of(page)
    position = Position.start()
    for word in moves.split():
        piece, _, cell = word.partition("-")
        position = position.give(int(piece, 16))
        position = position.place([cell_name(c) for c in range(16)].index(cell))
    assert position.is_over, "the game is not over by the engine's rules"
    result = page.inner_text("#what")
    winner = "You win!" if position.placed % 2 else "Beginner wins"
    assert result == (winner if position.is_won else "A draw")
    # the address of the page is the game
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.inner_text("#what") == result and game_of(page) == moves


def test_a_whole_game_is_played_with_the_keyboard_alone(open_page):
    page, chance = open_page("/"), random.Random(2)
    page.focus("input[name=opponent]:checked")
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.value") == "random"
    page.focus("#setup button[type=submit]")
    page.keyboard.press("Enter")
    for _ in range(20 * MOST_TURNS):
        if is_over(page):
            break
        # the focused element is a possible move
        assert page.evaluate("document.activeElement.matches('.cell, .slot')")
        for _ in range(chance.randrange(6)):
            page.keyboard.press(chance.choice(["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"]))
        page.keyboard.press("Enter")
    assert page.locator(".cell svg:not(.ghost)").count() == len(game_of(page).split())


def test_undo_hint_resign_two_people_and_a_player_with_options(open_page):
    page = open_page("/")
    start(page, "people")
    page.click(".slot >> nth=8")
    page.click(".cell >> nth=0")
    assert game_of(page) == "8-a1"
    page.click("#undo")
    assert game_of(page) == "8-"
    page.click("#hint")
    page.wait_for_selector(".cell.best")
    assert page.locator(".cell .worth").count() == 16, "a cell has no value"
    page.click("#resign")
    assert page.inner_text("#what") == "Player 1 wins"
    page.click("#new")
    page.check("input[name=opponent][value=other]")
    page.select_option("#player", "pro")
    page.click("#settings summary")
    page.select_option("[name=option-bound]", "1")
    page.get_by_role("button", name="Start", exact=True).click()
    assert not is_over(page)
    assert "opponent=pro%3Abound%3D1" in page.url


START, AGAIN = "#setup button[type=submit]", "#new"
DURING = ("#board .board", "#pool", "#hand", "#hint", "#undo", "#resign", AGAIN, "#review")
MIDDLE = "8-a1_7-d4_0-b2_f-c3_1-a3_e-d2_3-c2_"


def hidden_parts(page, parts):
    """Return the selectors of those parts that do not lie in the window as a whole."""
    size, hidden = page.viewport_size, []
    assert page.evaluate("scrollY") == 0
    for part in parts:
        box = page.locator(part).bounding_box()
        right, bottom = box["x"] + box["width"], box["y"] + box["height"]
        inside = min(box["x"], box["y"]) >= 0 and right <= size["width"]
        if not (inside and bottom <= size["height"]):
            hidden.append((part, box))
    return hidden


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_nothing_of_a_game_needs_scrolling(open_page, server, size):
    page = open_page("/")
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    for opponent in ("pro", "other", "people"):
        page.check(f"input[name=opponent][value={opponent}]")
        assert hidden_parts(page, ["#levels", START]) == [], opponent
    # a piece to place and one to give, both with the longest hints, and the end
    for moves, hint in (
        (f"{MIDDLE}c-", "cell"),
        (MIDDLE, "slot"),
        (f"{MIDDLE}c-b3_2-a2_6-d3_9-a4", ""),
    ):
        page.goto("about:blank")
        page.goto(f"{server.address}/#opponent=people&minutes=5&seed=1&game={moves}")
        page.wait_for_selector("body[data-ready]")
        if hint:
            page.click("#hint")
            page.wait_for_selector(f".{hint}.best")
        assert hidden_parts(page, DURING) == [], moves
    assert page.inner_text("#what") == "Player 2 wins"
    page.click(AGAIN)
    assert hidden_parts(page, ["#levels", START, "#back"]) == []
    page.click("#back")
    assert hidden_parts(page, DURING) == []


def test_a_review_keeps_the_names_of_the_play_page(open_page):
    page = open_page(f"/#opponent=evolved&you=second&seed=1&game={MIDDLE}c-b3_2-a2_6-d3_9-a4")
    assert page.inner_text("#what") == "You win!"
    page.click("#review")
    wait_for(page, "document.body.dataset.reviewed === 'true'")
    assert page.inner_text("#title") == "Expert against you"
    assert page.inner_text("#outcome") == "Expert gives first; you win"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#what").strip() == "Move 2: you give 7"


def test_the_form_of_a_game_shows_the_users_player_and_its_options(browser, runs):
    own = {name: partial(agents.make, name) for name in (GREEDY, f"{GREEDY}:many=2")}
    with serving(runs, own) as server:
        page = browser.new_page()
        for name in own:
            page.goto("about:blank")
            page.goto(f"{server.address}/#opponent={name}:odd=1&you=first&seed=1")
            page.wait_for_selector("body[data-ready]")
            assert page.input_value("#player") == name
            assert page.input_value("[name=option-odd]") == "1"
        page.close()


def test_a_player_that_cannot_be_made_is_reported_in_one_sentence(open_page, server):
    page = open_page("/#opponent=unheard&you=second&seed=1", refused=True)
    wait_for(page, "document.getElementById('problem').textContent !== ''")
    assert "unknown player 'unheard'" in page.inner_text("#problem")


def shown_values(page):
    """Return {name of the move: 'win in 3'} from the labels for screen readers."""
    labels = page.locator("[aria-label*=': win'], [aria-label*=': draw'], [aria-label*=': loss']")
    parts = [
        label.rpartition(": ")
        for label in labels.evaluate_all("all => all.map(one => one.ariaLabel)")
    ]
    names = [before.removeprefix("piece ").split(":")[0].split(",")[0] for before, _, _ in parts]
    return dict(zip(names, (value for _, _, value in parts), strict=True))


def expected_values(position):
    analysis = analyse(position, distance=True)
    far = analysis.distances or {}
    return {
        move_name(position, move): WORDS[value] + (f" in {far[move]}" if far[move] else "")
        for move, value in analysis.moves.items()
    }


def test_every_value_that_the_page_shows_is_the_engine_s(open_page):
    page, checked = open_page("/analyse"), 0
    positions = [
        random_position(seed, placed)
        for placed in (0, 2, 4, 6, 8, 9, 10, 11, 12, 13)
        for seed in range(5)
    ]
    positions[::7] = [position.place(position.legal()[0]) for position in positions[::7]]
    for position in positions:
        text = position.to_text()
        page.fill("#text", text)
        page.press("#text", "Enter")
        wait_for(page, f"document.body.dataset.done === '{text}'")
        if position.is_over:
            continue
        assert shown_values(page) == expected_values(position), text
        checked += 1
    assert checked >= 45
    page.go_back()
    wait_for(page, f"document.body.dataset.done === '{positions[-2].to_text()}'")


def test_any_position_can_be_set_up_by_clicks_and_an_invalid_one_is_refused(open_page):
    page = open_page("/analyse")
    page.click("#empty")
    page.check("input[name=mode][value=set]")
    page.click(".slot >> nth=15")
    page.click(".cell >> nth=5")
    page.click(".slot >> nth=3")
    page.click(".slot >> nth=3")
    wait_for(page, "document.body.dataset.done === '..../.f../..../.... 3'")
    assert page.inner_text("#what").startswith("= draw for the player who places")
    page.fill("#text", "nonsense")
    page.press("#text", "Enter")
    assert "not a position" in page.inner_text("#problem")


def test_the_rules_of_the_page_are_the_engine_s(open_page):
    """Compares wins, ends and legal moves in random games."""
    page, chance, games = open_page("/analyse"), random.Random(3), []
    for _ in range(200):
        position = Position.start()
        while not position.is_over:
            position = position.play(chance.choice(position.legal()))
            games.append(position)
    results = page.evaluate(
        """async (texts) => {
            const { Position } = await import("/static/position.js");
            return texts.map((text) => {
                const here = Position.parse(text);
                return [here.toText(), here.won, here.over, here.legal];
            });
        }""",
        [position.to_text() for position in games],
    )
    expected = [[p.to_text(), p.is_won, p.is_over, p.legal()] for p in games]
    assert len(games) > 2000 and results == expected
