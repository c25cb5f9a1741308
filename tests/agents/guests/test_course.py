"""Unmodified Python classes from courses, each played in its own process."""

import os
import re
import sys
import textwrap

import numpy as np
import pytest

import agents
from agents.guests.course import hosted, located
from agents.guests.program import HouseRules
from agents.player import PlayerError
from arena.match import play_match
from tests.agents.guests.programs import GOOD, write
from tests.arena.referee import replay
from tests.commands import call


def test_a_class_plays_legal_games_that_can_be_played_again(tmp_path):
    mine, other = agents.make(write(tmp_path, GOOD)), agents.make("rulebased")
    batch = play_match(mine, other, seed=1, games=20, record=True)
    for moves in batch.moves:
        replay(moves)
    again = play_match(agents.make(mine.spec), other, seed=1, games=10, first=10, record=True)
    assert np.array_equal(again.moves, batch.moves[10:])
    assert batch.score.losses > 10, "chance loses against rules"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 99", r"choose_piece answered 99, not a piece of the pool \(1,000 answers"),
        ("return None", r"answered None"),
        ("return 'x'", r"answered 'x'"),
        ("raise RuntimeError('no idea')", r"choose_piece raised RuntimeError: no idea \(line 4\)"),
        ("return 1 / 0", r"ZeroDivisionError"),
        ("import sys; sys.exit(3)", r"choose_piece raised SystemExit: 3 \(line 4\)"),
        ("import json; json.loads('{')", r"JSONDecodeError: .*\(line 4\)"),
    ],
)
def test_a_bad_answer_ends_the_game_with_player_position_and_answer(tmp_path, body, said):
    text = f"""
    class Mine:
        def choose_piece(self):
            {body}
        def place_piece(self):
            return (0, 0)
    """
    mine = agents.make(write(tmp_path, text))
    with pytest.raises(PlayerError, match=said) as error:
        play_match(mine, agents.make("random"), seed=1, games=2)
    assert "mine.py:Mine" in str(error.value) and "..../..../..../.... -" in str(error.value)


@pytest.mark.parametrize("answer", ["(0, 0)", "(4, 0)", "3", "(-1, 0)", "None"])
def test_a_cell_that_is_not_free_is_refused(tmp_path, answer):
    text = f"""
    class Mine:
        def choose_piece(self):
            board = self.game.get_board_status()
            return next(p for p in range(16) if p not in board)
        def place_piece(self):
            return {answer}
    """
    with pytest.raises(PlayerError, match="not a free cell as"):
        play_match(agents.make(write(tmp_path, text)), agents.make("dumb"), seed=1, games=4)


def test_a_player_that_answers_at_random_is_asked_until_its_answer_is_legal(tmp_path):
    text = """
    import random, quarto
    class Mine(quarto.Player):
        def choose_piece(self):
            return random.randint(0, 15)
        def place_piece(self):
            return random.randint(0, 3), random.randint(0, 3)
    """
    games = play_match(agents.make(write(tmp_path, text)), agents.make("random"), 1, 100)
    assert 30 < games.score.wins < 70


def test_a_player_that_hangs_is_stopped(tmp_path):
    text = "class Mine:\n def choose_piece(self):\n  while 1: pass\n place_piece = choose_piece"
    mine = agents.make(write(tmp_path, text), HouseRules(seconds=0.2))
    with pytest.raises(PlayerError, match=r"no answer within 0\.2 s"):
        play_match(mine, agents.make("random"), seed=1, games=2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Other:\n    pass", "has no class 'Mine'; it has Other"),
        ("class Mine:\n    pass", r"has no method choose_piece"),
        ("import nothing_of_that_name", r"'nothing_of_that_name': .* -m pip install nothing_of"),
        ("import sklearn_no as x, yaml.nothing", "needs the package 'sklearn_no'"),
        ("import sys\nsys.exit('no luck')", "importing .* failed: SystemExit: no luck"),
        ("class Mine:\n  def", r"importing .* failed: SyntaxError: .* \(mine\.py, line 2\)(;|$)"),
        (
            "class Mine:\n    def __init__(self):\n        1 / 0\n"
            "    def choose_piece(self): pass\n    def place_piece(self): pass",
            r"making Mine failed: ZeroDivisionError: .* \(line 3\)",
        ),
        (
            "class Mine:\n    def __init__(self, game, depth): pass\n"
            "    def choose_piece(self): pass\n    def place_piece(self): pass",
            "making Mine failed: TypeError: .*'depth'",
        ),
    ],
)
def test_a_file_without_a_usable_player_is_refused(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        agents.make(write(tmp_path, text))


@pytest.mark.parametrize("spec", ["mine.py", "mine.py:", "nothing.py:Mine"])
def test_a_spec_that_names_no_class_is_refused(tmp_path, monkeypatch, spec):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, GOOD)
    with pytest.raises(ValueError, match=r"names no class|there is no file"):
        agents.make(spec)


