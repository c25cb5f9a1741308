import io
import os
import re
import signal

import pytest

import agents
from arena.draw import draw, piece_art
from arena.game import Game
from console.progress import Progress
from engine import GameText, Position, read_games
from engine.exact.solver import solve
from oracle.judge import review, turning_point
from terminal import __main__ as terminal
from tests.commands import call, run


def test_a_game_of_two_players_is_drawn_and_its_moves_printed():
    done = call("terminal", "me=rulebased", "hardcoded", "--seed", 3)
    assert done.code == 0 and "me gives first" in done.out
    moves = next(line for line in done.out.splitlines() if re.match(r"[0-9a-f]-[a-d][1-4] ", line))
    assert len(moves) < 80 and GameText.from_text(moves).result != "unfinished"
    assert call("terminal", "me=rulebased", "hardcoded", "--seed", 3).out == done.out


def test_many_games_give_a_score():
    words = call("terminal", "hardcoded", "random", "--games", 1000).out.split()
    assert words[0] == "hardcoded" and int(words[1]) > 950


def test_a_human_gets_help_and_hints_and_may_take_a_turn_back():
    typed = "undo\n?\nnonsense\n3\nhint\nb3\nundo\nb4\nquit\n"
    done = run("terminal", "human", "dumb", text=typed)
    assert done.code == 0, done.err
    out = done.out
    assert "there is nothing of yours to take back" in out
    assert "take your last turn back" in out and "'nonsense' is not a legal move here" in out
    assert "human gives 3[p#]" in out and "asking the oracle" in out and "draws" in out
    assert "human places on b3" in out and "taken back" in out and "human places on b4" in out
    assert "you left; human 0 wins, 0 draws, 0 losses against dumb" in out


@pytest.mark.parametrize("typed", ["?\n3\nb2\nquit\n", "?\n\n3\nb2\nquit\n"])
def test_a_move_typed_after_the_help_is_played(typed, monkeypatch):
    lines = io.StringIO(typed)
    monkeypatch.setattr("sys.stdin", lines)
    monkeypatch.setattr(terminal, "can_redraw", lambda: True)
    out = call("terminal", "human", "dumb").out
    assert "Enter: back to the board\nwhich piece do you give? " in out
    assert "human gives 3[p#]" in out and "where do you place " in out
    assert "human places on b2" in out and "not a legal move" not in out
    assert ("back to the board" in out.split(terminal.HOME_AND_CLEAR)[2]) and not lines.read()


def test_each_game_has_a_new_seed_unless_one_is_given():
    def seed(*arguments):
        (line,) = [x for x in call("terminal", *arguments).out.splitlines() if ", seed " in x][:1]
        return int(line.rpartition(" ")[2])

    games = [seed("random", "random") for _ in range(2)]
    assert games[0] != games[1]
    assert seed("random", "random", "--seed", 7) == 7


def test_a_human_is_asked_for_another_game(monkeypatch):
    """The opponent gives the lowest piece, and the seats alternate."""
    typed = iter(["8", "b1", "9", "b2", "6", "b3", "f", "b4", "", "quit"])
    monkeypatch.setattr("sys.stdin.readline", lambda: f"{next(typed)}\n", raising=False)
    out = call("terminal", "human", "dumb").out
    assert out.index("human wins") < out.index("again?") < out.index("game 2, seed")
    assert "dumb gives first" in out and "you left; human 1 win, 0 draws" in out


def test_a_human_may_see_a_review_before_another_game(monkeypatch):
    typed = iter(["8", "b1", "9", "b2", "6", "b3", "f", "b4", "r", "n"])
    monkeypatch.setattr("sys.stdin.readline", lambda: f"{next(typed)}\n", raising=False)
    done = call("terminal", "human", "dumb")
    assert done.code == 0 and done.out.count("again?") == 2
    review_text = done.out.partition("asking the oracle ...\n")[2].partition("again?")[0]
    assert review_text.startswith("human gives first; human wins\n") and "of all" in review_text
    assert max(map(len, review_text.splitlines())) < 80


def test_saved_games_are_appended_to_the_file(tmp_path, monkeypatch):
    file = tmp_path / "games.txt"
    typed = iter(["8", "quit"])
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin.readline", lambda: f"{next(typed)}\n", raising=False)
        assert call("terminal", "human", "dumb", "--seed", 5, "--save", file).code == 0
    file.write_text(file.read_text().rstrip("\n"))
    assert call("terminal", "me=dumb", "random", "--seed", 5, "--save", file).code == 0
    monkeypatch.setattr(terminal, "SAVED", 3)
    score = call("terminal", "dumb", "random", "--games", 8, "--save", file).out
    games = list(read_games(file.read_text()))
    assert len(games) == 10 and games[0].moves_text.startswith("8-")
    assert games[0].players == ("human", "dumb") and games[0].result == "unfinished"
    assert games[1].players == ("me", "random") and games[1].headers["seed"] == "5"
    assert [game.players[0] for game in games[2:]] == ["dumb", "random"] * 4
    assert [game.headers["game"] for game in games[2:]] == list("12345678")
    won = sum(
        game.result == f"{('first', 'second')[i % 2]} wins" for i, game in enumerate(games[2:])
    )
    assert f"dumb {won} wins" in score
    assert call("terminal", "dumb", "random", "--games", 8).out == score


