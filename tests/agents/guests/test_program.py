"""Programs that speak the line protocol: they play, and each of their failures is one line."""

import os
import sys

import numpy as np
import pytest

import agents
from agents.guests import process
from agents.guests.program import Command, HouseRules
from agents.player import PlayerError
from arena.match import play_match
from tests.agents.guests.bots import write_bot as bot
from tests.agents.guests.misdeeds import misbehaving
from tests.agents.guests.programs import is_there
from tests.arena.referee import replay
from tests.commands import call

LOSE = HouseRules(seconds=30, on_error="lose")


def test_a_program_plays_legal_games_that_can_be_played_again(tmp_path):
    spec, other = bot(tmp_path), agents.make("rulebased")
    batch = play_match(agents.make(spec), other, seed=1, games=20, record=True)
    for moves in batch.moves:
        replay(moves)
    again = play_match(agents.make(spec), other, seed=1, games=10, first=10, record=True)
    assert np.array_equal(again.moves, batch.moves[10:])


# (where it fails, the code that fails, the message)
FAULTS = [
    ("give", "piece = 'x'", "answered 'x', not a piece of the pool, 0 to f"),
    ("place", "print('z9', flush=True); continue", "answered 'z9', not a free cell, a1 to d4"),
    ("place", "print(cell, flush=True); continue", r"answered '\d+', not a free cell, a1 to d4"),
    ("give", "sys.exit(3)", "ended with code 3"),
    ("give", "import os; os.kill(os.getpid(), 11)", "was ended by signal SIGSEGV"),
    ("place", "time.sleep(60)", r"gave no answer within 0\.3 s \(--time-limit\)"),
    ("give", "import os; os.close(1); time.sleep(60)", "closed its output"),
    ("give", "print('x' * 9000, end='', flush=True); time.sleep(9)", "without an end of line"),
    ("give", "print('info\\n' * 5000, flush=True)", "more than 1000 lines without an answer"),
    ("give", "sys.stdout.write(f'{piece}\\n{piece}\\n'); continue", "without being asked"),
    ("give", "sys.stdout.buffer.write(bytes(range(128, 256)) + b'\\n')", r"answered '\\\\x80"),
    ("give", "print('error I am lost', flush=True); continue", "I am lost"),
    ("new", "print('maybe', flush=True); continue", "answered 'maybe' to a new game"),
]


@pytest.mark.parametrize(("place", "code", "said"), FAULTS)
def test_a_program_that_fails_is_reported_in_one_line_and_killed(tmp_path, place, code, said):
    # it behaves until the first game of the match
    counts = "N += word == 'new'"
    places = {"begin": "N = 0", "every": counts, place: f"if N > 1: {code}"}
    if place == "new":
        places["every"] = f"{counts}\n        if N > 1 and word == 'new': {code}"
    spec = bot(tmp_path, **places)
    # a busy machine must not turn another failure into a timeout
    player = agents.make(spec, HouseRules(seconds=0.3 if "no answer within" in said else 30))
    pid = player.process.pid
    with pytest.raises(PlayerError, match=said) as error:
        play_match(player, agents.make("random"), seed=1, games=2)
    assert "\n" not in str(error.value) and str(error.value).startswith("program:")
    assert not is_there(pid)


def test_with_on_error_lose_a_failure_loses_the_game_and_the_match_goes_on(tmp_path):
    spec = bot(tmp_path, give="if random.random() < 0.1: sys.exit(1)")
    player = agents.make(spec, LOSE)
    games = play_match(player, agents.make("random"), seed=1, games=20, record=True)
    assert games.score.games == 20 and 3 < len(games.faults) < 20
    assert all("ended with code 1" in fault.reason for fault in games.faults)
    assert games.score.losses >= len(games.faults)
    assert games.score.failed.sum(axis=0).tolist() == [len(games.faults), 0]
    second = play_match(agents.make("random"), agents.make(spec, LOSE), seed=2, games=10)
    assert second.score.wins >= len(second.faults) > 0


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("program:", "names no command"),
        ("program:./nothing-of-that-name", "cannot be started: .*No such file"),
        ("program:'unbalanced", "is not a command: No closing quotation"),
        ("program:true", "ended with code 0"),
        ("program:sh -c 'read x; echo hello'", "greeted with 'hello', not with 'quarto 1 NAME'"),
        ("program:sh -c 'read x; echo quarto 1 x; echo nonsense'", "said 'nonsense'"),
        ("program:speed=3:sh -c 'read x; echo quarto 1 x; echo ready'", "has no option 'speed'"),
    ],
)
def test_a_command_that_is_not_a_player_is_refused(spec, said):
    with pytest.raises(ValueError, match=said):
        agents.make(spec)


