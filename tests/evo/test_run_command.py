import json
import random
import signal
import subprocess
import sys
import time

import pytest

from store import Run

SMALL = ["--population", "12", "--offspring", "12", "--games", "20", "--fresh", "200"]


def command(*arguments):
    return [sys.executable, "-m", "evo.run", *SMALL, *map(str, arguments)]


def run(*arguments):
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=240)


def tables(folder):
    return {step: Run(str(folder)).read(step).to_pydict() for step in Run(str(folder)).steps()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    done = run("--generations", 30, "--workers", 0, "--store", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_the_json_says_everything(undisturbed):
    folder, said = undisturbed
    assert said["run"] == str(folder) and said["generations"] == 30 and said["games"] > 0 and said["seconds"] > 0
    assert len(said["champion"]["genes"]) == 5
    fresh = {row["opponent"]: row for row in said["champion"]["fresh"]}
    assert list(fresh) == ["rulebased", "random", "dumb"] and fresh["dumb"]["games"] == 2
    assert all(row["games"] == row["wins"] + row["draws"] + row["losses"] for row in fresh.values())
    assert fresh["rulebased"]["wins"] / 200 > 0.3, "far better than the 0.2 of a random genome"


def test_every_generation_is_one_file_with_all_individuals(undisturbed):
    stored = Run(str(undisturbed[0])).read("generation-00007").to_pydict()
    assert len(stored["id"]) == 24 and sum(stored["survives"]) == 12
    assert {"parents", "genes", "sigma", "games rulebased", "wins random", "draws dumb", "losses dumb"} <= set(stored)


def test_a_larger_number_of_generations_extends_and_two_ray_workers_make_no_difference(undisturbed, tmp_path):
    assert run("--generations", 10, "--workers", 0, "--store", tmp_path / "run").returncode == 0
    assert run("--generations", 30, "--workers", 2, "--store", tmp_path / "run").returncode == 0
    assert tables(tmp_path / "run") == tables(undisturbed[0])
    again = json.loads(run("--generations", 30, "--workers", 0, "--store", tmp_path / "run", "--json").stdout)
    assert again["games"] == undisturbed[1]["games"], "of the whole run, however often it was interrupted"
    assert again["champion"] == undisturbed[1]["champion"]


def test_killed_at_random_moments_and_continued_it_ends_with_the_same_tables(undisturbed, tmp_path):
    chance = random.Random(2)
    for _ in range(4):
        evolving = subprocess.Popen(command("--generations", 30, "--workers", 0, "--store", tmp_path / "run"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            evolving.wait(chance.uniform(1.6, 2.6))
        except subprocess.TimeoutExpired:
            evolving.send_signal(signal.SIGKILL)
            evolving.wait()
    assert run("--generations", 30, "--workers", 0, "--store", tmp_path / "run").returncode == 0
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_control_c_saves_and_prints_the_command_to_go_on(tmp_path):
    evolving = subprocess.Popen(command("--generations", 100000, "--workers", 0, "--store", tmp_path / "run"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    while not (tmp_path / "run" / "generation-00003.parquet").exists():
        time.sleep(0.1)
    evolving.send_signal(signal.SIGINT)
    _, errors = evolving.communicate(timeout=20)
    assert (
        evolving.returncode == 130
        and "To go on:\n  python -m evo.run --population 12" in errors
        and "Traceback" not in errors
    )


def test_the_page_is_self_contained(undisturbed):
    done = subprocess.run([sys.executable, "-m", "evo.report", undisturbed[0]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = (undisturbed[0] / "report.html").read_text()
    assert "ancestors" in text and "<script src=" not in text


def test_a_population_is_imported(undisturbed, tmp_path):
    done = run("--generations", 1, "--workers", 0, "--import", undisturbed[0], "--store", tmp_path / "run", "--seed", 9)
    assert done.returncode == 0, done.stderr
    first = Run(str(tmp_path / "run")).read("generation-00000").to_pydict()["genes"]
    last = Run(str(undisturbed[0])).read("generation-00029").to_pydict()
    assert sorted(first) == sorted(g for g, s in zip(last["genes"], last["survives"], strict=True) if s)


@pytest.mark.parametrize("strategy", ["mu+lambda", "cma"])
def test_our_own_genome_evolves_by_both_strategies_and_goes_on(tmp_path, strategy):
    base = (
        "--genome",
        "evolved",
        "--strategy",
        strategy,
        "--opponents",
        "hardcoded,pro:bound=1+value=1",
        "--workers",
        0,
        "--games",
        4,
        "--fresh",
        20,
    )
    assert run(*base, "--generations", 4, "--store", tmp_path / "a").returncode == 0
    assert run(*base, "--generations", 2, "--store", tmp_path / "b").returncode == 0
    done = run(*base, "--generations", 4, "--store", tmp_path / "b")
    assert done.returncode == 0 and f"evolved:mind={tmp_path / 'b'}" in done.stdout
    assert tables(tmp_path / "a") == tables(tmp_path / "b")
    import agents

    assert (
        agents.make(f"evolved:mind={tmp_path / 'b'}").mind.parameters.tolist()
        == Run(str(tmp_path / "b")).read("champion")["weight"].to_pylist()
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--generations", "0"], "--generations 0: give 1 or more"),
        (["--population", "3"], "smaller than the tournament of 5"),
        (["--genome", "nothing"], "--genome nothing: give one of ga, evolved, beam"),
        (["--games", "3"], "give even numbers"),
        (["--sigma", "-1"], "--sigma -1"),
        (["--opponents", "nobody"], "unknown player 'nobody'"),
        (["--opponents", "human"], "only compiled players"),
        (["--import", "/nowhere"], "holds no evolution"),
        (["--again", "10"], "--again 10: give --games (20) or more"),
        (["--fresh", "0"], "--fresh 0: give an even number"),
        (["--sigma", "nan"], "--sigma nan"),
        (["--strategy", "cma", "--offspring", "1"], "CMA-ES needs 4 or more"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, said):
    done = run("--generations", 2, "--workers", 0, "--store", tmp_path / "run", *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if "compiling" not in line]) == 1


def test_another_configuration_and_another_genome_are_refused(undisturbed):
    done = run("--generations", 30, "--workers", 0, "--store", undisturbed[0], "--tournament", 4)
    assert done.returncode == 2 and "tournament: 5 there, 4 now" in done.stderr
    done = run("--generations", 30, "--workers", 0, "--store", undisturbed[0], "--genome", "evolved")
    assert done.returncode == 2 and "genome: ga there, evolved now" in done.stderr


def test_a_damaged_last_generation_is_named_and_repaired_only_when_asked(undisturbed, tmp_path):
    arguments = ("--workers", 0, "--store", tmp_path / "run")
    run("--generations", 6, *arguments)
    file = tmp_path / "run" / "generation-00005.parquet"
    file.write_bytes(file.read_bytes()[:500])
    done = run("--generations", 8, *arguments)
    assert done.returncode == 2 and "generation-00005.parquet: is damaged" in done.stderr and "--repair" in done.stderr
    assert run("--generations", 30, "--repair", *arguments).returncode == 0
    assert tables(tmp_path / "run") == tables(undisturbed[0])
