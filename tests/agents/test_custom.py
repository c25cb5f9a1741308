import sys
import textwrap

import numpy as np
import pytest

import agents
import agents.siblings
from agents import custom
from agents.custom import PlayerError
from arena.match import play_match
from tests.arena.referee import replay
from tests.commands import call

GOOD = """
    import random
    class Mine:
        def __init__(self, game):
            self.game = game
        def choose_piece(self):
            board = self.game.get_board_status()
            assert board.shape == (4, 4)
            return random.choice([p for p in range(16) if p not in board])
        def place_piece(self):
            board = self.game.get_board_status()
            assert self.game.get_selected_piece() not in board
            return random.choice([(c, r) for r in range(4) for c in range(4) if board[r, c] == -1])
"""


def write(tmp_path, text):
    (tmp_path / "mine.py").write_text(textwrap.dedent(text))
    return f"{tmp_path}/mine.py:Mine"


def test_a_player_of_ones_own_plays_legal_games_that_can_be_played_again(tmp_path):
    mine = agents.make(write(tmp_path, GOOD))
    batch = play_match(mine, agents.make("rulebased"), seed=1, games=20, record=True)
    for moves in batch.moves:
        replay(moves)
    again = play_match(
        agents.make(mine.spec), agents.make("rulebased"), seed=1, games=10, first=10, record=True
    )
    assert np.array_equal(again.moves, batch.moves[10:])
    assert batch.score.totals[2] > 10, "chance loses against rules"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 99", r"choose_piece answered 99, not a piece of the pool"),
        ("return None", r"answered None"),
        ("return 'x'", r"answered 'x'"),
        ("raise RuntimeError('no idea')", r"choose_piece raised RuntimeError: no idea \(line 4\)"),
        ("return 1 / 0", r"ZeroDivisionError"),
        ("import sys; sys.exit(3)", r"choose_piece raised SystemExit: 3 \(line 4\)"),
        ("import json; json.loads('{')", r"JSONDecodeError: .*\(line 4\)"),
    ],
)
def test_a_bad_answer_ends_the_game_with_player_position_and_answer(tmp_path, body, said):
    mine = agents.make(
        write(
            tmp_path,
            f"""
    class Mine:
        def choose_piece(self):
            {body}
        def place_piece(self):
            return (0, 0)
    """,
        )
    )
    with pytest.raises(PlayerError, match=said) as error:
        play_match(mine, agents.make("random"), seed=1, games=2)
    assert "mine.py:Mine" in str(error.value) and "..../..../..../.... -" in str(error.value)


@pytest.mark.parametrize("answer", ["(0, 0)", "(4, 0)", "3", "(-1, 0)", "None"])
def test_a_cell_that_is_not_free_is_refused(tmp_path, answer):
    mine = agents.make(
        write(
            tmp_path,
            f"""
    class Mine:
        def choose_piece(self):
            board = self.game.get_board_status()
            return next(p for p in range(16) if p not in board)
        def place_piece(self):
            return {answer}
    """,
        )
    )
    with pytest.raises(PlayerError, match="not a free cell as"):
        play_match(mine, agents.make("dumb"), seed=1, games=4)


def test_a_hang_ends_too(tmp_path, monkeypatch):
    monkeypatch.setattr(custom, "SECONDS_A_DECISION", 0.2)
    mine = agents.make(
        write(
            tmp_path,
            """
    class Mine:
        def choose_piece(self):
            while True:
                pass
        def place_piece(self):
            return (0, 0)
    """,
        )
    )
    with pytest.raises(PlayerError, match=r"no answer within 0\.2 s"):
        play_match(mine, agents.make("random"), seed=1, games=2)