def test_options_are_sent_to_the_program(tmp_path):
    hello = "print('quarto 1 bot\\noption first 0\\nready', flush=True); continue"
    every = f"if word == 'quarto': {hello}\n        if word == 'option': fixed = hand; continue"
    give = "piece = fixed if fixed in pool else piece"
    spec = bot(tmp_path, begin="fixed = None", every=every, give=give)
    spec = spec.replace("program:", "program:first=c:")
    moves = play_match(agents.make(spec), agents.make("random"), 1, 4, record=True).moves
    assert moves[0, 0] == moves[2, 0] == 12


def test_a_program_that_listens_answers_when_it_is_sent_stop(tmp_path):
    # thinks until it receives "stop"
    give = "sys.stdin.readline()"
    player = agents.make(bot(tmp_path, give=give), HouseRules(seconds=0.2))
    assert play_match(player, agents.make("random"), seed=1, games=1).score.games == 1


def test_stderr_of_a_program_goes_to_a_log_of_limited_size(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    spec = bot(tmp_path, every="print('thinking' * 1000, file=sys.stderr, flush=True)")
    monkeypatch.setattr(process, "MOST_LOG", 20_000)
    play_match(agents.make(spec), agents.make("random"), seed=1, games=3)
    [log] = (tmp_path / "cache" / "quarto-evo" / "logs").iterdir()
    assert log.read_text().startswith("thinkingthinking") and log.stat().st_size == 20_000


def test_a_word_that_names_a_file_becomes_the_path_of_its_copy(tmp_path):
    bot(tmp_path)
    command = Command.of_program(f"python3 {tmp_path}/bot.py --book other.bin")
    assert command.folder == str(tmp_path)
    there = command.at("/elsewhere")
    assert there.words == ("python3", "/elsewhere/bot.py", "--book", "other.bin")


# a few in every run, all 300 in `make chaos`
@pytest.mark.parametrize(
    "number", [*range(8), *(pytest.param(n, marks=pytest.mark.chaos) for n in range(8, 300))]
)
def test_a_match_with_a_misbehaving_program_is_completed(tmp_path, number):
    rules = HouseRules(seconds=0.1, on_error="lose")
    spec = misbehaving(tmp_path, number)
    try:
        player = agents.make(spec, rules)
    except ValueError as error:
        assert "\n" not in str(error)
        return
    games = play_match(player, agents.make("random"), seed=number, games=6)
    assert games.score.games == 6 and all("\n" not in one.reason for one in games.faults)
    player.process.end()
    assert not is_there(player.process.pid)


def test_the_conformance_test_passes_a_good_program_and_lists_the_faults_of_others(tmp_path):
    good = bot(tmp_path / "good").removeprefix("program:")
    done = call("arena.conform", good)
    assert done.code == 0 and "7 passed, 0 failed" in done.out, done.out
    rude = bot(tmp_path / "rude", every="random.seed(); word = word.replace('quit', 'x')")
    done = call("arena.conform", rude)
    assert done.code == 1 and "FAILED: played another game for the same seed" in done.out
    assert "FAILED: still runs 2 s after 'quit'" in done.out
    assert "5 passed, 2 failed" in done.out
    numbers = bot(tmp_path / "numbers", place="print(cell, flush=True); continue")
    done = call("arena.conform", numbers)
    assert done.code == 1 and "not a free cell, a1 to d4" in done.out
    done = call("arena.conform", "./nothing-here")
    assert done.code == 2 and len(done.err.splitlines()) == 1


def test_the_bots_of_the_examples_conform(tmp_path):
    examples = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples")
    done = call("arena.conform", f"{sys.executable} {examples}/bot.py")
    assert done.code == 0, done.out
    made = os.system(f"cc -O2 -Wall -Wextra -Werror -o {tmp_path}/bot {examples}/bot.c")
    assert made == 0
    done = call("arena.conform", f"{tmp_path}/bot")
    assert done.code == 0, done.out
    careless = agents.make(f"program:careful=0:{tmp_path}/bot")
    assert play_match(careless, agents.make("random"), seed=1, games=50).score.wins > 40


def test_a_slow_start_of_a_program_is_reported_while_it_lasts(capsys, monkeypatch):
    monkeypatch.setattr(process, "SHOWN_AFTER", 0.05)
    with pytest.raises(ValueError, match="ended with code 0"):
        agents.make("program:sh -c 'sleep 0.5'")
    assert "to begin ..." in capsys.readouterr().err
