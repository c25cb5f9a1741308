"""Puzzles and flash cards in a real browser."""

import json

import pytest

from engine.notation import cell_name
from oracle import puzzles
from tests.web.serving import wait_for
from tests.web.test_browser_pages import serious_violations

PUZZLES = puzzles.read()
STORED = "JSON.parse(localStorage.getItem('cards-{}'))"


def open_card(open_page, path="/puzzles", key="1", **options):
    page = open_page(path, **options)
    wait_for_card(page, key)
    return page


def wait_for_card(page, key):
    wait_for(page, f"document.body.dataset.card === '{key}'")


def answer(page, cell, piece):
    page.click(f".cell >> nth={cell}")
    page.click(f".slot >> nth={piece}")


def other_turn(puzzle):
    """Return a turn that does not win, with the cell that does."""
    after = puzzle.position.place(puzzle.cell)
    return puzzle.cell, next(piece for piece in after.legal() if piece != puzzle.piece)


def test_a_solved_puzzle_is_stored_and_the_page_continues_with_the_next(open_page):
    page = open_card(open_page)
    answer(page, PUZZLES[0].cell, PUZZLES[0].piece)
    turn = f"{cell_name(PUZZLES[0].cell)} {PUZZLES[0].piece:x}"
    assert page.inner_text("#what") == f"✓ Right: {turn} wins"
    assert PUZZLES[0].line in page.inner_text("#more")
    assert "Answered: 1, right: 1" in page.inner_text("#score")
    page.goto(page.url.partition("#")[0])
    wait_for_card(page, "2")
    assert page.evaluate(STORED.format("puzzles")) == {"1": 1}
    page.click("#forget")
    wait_for_card(page, "2")
    assert "Answered: 0" in page.inner_text("#score")


def test_a_wrong_answer_shows_the_right_one_and_goes_to_a_deck_of_its_own(open_page):
    page = open_card(open_page, "/puzzles#deck=5&card=151", "151")
    puzzle = PUZZLES[150]
    cell, piece = other_turn(puzzle)
    answer(page, cell, piece)
    assert page.inner_text("#what").startswith(f"✗ {cell_name(cell)}, giving {piece:x}, ")
    assert f"Only {cell_name(puzzle.cell)} {puzzle.piece:x} wins" in page.inner_text("#more")
    labels = page.locator(".cell").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert ": win" in labels[puzzle.cell] and sum(": win" in label for label in labels) == 1
    page.select_option("#deck", "missed")
    wait_for(page, "document.getElementById('score').textContent.startsWith('Card 1 of 1.')")
    wait_for_card(page, "151")
    # an answer replaces the one before it
    answer(page, puzzle.cell, puzzle.piece)
    assert page.evaluate(STORED.format("puzzles")) == {"151": 1}


def test_decks_hold_the_puzzles_of_their_plies(open_page):
    page = open_card(open_page)
    for plies in (3, 5, 7):
        page.select_option("#deck", str(plies))
        first = next(i for i, puzzle in enumerate(PUZZLES, 1) if puzzle.plies == plies)
        wait_for_card(page, first)
        assert "of 100." in page.inner_text("#score")
        assert f"In {plies} placements" in page.inner_text("#more")
    page.select_option("#deck", "missed")
    assert page.inner_text("#what") == "This deck is empty"


