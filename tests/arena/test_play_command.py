import pytest

from tests.commands import call, run


def test_two_programs_play_a_drawn_game_with_its_moves():
    done = call("arena.play", "me=rulebased", "hardcoded", "--seed", 3)
    assert done.code == 0 and "me gives first" in done.out
    moves = next(line for line in done.out.splitlines() if line.startswith("moves: "))
    turns = moves.split()[1:]
    assert 4 <= len(turns) <= 16 and all(len(turn) == 4 and turn[1] == "-" for turn in turns)
    assert call("arena.play", "me=rulebased", "hardcoded", "--seed", 3).out == done.out


def test_many_games_give_a_score():
    words = call("arena.play", "hardcoded", "random", "--games", 1000).out.split()
    assert words[0] == "hardcoded" and int(words[1]) > 950


def test_a_person_is_helped_hinted_and_may_take_back():
    typed = "undo\n?\nnonsense\n3\nhint\nb3\nundo\nb4\nquit\n"
    done = run("arena.play", "human", "dumb", text=typed)
    assert done.code == 0, done.err
    out = done.out
    assert "there is nothing of yours to take back" in out
    assert "take your last turn back" in out and "'nonsense' is not a legal move here" in out
    assert "human gives 3[p#]" in out and "asking the oracle" in out and "draws" in out
    assert "human places on b3" in out and "taken back" in out and "human places on b4" in out
    assert "you left; human 0 wins, 0 draws, 0 losses against dumb" in out


def test_the_end_of_the_input_ends_the_game(monkeypatch):
    monkeypatch.setattr("sys.stdin.readline", lambda: "", raising=False)
    done = call("arena.play", "dumb", "human")
    assert done.code == 0 and "the input has ended" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", "random"], "unknown player 'nobody'"),
        (["random", "random", "--games", "0"], "--games 0: give 1 or more"),
        (["random"], "arguments are required: B"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    done = call("arena.play", *arguments)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1


def test_a_bad_player_of_ones_own_ends_with_one_line_and_code_1(tmp_path):
    (tmp_path / "bad.py").write_text(
        "class Bad:\n"
        "    def choose_piece(self):\n        return 77\n"
        "    def place_piece(self):\n        return 0\n"
    )
    done = call("arena.play", f"{tmp_path}/bad.py:Bad", "random", "--games", 5)
    assert done.code == 1 and "answered 77" in done.err and len(done.err.splitlines()) == 1