def test_arguments_reach_the_class(tmp_path):
    text = GOOD.replace("(self, game):", "(self, game, piece=0, name='', sizes=()):")
    text = text.replace("self.game = game", "self.game = game; self.piece = piece")
    text = text.replace(
        "assert board.shape == (4, 4)", "if self.piece not in board: return self.piece"
    )
    spec = write(tmp_path, text)
    mine = agents.make(f"{spec}:piece=7,name=x,sizes=[1, 2]")
    moves = play_match(mine, agents.make("random"), 1, 2, record=True).moves
    assert moves[0, 0] == 7
    assert hosted.arguments_of("a=1,b=x y,c=[1, 2],d=0.5") == {
        "a": 1,
        "b": "x y",
        "c": [1, 2],
        "d": 0.5,
    }
    with pytest.raises(ValueError, match="unexpected keyword argument 'colour'"):
        agents.make(f"{spec}:colour=1")
    with pytest.raises(ValueError, match="'piece' is not an argument: write name=value"):
        agents.make(f"{spec}:piece")


FRAMEWORK = """
    import numpy as np
    class Player:
        def __init__(self, quarto): self.__quarto = quarto
        def get_game(self): return self.__quarto
    class Quarto:
        def __init__(self):
            self._board, self.__selected, self._current_player = np.full((4, 4), -1), -1, 0
        def set_players(self, players): self.players = players
        def get_board_status(self): return self._board.copy()
        def get_selected_piece(self): return self.__selected
        def select(self, piece): self.__selected = piece; return True
        def place(self, x, y): self._board[y, x] = self.__selected; return True
        def lowest(self): return next(p for p in range(15, -1, -1) if p not in self._board)
"""


def write_project(folder, text: str, inside: str = "players"):
    """Write a course project with its own framework and a package of players with a relative
    import, and return the spec of the player."""
    write(folder / "quarto", "from .objects import *", "__init__.py")
    write(folder / "quarto", FRAMEWORK, "objects.py")
    write(folder / inside, "NAME = 'a relative import'", "helper.py")
    (folder / "table.txt").write_text("7")
    return write(folder / inside, text)


RELATIVE = """
    import quarto
    from .helper import NAME
    from players.helper import NAME as again
    from helper import NAME as beside
    class Mine(quarto.Player):
        def __init__(self, game):
            super().__init__(game)
            self.first = int(open('table.txt').read())
            self.me = None
        def choose_piece(self):
            game = self.get_game()
            assert game.players[game._current_player] is self
            self.me = game._current_player if self.me is None else self.me
            assert self.me == game._current_player, 'the seat changed during a game'
            return self.first if self.first not in game._board else game.lowest()
        def place_piece(self):
            game = self.get_game()
            assert game.players[game._current_player] is self
            assert game._Quarto__selected == game.get_selected_piece()
            return next((c, r) for r in range(4) for c in range(4) if game._board[r, c] < 0)
"""


def test_a_course_project_is_played_from_the_folder_that_holds_its_framework(tmp_path):
    spec = write_project(tmp_path / "course", RELATIVE)
    games = play_match(agents.make(spec), agents.make("random"), 1, 20, record=True)
    for moves in games.moves:
        replay(moves)
    assert (games.moves[::2, 0] == 7).all(), "it reads its own file"


def test_two_players_of_two_projects_meet(tmp_path):
    other = RELATIVE.replace("'a relative import'", "'another'")
    specs = [write_project(tmp_path / name, text) for name, text in (("a", RELATIVE), ("b", other))]
    (tmp_path / "b" / "table.txt").write_text("9")
    moves = play_match(*map(agents.make, specs), 1, 2, record=True).moves
    assert moves[0, 0] == 7 and moves[1, 0] == 9


def test_the_root_is_the_nearest_folder_that_holds_a_framework(tmp_path):
    write_project(tmp_path / "course", RELATIVE, "deep/er")
    assert located.root_of(tmp_path / "course/deep/er/mine.py") == (tmp_path / "course", True)
    (tmp_path / "quarto").mkdir()
    assert located.root_of(tmp_path / "mine.py") == (tmp_path, False), "no framework in it"


def test_a_class_of_plain_python_runs_in_another_interpreter(tmp_path):
    spec = write(tmp_path, GOOD)
    done = call("terminal", spec, "random", "--games", 4, "--python", sys.executable)
    assert done.code == 0, done.err
    counts = re.search(r"(\d+) wins?, (\d+) draws?, (\d+) loss(?:es)? against random", done.out)
    assert sum(map(int, counts.groups())) == 4
    done = call("terminal", spec, "random", "--games", 4, "--python", "/no/python/here")
    assert done.code == 2 and "--python /no/python/here: there is no such program" in done.err


