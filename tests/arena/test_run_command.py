import json
import random
import signal
import subprocess
import sys
import time

import pytest

from store import Run
from store.run import read_all

FIELD = ["random", "rulebased", "frontier", "singleminmax"]


def command(*arguments):
    return [sys.executable, "-m", "arena.run", *map(str, arguments)]


def run(*arguments):
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=240)


def tables(folder):
    return {step: Run(str(folder)).read(step).to_pydict() for step in Run(str(folder)).steps()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A recorded tournament in one process: what every other way of playing it must equal."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    done = run(*FIELD, "--games", 200, "--record", "--workers", 0, "--store", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_the_json_says_everything(undisturbed):
    _, said = undisturbed
    assert said["players"] == FIELD and len(said["results"]) == 6
    for row in said["results"]:
        assert row["games"] == 200 == row["wins"] + row["draws"] + row["losses"]
    elo = {row["player"]: row for row in said["elo"]}
    assert elo["singleminmax"]["low"] > elo["rulebased"]["high"] > elo["random"]["high"]
    assert all(row["low"] < row["elo"] < row["high"] for row in said["elo"]) and said["games_per_second"] > 0


def test_ray_workers_that_are_killed_play_the_same_games(undisturbed, tmp_path):
    """Three workers on two cores, one of them killed on the way."""
    playing = subprocess.Popen(
        command(*FIELD, "--games", 200, "--record", "--workers", 3, "--store", tmp_path / "run"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    killed = False
    while playing.poll() is None:
        found = subprocess.run(["pgrep", "-f", "ray::Worker"], capture_output=True, text=True).stdout.split()
        mine = [int(p) for p in found if is_descendant(int(p), playing.pid)]
        if mine and not killed:
            time.sleep(0.3)
            subprocess.run(["kill", "-9", str(mine[0])], check=False)
            killed = True
        time.sleep(0.1)
    out, errors = playing.communicate()
    assert playing.returncode == 0, errors
    assert killed and tables(tmp_path / "run") == tables(undisturbed[0])
    assert "raylet" not in out + errors, "Ray is quiet"


def is_descendant(process: int, ancestor: int) -> bool:
    while process > 1:
        if process == ancestor:
            return True
        try:
            with open(f"/proc/{process}/stat") as stat:
                process = int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def test_a_driver_killed_at_random_moments_ends_with_the_same_tables(undisturbed, tmp_path):
    chance = random.Random(1)
    arguments = (*FIELD, "--games", 200, "--record", "--workers", 0, "--store", tmp_path / "run")
    for _ in range(3):
        playing = subprocess.Popen(command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            playing.wait(chance.uniform(1.0, 2.2))
        except subprocess.TimeoutExpired:
            playing.send_signal(signal.SIGKILL)
            playing.wait()
    assert run(*arguments).returncode == 0
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_control_c_saves_and_prints_the_command_to_go_on(tmp_path):
    arguments = (
        "singleminmax",
        "doubleminmax",
        "perfect",
        "--games",
        4000,
        "--workers",
        0,
        "--store",
        tmp_path / "run",
    )
    playing = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "run" / ".lock").exists():
        time.sleep(0.1)
    time.sleep(1)
    playing.send_signal(signal.SIGINT)
    _, errors = playing.communicate(timeout=20)
    assert playing.returncode == 130
    assert "To go on:\n  python -m arena.run singleminmax doubleminmax perfect --games 4000" in errors
    assert "Traceback" not in errors


def test_players_without_chance_meet_once_in_each_seat(tmp_path):
    done = run("dumb", "ga", "--games", 1000, "--workers", 0, "--store", tmp_path / "run", "--json")
    assert json.loads(done.stdout)["results"][0]["games"] == 2


def test_sprt_stops_when_it_is_decided(tmp_path):
    done = run("rulebased", "random", "--sprt", "0,10", "--workers", 0, "--store", tmp_path / "run", "--json")
    assert done.returncode == 0 and "rulebased is stronger by 10 Elo" in done.stderr
    assert json.loads(done.stdout)["results"][0]["games"] == 1000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["random"], "1 player given"),
        ([], "0 players given"),
        (["random", "pri"], "unknown player 'pri'"),
        (["random", "random"], "'random' cannot take part twice"),
        (["random", "human"], "use arena.play"),
        (["random", "dumb", "--games", "0"], "--games 0: give an even number"),
        (["random", "dumb", "--games", "7"], "--games 7: give an even number"),
        (["random", "dumb", "--workers", "-1"], "--workers -1"),
        (["random", "dumb", "--sprt", "5"], "give two numbers"),
        (["random", "dumb", "--sprt", "a,b"], "--sprt"),
        (["random", "dumb", "ga", "--sprt", "0,5"], "for two players"),
        (["random", "dumb", "--store", "/proc/nothing/here"], "cannot be made"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, said):
    store = [] if "--store" in arguments else ["--store", tmp_path / "run"]
    done = run(*arguments, *store)
    assert done.returncode == 2 and said in done.stderr
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


def test_a_damaged_match_is_named_and_nothing_else_is_touched(undisturbed, tmp_path):
    arguments = ("random", "dumb", "--games", 100, "--workers", 0, "--store", tmp_path / "run")
    run(*arguments)
    file = tmp_path / "run" / "match-0000.parquet"
    file.write_bytes(file.read_bytes()[:100])
    done = run(*arguments)
    assert done.returncode == 2 and "match-0000.parquet: is damaged" in done.stderr


def test_a_changed_configuration_is_refused(undisturbed):
    done = run(*FIELD, "--games", 300, "--record", "--workers", 0, "--store", undisturbed[0])
    assert done.returncode == 2 and "games: 200 there, 300 now" in done.stderr


def test_recorded_games_are_annotated_and_shown_as_a_page(undisturbed):
    folder, _ = undisturbed
    small = folder.parent / "small"
    run("rulebased", "hardcoded", "--games", 20, "--record", "--workers", 0, "--store", small)
    done = subprocess.run(
        [sys.executable, "-m", "arena.annotate", small, "--workers", "0"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    decisions = read_all(Run(str(small)), "decisions").to_pydict()
    check_decisions(decisions)
    page = subprocess.run([sys.executable, "-m", "arena.report", small], capture_output=True, text=True)
    assert page.returncode == 0, page.stderr
    text = (small / "report.html").read_text()
    assert "rulebased" in text and "<script src=" not in text, "self-contained"


def check_decisions(decisions):
    """The annotation by another way: the solver's analysis of a sample of the positions."""
    from engine import Position
    from engine.solver import analyse

    checked = 0
    for text, move, value, kept in zip(*(decisions[c] for c in ("position", "move", "value", "kept")), strict=True):
        position = Position.parse(text)
        if position.placed >= 7:
            analysis = analyse(position)
            assert analysis.value == value and (analysis.moves[move] == value) == kept
            checked += 1
    assert checked > 50 and 0 < sum(decisions["kept"]) < len(decisions["kept"])


def test_annotate_and_report_say_what_is_missing(tmp_path):
    for module in ("arena.annotate", "arena.report"):
        done = subprocess.run([sys.executable, "-m", module, tmp_path / "none"], capture_output=True, text=True)
        assert done.returncode == 2 and "holds no" in done.stderr and "Traceback" not in done.stderr