def test_a_hang_in_another_thread_ends_too(tmp_path, monkeypatch):
    import threading

    monkeypatch.setattr(custom, "SECONDS_A_DECISION", 0.2)
    caught = []

    def body():
        try:
            with custom.time_limit(0.2):
                while True:
                    pass
        except TimeoutError:
            caught.append(True)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(20)
    assert caught


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Other:\n    pass", "has no class 'Mine'; it has Other"),
        ("class Mine:\n    pass", r"has no method choose_piece"),
        ("import nothing_of_that_name", "importing .* failed: ModuleNotFoundError"),
        ("import sys\nsys.exit('no luck')", "importing .* failed: SystemExit: no luck"),
        ("class Mine:\n  def", "importing .* failed: SyntaxError"),
        (
            "class Mine:\n    def __init__(self):\n        1 / 0\n"
            "    def choose_piece(self): pass\n    def place_piece(self): pass",
            "making Mine failed",
        ),
    ],
)
def test_a_file_that_is_no_player_is_refused(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        agents.make(write(tmp_path, text))


def test_what_a_player_remembers_of_one_game_does_not_reach_the_next(tmp_path):
    """So that its games do not depend on how they are shared out among workers."""
    text = GOOD.replace("self.game = game", "self.game, self.rng = game, random.Random(0)").replace(
        "random.choice", "self.rng.choice"
    )
    mine, opponent = agents.make(write(tmp_path, text)), agents.make("rulebased")
    whole = play_match(mine, opponent, seed=1, games=20, record=True)
    part = play_match(agents.make(mine.spec), opponent, seed=1, games=10, first=10, record=True)
    assert np.array_equal(part.moves, whole.moves[10:])


def test_an_edited_player_is_another_one(tmp_path):
    before = agents.make(write(tmp_path, GOOD)).digest
    assert agents.make(write(tmp_path, GOOD)).digest == before
    assert agents.make(write(tmp_path, GOOD + "\n    # changed\n")).digest != before
    assert agents.make("pro:bound=1,value=1").digest != agents.make("pro").digest


HELPER = """
    from deeper import first
    COUNT = []
    def pick(pieces):
        COUNT.append(1)
        return first(pieces)
"""


def write_two(tmp_path, folder, index):
    """A player that imports a file beside it, which imports another, and one in the middle."""
    (tmp_path / folder).mkdir()
    for name, text in (
        ("helper", HELPER),
        ("deeper", f"def first(pieces):\n    return pieces[{index}]"),
        ("later", "LATER = 1"),
        ("unused", "raise RuntimeError"),
    ):
        (tmp_path / folder / f"{name}.py").write_text(textwrap.dedent(text))
    text = GOOD.replace("import random", "import random\n    from helper import pick")
    text = text.replace("return random.choice([p", "import later; return pick([p")
    return write(tmp_path / folder, text)


def test_a_file_may_import_what_stands_beside_it_and_nobody_else_sees_it(tmp_path):
    specs = [write_two(tmp_path, folder, i) for i, folder in enumerate(("a", "b"))]
    low, high = map(agents.make, specs)
    assert set(low.siblings.texts) == {"helper", "deeper", "later"}
    moves = play_match(low, high, seed=1, games=2, record=True).moves
    assert moves[0, 0] == 0 and moves[1, 0] == 1, "each has its own file of the same name"
    assert not {"helper", "deeper", "later"} & set(sys.modules)
    before = low.digest
    (tmp_path / "a" / "deeper.py").write_text("def first(pieces):\n    return pieces[-1]")
    assert agents.make(specs[0]).digest != before, "an edit beside it is an edit of the player"


def test_too_much_beside_a_player_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(agents.siblings, "MOST_TEXT", 20)
    with pytest.raises(ValueError, match=r"that it imports \(deeper, helper, later\) are larger"):
        agents.make(write_two(tmp_path, "a", 0))


def test_a_crash_beside_a_player_names_file_and_line(tmp_path):
    spec = write_two(tmp_path, "a", 99)
    with pytest.raises(PlayerError, match=r"IndexError: .* \(deeper.py, line 2\)"):
        play_match(agents.make(spec), agents.make("random"), seed=1, games=2)


def test_a_player_that_cannot_be_made_a_second_time_is_named(tmp_path):
    text = GOOD.replace("self.game = game", "self.game = game; made.append(1); 1 / (3 - len(made))")
    mine = agents.make(write(tmp_path, text.replace("import random", "import random; made = []")))
    with pytest.raises(PlayerError, match=r"mine.py:Mine in .*: __init__ raised ZeroDivisionError"):
        play_match(mine, agents.make("random"), seed=1, games=4)


def test_what_a_player_prints_goes_to_stderr(tmp_path, capsys):
    text = GOOD.replace("import random", "import random; print('hello')")
    text = text.replace("board = self", "print('thinking'); board = self")
    play_match(agents.make(write(tmp_path, text)), agents.make("random"), seed=1, games=1)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("hello\nthinking\n")


@pytest.mark.parametrize("debug", ["1", "0"])
def test_the_traceback_of_a_crash_is_shown_to_who_wants_it(tmp_path, capsys, monkeypatch, debug):
    monkeypatch.setenv("QUARTO_DEBUG", debug)
    mine = agents.make(write_two(tmp_path, "a", 99))
    with pytest.raises(PlayerError):
        play_match(mine, agents.make("random"), seed=1, games=2)
    shown = capsys.readouterr().err
    assert ("Traceback" in shown and "IndexError" in shown) == (debug == "1")


@pytest.mark.parametrize("debug", [True, False])
def test_a_command_shows_where_a_player_has_crashed_if_it_is_told_to(tmp_path, monkeypatch, debug):
    monkeypatch.setenv("QUARTO_DEBUG", "0")
    mine = write_two(tmp_path, "a", 99)
    done = call("arena.play", mine, "random", "--games", 2, *["--debug"] * debug)
    assert done.code == 1 and ("Traceback" in done.err) == debug
    assert "IndexError" in done.err.splitlines()[-1]
