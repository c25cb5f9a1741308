import subprocess
import sys

import pytest


def run(*arguments, text=""):
    command = [sys.executable, "-m", "arena.play", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)


def test_two_programs_play_a_drawn_game_with_its_moves():
    done = run("rulebased", "hardcoded", "--seed", "3")
    assert done.returncode == 0
    moves = next(line for line in done.stdout.splitlines() if line.startswith("moves: "))
    turns = moves.split()[1:]
    assert 4 <= len(turns) <= 16 and all(len(turn) == 4 and turn[1] == "-" for turn in turns)
    assert run("rulebased", "hardcoded", "--seed", "3").stdout == done.stdout


def test_many_games_give_a_score():
    done = run("hardcoded", "random", "--games", "1000")
    words = done.stdout.split()
    assert words[0] == "hardcoded" and int(words[1]) > 950


def test_a_person_is_helped_hinted_and_may_take_back():
    typed = "?\nnonsense\n3\nhint\nb3\nundo\nb4\nquit\n"
    done = run("human", "dumb", text=typed)
    assert done.returncode == 0, done.stderr
    out = done.stdout
    assert "take your last turn back" in out and "'nonsense' is not a legal move here" in out
    assert "human gives 3[p#]" in out and "asking the oracle" in out and "draws" in out
    assert "human places on b3" in out and "taken back" in out and "human places on b4" in out
    assert "you left" in out


def test_the_end_of_the_input_ends_the_game():
    done = run("dumb", "human", text="")
    assert done.returncode == 0 and "the input has ended" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["nobody", "random"], "unknown player 'nobody'"), (["random", "random", "--games", "0"], "give 1 or more")],
)
def test_bad_input_is_one_line_and_code_2(arguments, said):
    done = run(*arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_bad_player_of_ones_own_ends_with_one_line_and_code_1(tmp_path):
    (tmp_path / "bad.py").write_text(
        "class Bad:\n    def choose_piece(self):\n        return 77\n    def place_piece(self):\n        return 0\n"
    )
    done = run(f"{tmp_path}/bad.py:Bad", "random", "--games", "5")
    assert done.returncode == 1 and "answered 77" in done.stderr and "Traceback" not in done.stderr