def test_a_puzzle_is_solved_with_the_keyboard_alone(open_page):
    page, puzzle = open_card(open_page), PUZZLES[0]
    while not page.evaluate("document.activeElement.matches('.cell')"):
        page.keyboard.press("Tab")
    focused = "[...document.querySelectorAll('.cell, .slot')].indexOf(document.activeElement)"

    def choose(index, columns):
        page.keyboard.press("Home")
        for _ in range(index // columns):
            page.keyboard.press("ArrowDown")
        for _ in range(index % columns):
            page.keyboard.press("ArrowRight")
        assert page.evaluate(focused) % 16 == index
        page.keyboard.press("Enter")

    choose(puzzle.position.legal()[-1], 4)
    page.keyboard.press("Escape")
    choose(puzzle.cell, 4)
    assert page.evaluate("document.activeElement.matches('.slot')"), "the focus follows"
    choose(puzzle.piece, 8)
    assert page.inner_text("#what").startswith("✓ Right")
    assert page.evaluate("document.activeElement.id") == "next"
    page.keyboard.press("Enter")
    wait_for_card(page, "2")
    assert page.evaluate("document.activeElement.matches('.cell')")
    page.keyboard.press("n")
    wait_for_card(page, "3")
    page.keyboard.press("p")
    wait_for_card(page, "2")


def test_the_link_opens_the_position_of_the_card_in_the_analysis(open_page):
    page = open_card(open_page)
    page.click("#analyse")
    page.wait_for_selector("body.analyse[data-ready]")
    assert page.input_value("#text") == PUZZLES[0].position.to_text()


@pytest.mark.parametrize("stored", ["nonsense", "null", "3", "[]", '{"1": 7, "x": null}'])
def test_damaged_answers_in_the_browser_do_not_break_the_page(open_page, stored):
    page = open_card(open_page)
    page.evaluate(f"localStorage.setItem('cards-puzzles', {json.dumps(stored)})")
    page.goto(page.url.partition("#")[0] + "#deck=missed")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.goto(page.url.partition("#")[0] + "#deck=all&card=1")
    wait_for_card(page, "1")
    answer(page, PUZZLES[0].cell, PUZZLES[0].piece)
    assert page.evaluate(STORED.format("puzzles"))["1"] == 1


@pytest.mark.parametrize("is_preferred", [True, False])
def test_a_card_asks_what_a_strategy_prefers_and_says_what_is_right(
    open_page, server, is_preferred
):
    page = open_card(open_page, "/learn#size=2&deck=8&card=8-3", "8-3")
    lesson = server.get("/api/card", pieces=8, number=3, size=2).json
    assert "\n".join(lesson["english"][:1]) in page.inner_text("#about")
    rule = lesson["english"][lesson["block"]]
    assert page.inner_text("#about b") == page.inner_text("#more") == rule
    values = {f"{a} {b}": value for a, by in lesson["turns"].items() for b, value in by.items()}
    turn = next(turn for turn in values if (turn in lesson["preferred"]) == is_preferred)
    answer(page, 4 * "abcd".index(turn[0]) + int(turn[1]) - 1, int(turn[3], 16))
    what, more = page.inner_text("#what"), page.inner_text("#more")
    assert what.startswith(f"{'✓' if is_preferred else '✗'} {turn} is ")
    is_right = values[turn] == max(values.values())
    assert ("not right" in what or "nor right" in what) != is_right
    right = [value for value in values.values() if value == max(values.values())]
    assert f"{len(right)} of {len(values)} turns are right" in more
    stars = page.locator(".cell").filter(has_text="★").count()
    assert stars == len({turn[:2] for turn in lesson["preferred"]})
    assert page.evaluate(STORED.format("learn-2")) == {"8-3": int(is_preferred)}
    # each strategy has answers of its own
    page.select_option("#size", "1")
    wait_for_card(page, "8-3")
    assert "Answered: 0" in page.inner_text("#score") and "size=1" in page.url
    assert page.inner_text("#what") == "Which turn does the strategy prefer?"


@pytest.mark.parametrize("path", ["/puzzles", "/learn", "/learn#size=6"])
@pytest.mark.parametrize("size", [(390, 844, "light"), (1280, 800, "dark")], ids=str)
def test_board_pool_verdict_and_next_are_seen_without_scrolling(open_page, path, size):
    width, height, theme = size
    page = open_page(path, width, theme)
    page.set_viewport_size({"width": width, "height": height})
    wait_for(page, "document.body.dataset.card !== undefined")
    bottom = "document.querySelector('{}').getBoundingClientRect().bottom"
    assert page.evaluate(bottom.format(".pool")) <= height
    page.click(".cell.open >> nth=0")
    assert page.evaluate(bottom.format(".pool")) <= height
    page.click(".slot.open >> nth=0")
    for essential in ("#more", ".board", "#next"):
        assert page.evaluate(bottom.format(essential)) <= height
    assert page.evaluate("scrollY") == 0
    assert serious_violations(page) == []
