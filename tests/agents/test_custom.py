import textwrap

import numpy as np
import pytest

import agents
from agents import custom
from agents.custom import PlayerError
from arena.match import play_match
from tests.arena.referee import replay

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
