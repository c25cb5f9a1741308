import json
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import agents
from agents.outcomes import Results
from arena.match import play
from arena.transport import pack, unpack
from console.command import exit_code
from console.progress import Progress
from engine import Position
from engine.symmetry import canonical_key
from selfplay.collect import add_up, collect, prune
from selfplay.learners import LEARNERS, explore_at
from store import Run

SMALL = ["--games", "4000", "--round", "500", "--size", "3000", "--tests", "200"]


def command(*arguments):
    return [sys.executable, "-m", "selfplay.run", *SMALL, *map(str, arguments)]


def run(*arguments):
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=240)


def tables(folder):
    return {step: Run(str(folder)).read(step).to_pydict() for step in Run(str(folder)).steps()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    done = run("--workers", 0, "--store", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_it_learns(undisturbed):
    wins = [float(row["wins against random"]) for row in undisturbed[1]["rounds"]]
    assert len(wins) == 8 and wins[-1] > 90
    player = agents.make(f"rl:mind={undisturbed[0]}")
    assert play(player, agents.make("random"), 1, 1000).totals[0] > 900


def test_a_round_is_one_file_of_the_stated_size(undisturbed):
    run = Run(str(undisturbed[0]))
    assert len(run.steps("round-")) == 8
    table = run.read("round-00007").to_pydict()
    assert table["level"].count("exact") == 3000 and table["level"].count("coarse") > 100
    rows = zip(table["visits"], table["wins"], table["draws"], table["losses"], strict=True)
    assert all(visits == wins + draws + losses for visits, wins, draws, losses in rows)


def test_two_ray_workers_and_a_longer_run_make_no_difference(undisturbed, tmp_path):
    assert run("--games", 2000, "--workers", 0, "--store", tmp_path / "run").returncode == 0
    assert len(Run(str(tmp_path / "run")).steps("round-")) == 4
    done = run("--workers", 2, "--store", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_killed_at_random_moments_and_continued_it_ends_with_the_same_tables(undisturbed, tmp_path):
    chance = random.Random(2)
    for _ in range(3):
        learning = subprocess.Popen(command("--workers", 0, "--store", tmp_path / "run"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            learning.wait(chance.uniform(2.0, 3.2))
        except subprocess.TimeoutExpired:
            learning.send_signal(signal.SIGKILL)
            learning.wait()
    assert run("--workers", 0, "--store", tmp_path / "run").returncode == 0
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_control_c_saves_and_prints_the_command_to_go_on(tmp_path):
    arguments = command("--games", 10_000_000, "--workers", 0, "--store", tmp_path / "run")
    learning = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "run" / "round-00002.parquet").exists():
        time.sleep(0.1)
    learning.send_signal(signal.SIGINT)
    _, errors = learning.communicate(timeout=30)
    assert learning.returncode == 130 and "To go on:\n  python -m selfplay.run --games 4000" in errors
    assert "Traceback" not in errors


def test_an_interrupt_that_got_lost_is_raised_again(monkeypatch):
    monkeypatch.setattr(Progress, "interrupted", True)
    with pytest.raises(KeyboardInterrupt):
        Progress("learning", "games", 10).show(1)


def test_an_interrupt_that_comes_out_as_another_error_is_still_one(capsys):
    def main():
        Progress.interrupted = True  # as the handler of Ctrl-C does
        raise TypeError("_get_jit_address() missing 1 required positional argument: 'sig'")

    assert exit_code(main, "the command") == 130 and "To go on:\n  the command" in capsys.readouterr().err
    with pytest.raises(TypeError):
        exit_code(lambda: len(3))


def test_the_page_is_self_contained(undisturbed):
    done = subprocess.run([sys.executable, "-m", "selfplay.report", undisturbed[0]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = (undisturbed[0] / "report.html").read_text()
    assert "Wins against random" in text and "<script src=" not in text


def test_beam_learns_its_bad_moves(tmp_path):
    folder = tmp_path / "run"
    done = run("--learner", "beam", "--games", 60, "--round", 30, "--tests", 4, "--workers", 0, "--store", folder)
    assert done.returncode == 0, done.stderr
    table = Run(str(folder)).read("policy").to_pydict()
    assert table["level"].count("exact") > 20
    assert agents.make(f"beam:cache={folder}").place(Position.parse("4.../c.b./7.1./3e.. 0")) >= 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--learner", "nobody"], "--learner nobody: give one of rl, beam"),
        (["--games", "3"], "--games 3: give 20 or more"),
        (["--size", "0"], "--size 0"),
        (["--workers", "-2"], "--workers -2"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, said):
    done = run("--store", tmp_path / "run", *arguments)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_another_configuration_is_refused_and_a_report_of_nothing_too(undisturbed, tmp_path):
    done = run("--seed", 5, "--store", undisturbed[0])
    assert done.returncode == 2 and "another configuration" in done.stderr
    done = subprocess.run([sys.executable, "-m", "selfplay.report", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2 and "holds no self-play" in done.stderr


def test_every_position_of_every_game_counts_for_whoever_placed():
    games = play(agents.make("random"), agents.make("hardcoded"), 3, 50, first=7, record=True)
    expected = {}
    for i, (moves, result) in enumerate(zip(games.moves, games.results, strict=True)):
        position = Position.start()
        a_gives = (7 + i) % 2 == 0
        for piece, cell in moves.reshape(-1, 2).tolist():
            if piece < 0:
                break
            position = position.give(piece)
            row = expected.setdefault(canonical_key(position), [0, 0, 0])
            row[2 - result if a_gives else result] += 1
            position = position.place(cell)
            a_gives = not a_gives
    met = collect(games.moves, games.results, 7, 15, False)
    assert dict(zip(met.keys.tolist(), met.counts.tolist(), strict=True)) == expected
    assert met.coarse.sum() == met.counts.sum() + 50, "and the ends of the games"


def test_adding_up_does_not_depend_on_the_order():
    chance = np.random.default_rng(1)
    met = [(np.unique(chance.integers(0, 500, 200, np.uint64)), i) for i in range(6)]
    keys = [k for k, _ in met]
    counts = [chance.integers(0, 5, (len(k), 3)) for k in keys]
    there = add_up(Results.none(), keys, counts)
    back = add_up(add_up(Results.none(), keys[:2], counts[:2]), keys[:1:-1], counts[:1:-1])
    assert all(np.array_equal(a, b) for a, b in zip(there, back, strict=True))
    kept = prune(there, 100)
    assert len(kept.key) == 100 and kept.visits.min() >= np.sort(there.visits)[-100] and (np.diff(kept.key.astype(np.int64)) > 0).all()  # fmt: skip


def test_exploration_goes_down_and_stays_down():
    rates = [explore_at(LEARNERS["rl"], number) for number in range(30)]
    assert rates[0] == 0.7 and rates == sorted(rates, reverse=True) and rates[14:] == [pytest.approx(0.05)] * 16


def test_what_was_learned_elsewhere_travels_with_the_player(undisturbed):
    player = agents.make(f"rl:mind={undisturbed[0]}")
    there = unpack(pack(player))
    assert np.array_equal(there.mind.memory, player.mind.memory) and there.mind.memory is not player.mind.memory