def test_a_file_that_has_games_says_how_many_are_added(tmp_path):
    file = tmp_path / "games.txt"
    command = ("terminal", "dumb", "random", "--games", 3, "--save", file)
    assert call(*command).err == ""
    assert call(*command).err == f"added 3 games to {file}, which had 3\n"
    assert call(*command).err == f"added 3 games to {file}, which had 6\n"
    assert len(list(read_games(file.read_text()))) == 9


def test_the_drawing_fits_24_lines_of_80_columns_and_shows_every_piece():
    position = Position.parse("4.../c.b./7.1./3ed. 0")
    lines = draw(
        position, ["game 1, seed 123456", "a player of a long name gives first"]
    ).splitlines()
    assert len(lines) <= 24 - terminal.NOTES - 2 and max(map(len, lines)) < 80
    assert len({tuple(piece_art(piece)) for piece in range(16)}) == 16
    assert all(len(line) == 5 for piece in range(16) for line in piece_art(piece, colour=False))
    for digit in "4cb713ed0":
        assert any(f"{fill}{digit}{fill}" in line for line in lines for fill in " █")


def test_the_winning_line_is_marked():
    won = Position.parse("4..9/.123/..../.... -").give(0).place(4)
    assert terminal.winning_line(won) == 0x00F0
    assert draw(won, marked=terminal.winning_line(won)).count(">") == 4 * 3
    assert terminal.winning_line(Position.parse("012./..../..../.... -")) == 0


def test_the_board_is_redrawn_only_on_terminals_that_can(monkeypatch):
    monkeypatch.setattr(terminal, "PAUSE", 0.0)
    monkeypatch.setattr(terminal, "can_redraw", lambda: True)
    out = call("terminal", "random", "dumb", "--seed", 3).out
    screens = out.split(terminal.HOME_AND_CLEAR)[1:]
    assert len(screens) > 8
    assert all(len(screen.splitlines()) <= 24 for screen in screens)
    assert all("in hand" in screen for screen in screens) and "random gives" in screens[1]
    monkeypatch.undo()
    assert terminal.HOME_AND_CLEAR not in call("terminal", "random", "dumb", "--seed", 3).out


@pytest.mark.parametrize("seed", range(6))
def test_the_review_names_the_losing_move(seed):
    game = Game((agents.make("rulebased"), agents.make("hardcoded")), seed, 0)
    game.play()
    assert game.result, "the game is a draw"
    decisive = turning_point(reversed(review(GameText({}, game.moves))))
    texts = [before.to_text() for before, _, _ in game.history]
    before, player, move = game.history[texts.index(decisive.position)]
    assert player != game.acting and solve(before) == decisive.value >= 0, "it was lost before"
    assert solve(before.play(move)) == (-1 if before.hand >= 0 else 1), "it is not lost now"
    words = call("terminal", "rulebased", "hardcoded", "--seed", seed).out
    assert f"lost it in move {decisive.number} by" in words and f"{decisive.move}; " in words


@pytest.mark.parametrize("player", ["random", "perfect"])
def test_control_c_prints_the_score_so_far(player, monkeypatch):
    assert call("terminal", player, player, "--games", 2).code == 0
    monkeypatch.setattr(Progress, "interrupted", False)
    show, played_at = Progress.show, []

    def show_and_interrupt(progress, done, *rest):
        show(progress, done, *rest)
        if done > 1 and not played_at:
            played_at.append(done)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Progress, "show", show_and_interrupt)
    done = call("terminal", player, player, "--games", 10**8)
    assert done.code == 130 and done.err == "\ninterrupted\n"
    played = re.fullmatch(r"after ([\d,]+) of 100,000,000 games: .* against .*\n", done.out)
    assert played and played_at[0] <= int(played[1].replace(",", "")) < 10**8


def test_the_end_of_stdin_ends_the_game(monkeypatch):
    monkeypatch.setattr("sys.stdin.readline", lambda: "", raising=False)
    done = call("terminal", "dumb", "human")
    assert done.code == 0 and "the input has ended" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unheard", "random"], "unknown player 'unheard'"),
        (["random", "random", "--games", "0"], "--games 0: give 1 or more"),
        (["random"], "arguments are required: B"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    done = call("terminal", *arguments)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1


def test_a_failing_player_in_the_user_s_file_ends_with_one_line_and_code_1(tmp_path):
    (tmp_path / "bad.py").write_text(
        "class Bad:\n"
        "    def choose_piece(self):\n        return 77\n"
        "    def place_piece(self):\n        return 0\n"
    )
    done = call("terminal", f"{tmp_path}/bad.py:Bad", "random", "--games", 5)
    assert done.code == 1 and "answered 77" in done.err and len(done.err.splitlines()) == 1
