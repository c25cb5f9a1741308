"""The oracle of the static site, in a browser, against the engine."""

import random

import pytest

from engine import Position
from engine.exact.solver import Solver, line_names
from engine.game_text import GameText
from engine.notation import move_name
from oracle.judge import judge_each
from oracle.review import report
from oracle.turn_values import quiet_position
from tests.engine.positions import random_position
from tests.web.serving import wait_for
from tests.web.site.conftest import Files
from web.lessons import turns_of

POSITIONS, BATCH = 10_000, 2_000
ASK = """async ([name, question]) => {
    const { lastOf } = await import("./static/service.js");
    try { return await lastOf(name, question); } catch (error) { return { error: error.message }; }
}"""
VALUES = """async ([book, texts]) => {
    const { search } = await import("./static/search.js");
    const { Book } = await import("./static/book.js");
    const { readPosition } = await import("./static/reading.js");
    const { solve } = await import("./static/solver.js");
    search.book ??= new Book(await (await fetch(`data/${book}`)).arrayBuffer());
    return texts.map((text) => solve(readPosition(text)));
}"""
SEND = """async ([where, options]) => {
    const { send } = await import("./static/service.js");
    const answer = await send(where, options);
    return [answer.status, await answer.text()];
}"""
EVENTS = """async (text) => {
    const { lines } = await import("./static/dom.js"), events = [];
    const where = `/api/analyse/live?${new URLSearchParams({ position: text })}`;
    await lines(where, (event) => events.push(event));
    return events;
}"""


def drawn_position(i):
    """Return a position of 0 to 12 pieces: in turn with a piece in hand from random play, to give
    from random play, quiet, and to give after a quiet one."""
    placed, kind = i % 13, i // 13 % 4
    if kind < 2:
        return random_position(i, placed, hand=kind == 0)
    if kind == 2 or placed == 0:
        return quiet_position(5, placed, i)
    position = quiet_position(5, placed - 1, i)
    return position.place(random.Random(i).choice(position.legal()))


STOPPED = """async ([slow, question]) => {
    const { lastOf, send } = await import("./static/service.js");
    const abort = new AbortController();
    const where = `/api/analyse/live?${new URLSearchParams({ position: slow })}`;
    const reader = (await send(where, { signal: abort.signal })).body.getReader();
    await reader.read();
    abort.abort();
    const ended = await reader.read().then(() => "continued", (error) => error.name);
    return [ended, (await lastOf("turns", question)).turns];
}"""


def test_all_values_of_10_000_positions_are_the_engine_s(open_site, site_folder):
    page, solver = open_site("analyse.html"), Solver()
    [book] = (site_folder / "data").glob("book-*.bin")
    positions = [drawn_position(i) for i in range(POSITIONS)]
    expected = [solver.solve(position) for position in positions]
    assert {position.placed for position in positions} == set(range(13))
    assert min(expected.count(value) for value in (-1, 0, 1)) > 500
    texts, values = [position.to_text() for position in positions], []
    for first in range(0, POSITIONS, BATCH):
        values += page.evaluate(VALUES, [book.name, texts[first : first + BATCH]])
    pairs = zip(texts, values, expected, strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]] == []


def expected_analysis(solver, position):
    analysis = solver.analyse(position, distance=True)
    named = {move_name(position, move): move for move in analysis.moves}
    return {
        "value": analysis.value,
        "distance": analysis.distance,
        "values": {name: analysis.moves[move] for name, move in named.items()},
        "distances": {
            name: analysis.distances[move]
            for name, move in named.items()
            if analysis.distances[move]
        },
        "line": line_names(position, solver.best_line(position)),
    }


def received_analysis(events):
    moves = [event for event in events if "move" in event]
    whole = {key: value for event in events if "move" not in event for key, value in event.items()}
    return {
        "value": whole["value"],
        "distance": whole["distance"],
        "values": {event["move"]: event["value"] for event in moves if "value" in event},
        "distances": {event["move"]: event["distance"] for event in moves if "distance" in event},
        "line": whole["line"],
    }


def test_values_distances_and_lines_of_analyses_are_the_engine_s(open_site):
    page, solver = open_site("analyse.html"), Solver()
    for i in range(78):
        position = drawn_position(i)
        if not position.is_over:
            received = received_analysis(page.evaluate(EVENTS, position.to_text()))
            assert received == expected_analysis(solver, position), position.to_text()


def test_every_turn_of_a_position_has_the_engine_s_value(open_site):
    page = open_site("analyse.html")
    for placed in (3, 7, 7, 7, 12, 15):
        position = quiet_position(8, placed, placed) if placed < 15 else random_position(1, 15)
        question = {"position": position.to_text()}
        assert page.evaluate(ASK, ["turns", question])["turns"] == turns_of(position)


def test_the_perfect_player_of_the_site_keeps_the_value(open_site):
    page, solver = open_site("analyse.html"), Solver()
    moves = set()
    for i in range(260):
        position = drawn_position(i)
        if position.is_over:
            continue
        question = {"player": "perfect", "position": position.to_text(), "seed": i}
        answer = page.evaluate(ASK, ["decide", question])
        again = page.evaluate(ASK, ["decide", question])
        best = solver.analyse(position).best()
        assert answer["move"] in [move_name(position, move) for move in best], question
        assert answer == again
        moves.add(answer["move"])
    assert len(moves) > 20