def test_a_player_s_memory_is_cleared_between_games(tmp_path):
    """Otherwise its games would depend on how they are distributed among workers."""
    text = GOOD.replace("self.game = game", "self.game, self.rng = game, random.Random(0)").replace(
        "random.choice", "self.rng.choice"
    )
    mine, opponent = agents.make(write(tmp_path, text)), agents.make("rulebased")
    whole = play_match(mine, opponent, seed=1, games=20, record=True)
    part = play_match(agents.make(mine.spec), opponent, seed=1, games=10, first=10, record=True)
    assert np.array_equal(part.moves, whole.moves[10:])


def test_an_edited_player_has_another_digest(tmp_path):
    before = agents.make(write(tmp_path, GOOD)).digest
    assert agents.make(write(tmp_path, GOOD)).digest == before
    assert agents.make(write(tmp_path, GOOD + "\n    # changed\n")).digest != before
    (tmp_path / "beside.py").write_text("")
    assert agents.make(write(tmp_path, GOOD)).digest != before


def test_a_rebuilt_program_has_another_digest(tmp_path):
    """Even if size and age of its file are unchanged: a resumed run must not mix two programs."""
    spec = write(tmp_path, GOOD)
    model = tmp_path / "model.bin"
    digests = []
    for content in (b"one", b"two"):
        model.write_bytes(content)
        os.utime(model, (0, 0))
        digests.append(agents.make(spec).digest)
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("echo 3.9", "is Python 3.9; classes need 3.10 or newer"),
        ("echo 2.7", "is Python 2.7; classes need 3.10 or newer"),
        ("echo hello", "is not a Python interpreter"),
        ("exit 1", "is not a Python interpreter"),
    ],
)
def test_an_interpreter_that_cannot_run_a_class_is_refused_in_one_line(tmp_path, answer, said):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{answer}\n")
    python.chmod(0o755)
    done = call("terminal", write(tmp_path, GOOD), "random", "--games", 4, "--python", python)
    assert done.code == 2 and done.err == f"--python {python}: {said}\n"


def test_a_player_s_output_goes_to_a_log(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    text = GOOD.replace("import random", "import random; print('hello')")
    text = text.replace("board = self", "print('thinking'); board = self")
    mine = agents.make(write(tmp_path, text))
    play_match(mine, agents.make("random"), seed=1, games=1)
    mine.process.end()
    assert capsys.readouterr() == ("", "")
    assert mine.process.log.path.read_text().startswith("hello\nthinking\n")


@pytest.mark.parametrize("debug", [True, False])
def test_debug_shows_the_traceback_of_a_player_that_crashed(tmp_path, monkeypatch, debug):
    monkeypatch.setenv("QUARTO_DEBUG", "0")
    (tmp_path / "deeper.py").write_text(textwrap.dedent("def first(x):\n    return x[99]"))
    text = GOOD.replace("import random", "import random; from deeper import first")
    mine = write(tmp_path, text.replace("random.choice([p", "first([p"))
    done = call("terminal", mine, "random", "--games", 2, *["--debug"] * debug)
    assert done.code == 1 and ("Traceback" in done.err) == debug
    assert "IndexError" in done.err.splitlines()[-1] and "(deeper.py, line 2)" in done.err


def test_the_bundled_framework_follows_the_rules(tmp_path, monkeypatch):
    """Whole games inside the bundled framework are checked by the engine."""
    monkeypatch.syspath_prepend(located.HERE)
    import quarto

    from engine import Position

    class Recorder(quarto.Player):
        def choose_piece(self):
            game = self.get_game()
            moves.append(next(p for p in ORDER if p not in game.get_board_status()))
            return moves[-1]

        def place_piece(self):
            board = self.get_game().get_board_status()
            cell = next(c for c in CELLS if board[c // 4, c % 4] < 0)
            moves.append(cell)
            return cell % 4, cell // 4

    for seed in range(20):
        rng = np.random.default_rng(seed)
        ORDER, CELLS = rng.permutation(16).tolist(), rng.permutation(16).tolist()
        moves = []
        game = quarto.Quarto()
        game.set_players((Recorder(game), Recorder(game)))
        winner = game.run()
        position = Position.start()
        for move in moves:
            position = position.play(move)
        assert position.is_over and position.is_won == (winner >= 0)
        assert game.get_board_status().ravel().tolist() == position.board
    monkeypatch.delitem(sys.modules, "quarto")


def test_a_file_with_the_name_of_its_folder_is_imported_from_that_folder(tmp_path):
    write_project(tmp_path, RELATIVE.replace("from players.helper", "from Mine.helper"), "Mine")
    (tmp_path / "Mine" / "mine.py").rename(tmp_path / "Mine" / "Mine.py")
    games = play_match(agents.make(f"{tmp_path}/Mine/Mine.py:Mine"), agents.make("random"), 1, 4)
    assert games.score.games == 4


def test_a_module_s_memory_is_cleared_between_games(tmp_path):
    text = GOOD.replace("import random", "import random\n    SEEN = []")
    text = text.replace("assert board.shape == (4, 4)", "SEEN.append(1); assert len(SEEN) < 12")
    mine, other = agents.make(write(tmp_path, text)), agents.make("random")
    assert play_match(mine, other, seed=1, games=20).score.games == 20