def random_game(seed):
    chance, moves, position = random.Random(seed), [], Position.start()
    while not position.is_over and len(moves) < 20 + seed:
        moves.append(chance.choice(position.legal()))
        position = position.play(moves[-1])
    return GameText.of(moves, {"first": "ann", "second": "bob" if seed % 2 else "ann"})


def test_the_review_of_a_game_is_that_of_the_server(open_site):
    page = open_site("analyse.html")
    for seed in range(8):
        game = random_game(seed)
        received = page.evaluate(ASK, ["review", {"game": game.to_text()}])
        assert received == {"review": report(game, list(judge_each(game))), "done": True}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there are no moves"),
        ("8-a1 8-a2", "line 1, move 2 '8-a2': piece 8 is on a1 already"),
        ("8-a1 7-a1", "cell a1 holds piece 8"),
        ("8-a1 7- 3-b1", "piece 7 before it was not placed"),
        ("8a1", "no dash between piece and cell"),
        ("x-a1", "no piece is called 'x'"),
        ("8-e5", "no cell is called 'e5'"),
        ("result: draw\n8-a1", "contradicts the moves, by which it is 'unfinished'"),
        ("1-a1 3-a2 5-a3 7-a4 9-b1", "the game is over already: a line is complete"),
        ("8-a1\nfirst: ann", "comes after moves"),
    ],
)
def test_an_invalid_game_is_refused_with_the_engine_s_reason(open_site, text, reason):
    status, answer = open_site("analyse.html").evaluate(SEND, ["/api/review", {"body": text}])
    assert status == 400 and reason in answer
    if text:
        with pytest.raises(ValueError) as refused:
            GameText.from_text(text)
        assert reason in str(refused.value)


def test_several_games_are_refused_in_one_sentence(open_site):
    question = ["/api/review", {"body": "8-a1\n\n7-a2"}]
    status, answer = open_site("analyse.html").evaluate(SEND, question)
    assert status == 400 and "the summary of several games needs the server" in answer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "not a position"),
        ("88../..../..../.... -", "piece 8 is on the board 2 times"),
        ("8.../..../..../.... 8", "piece 8 is in hand and on the board"),
        ("1357/..../..../.... 0", "a line is complete, so the game is over"),
        ("1357/..../9bdf/.... -", "no single last placement can have completed"),
    ],
)
def test_an_impossible_position_is_refused_with_the_engine_s_reason(open_site, text, reason):
    page, where = open_site("analyse.html"), f"/api/turns?position={text.replace(' ', '+')}"
    status, answer = page.evaluate(SEND, [where, {}])
    assert status == 400 and reason in answer
    with pytest.raises(ValueError) as refused:
        Position.parse(text)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("where", "status", "sentence"),
    [
        ("/api/decide?player=pro&game=8-", 400, "pro needs the server"),
        ("/api/decide?player=perfect&position=1357/..../..../....+-", 400, "the game is over"),
        ("/api/turns?position=..../..../..../....+-", 400, "with a piece to place"),
        ("/api/player?name=unheard", 404, "unknown player 'unheard': give one of"),
        ("/api/card?pieces=8&number=51&size=1", 404, "there is no card 51 of 8 pieces"),
        ("/api/compare?a=b", 404, "needs the server"),
    ],
)
def test_what_the_site_cannot_answer_is_refused_in_one_sentence(open_site, where, status, sentence):
    answered, text = open_site("analyse.html").evaluate(SEND, [where, {}])
    assert answered == status and sentence in text


def test_a_stopped_analysis_ends_and_the_next_question_is_answered(open_site):
    slow, text = "..../..../..../.... -", "4.../c.b./7.1./3ed. 0"
    results = open_site("analyse.html").evaluate(STOPPED, [slow, {"position": text}])
    assert results == ["AbortError", turns_of(Position.parse(text))]


def test_the_book_is_loaded_once_and_kept_by_the_browser(open_site):
    page, done = open_site("analyse.html"), "Boolean(document.body.dataset.done)"
    wait_for(page, done)
    before = len(Files.served)
    for _ in range(2):
        page.reload()
        wait_for(page, done)
    loaded = [
        [path for path in paths if "book-" in path]
        for paths in (Files.served, Files.served[before:])
    ]
    assert loaded[0] and not loaded[1]


def test_a_damaged_book_is_reported_in_one_sentence(open_site, site_folder):
    [file] = (site_folder / "data").glob("book-*.bin")
    check = """async (name) => {
        const { Book } = await import("./static/book.js");
        const read = (bytes) => {
            try { return new Book(bytes).pieces; } catch (error) { return error.message; }
        };
        const bytes = await (await fetch(`data/${name}`)).arrayBuffer(), whole = read(bytes);
        const other = bytes.slice(0);
        new Uint8Array(other)[1000000] ^= 1;
        return [whole, read(other), read(bytes.slice(0, 5000)), read(new ArrayBuffer(3))];
    }"""
    results = open_site("analyse.html").evaluate(check, file.name)
    assert results == [6, *["the book is damaged: load the page again"] * 3]
