import json
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest

import agents
from agents.ga import GENES
from console.typed import command_line
from store import Run
from store.curve import read_curve
from tests.commands import (
    call,
    interrupt,
    kill_and_resume,
    kill_in_the_middle,
    result_of,
    run_real,
    tables,
    tasks_kept,
    watch_calls,
)
from web.pages.evolution import contents
from workers.pool import Workers

SIZES = {"population": 12, "offspring": 12, "games": 20, "fresh": 200, "workers": 0}
SMALL = [word for name, value in SIZES.items() for word in (f"--{name}", value)]
SMALL += ["--no-curve"]


def evolve(folder, generations, *arguments):
    return call("evo.run", *SMALL, "--generations", generations, "--store", folder, *arguments)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return folder and result of an evolution in one process, the reference for all other ways."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    command = ("evo.run", *SMALL, "--generations", 30)
    return folder, result_of(*command, "--store", folder)


def test_the_learning_curve_includes_the_last_generation(tmp_path):
    curve = [word for word in SMALL if word != "--no-curve"]
    for generations, points in ((5, [0, 1, 2, 3, 4]), (5, [0, 1, 2, 3, 4]), (8, [*range(6), 7])):
        options = ("--generations", generations, "--store", tmp_path, "--fresh", 2)
        assert call("evo.run", *curve, *options).code == 0
        assert [point.number for point in read_curve(Run(tmp_path))] == points


def test_the_result_shows_right_turns_beside_those_of_known_players(tmp_path):
    curve = [word for word in SMALL if word != "--no-curve"]
    done = call("evo.run", *curve, "--generations", 2, "--store", tmp_path, "--fresh", 2)
    lines = done.out.splitlines()
    [i] = [i for i, line in enumerate(lines) if line.startswith("right turns by the oracle")]
    right, of = read_curve(Run(tmp_path))[-1].right
    assert f": {100 * right / of:.1f} % (" in lines[i] and lines[i + 1].endswith("perfect 100.0")
    assert lines[i + 2].startswith("five genes cannot see threats")
    assert all(len(line) <= 80 for line in lines[i : i + 3])
    assert lines[i + 3].endswith(f"minute: {command_line('evo.run', '--genome', 'rules')}")


def test_the_command_runs_in_a_new_interpreter(undisturbed):
    """It continues a finished run, so that nothing is played."""
    done = run_real("evo.run", *SMALL, "--generations", 30, "--store", undisturbed[0])
    assert done.code == 0, done.err
    play = f"{sys.executable} -m terminal human ga:run={undisturbed[0]}"
    assert f"play against it: {play}\n" in done.out
    assert "claimed" in done.out and "30 generations" in done.out
    seconds = Run(undisturbed[0]).about("generation-00029")["measured"]["seconds"]
    games = undisturbed[1]["games"]
    assert f"{games:,} games in {seconds:.0f} s; kept in" in done.out, "the time of the whole run"
    assert max(map(len, done.out.split("\n\n")[0].splitlines())) <= 80, (
        "the table is wider than 80 columns"
    )


def test_a_finished_run_plays_only_another_number_of_fresh_games(undisturbed, monkeypatch):
    folder, before = undisturbed
    runs, run_tasks = [], Workers.run
    monkeypatch.setattr(Workers, "run", lambda *all: runs.append(all) or run_tasks(*all))
    again = json.loads(evolve(folder, 30, "--json").out)
    assert again["champion"] == before["champion"] and not runs
    evolve(folder, 30, "--fresh", 20)
    assert runs


def test_the_time_of_an_extended_run_is_that_of_all_its_commands(tmp_path, monkeypatch):
    clock = iter(range(0, 10**6, 7))
    monkeypatch.setattr("evo.recorder.monotonic", lambda: next(clock))
    seconds = []
    for generations in (2, 2, 3):
        done = json.loads(evolve(tmp_path / "run", generations, "--json").out)
        seconds.append(done["seconds"])
    assert seconds == [14, 14, 21]


def test_the_time_of_a_run_without_recorded_seconds_is_not_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("evo.archive.Archive.seconds", lambda self: None)
    done = evolve(tmp_path / "run", 1)
    assert f"1 generations, 504 games; kept in {tmp_path}" in done.out


@pytest.mark.parametrize(
    ("fitness", "amounts"),
    [
        ("accuracy", {"judged_positions": 80 * (12 + 24)}),
        ("accuracy+games", {"judged_positions": 80 * (12 + 24), "games": 504 + 24 * 42 + 12 * 362}),
    ],
)
def test_judged_positions_are_not_games_and_the_oracle_is_not_an_opponent(
    tmp_path, fitness, amounts
):
    command = ("--fitness", fitness, "--positions", 80)
    done = evolve(tmp_path / "run", 2, *command)
    work = " and ".join(
        f"{amounts[unit]:,} {unit.replace('_', ' ')}"
        for unit in ("games", "judged_positions")
        if unit in amounts
    )
    assert f"2 generations, {work} in " in done.out
    against, judged = (table.splitlines() for table in done.out.split("\n\n")[:2])
    assert not any("accuracy" in row for row in against)
    assert judged[0].split() == ["champion", "%", "95", "%", "positions"]
    assert judged[1].startswith("right turns  claimed") and judged[1].endswith(" 80")
    assert judged[2].split()[0] == "fresh" and judged[2].endswith(" 8,000")
    result = json.loads(evolve(tmp_path / "run", 2, *command, "--json").out)
    assert {name: result.get(name) for name in amounts} == amounts
    assert ("games" in result) == ("games" in amounts)
    assert result["champion"]["accuracy"]["positions"] == 8000
    assert "accuracy" not in [row["opponent"] for row in result["champion"]["fresh"]]
    page = contents(Run(tmp_path / "run"))
    assert page.facts["judged positions"] == f"{80 * (12 + 24):,}"
    assert "accuracy" not in page.facts.get("opponents", "")
    titles = [section.title for section in page.sections]
    at = titles.index("The champion")
    assert titles[at : at + 2] == ["The champion", "The champion, judged without games"]


def test_the_json_holds_counts_champion_and_fresh_games(undisturbed):
    folder, result = undisturbed
    assert result["run"] == str(folder) and result["generations"] == 30
    assert result["games"] > 0 and result["seconds"] > 0
    champion = result["champion"]
    assert champion["player"] == f"ga:run={folder}" and len(champion["genes"]) == 5
    fresh = {row["opponent"]: row for row in champion["fresh"]}
    assert list(fresh) == ["rulebased", "random", "dumb"] and fresh["dumb"]["games"] == 2
    assert all(row["games"] == row["wins"] + row["draws"] + row["losses"] for row in fresh.values())
    assert fresh["rulebased"]["wins"] / 200 > 0.3, "a random genome wins 0.2"


def test_a_generation_has_a_row_for_each_individual_and_its_fitness_for_each_opponent(undisturbed):
    stored = tables(undisturbed[0])
    individuals, fitness = stored["generation-00007"], stored["fitness-00007"]
    genes = [f"gene_{name}" for name in GENES]
    columns = ["generation", "id", "born", "parents", "sigma", "survives", *genes]
    assert list(individuals) == columns
    assert len(individuals["id"]) == 24 and sum(individuals["survives"]) == 12
    counts = ["wins", "draws", "losses"]
    assert list(fitness) == ["generation", "individual", "opponent", *counts, "score"]
    assert fitness["individual"] == np.repeat(individuals["id"], 3).tolist()
    assert fitness["opponent"] == ["rulebased", "random", "dumb"] * 24
    games = np.sum([fitness[name] for name in counts], axis=0).reshape(24, 3)
    looks = 7 - np.array(individuals["born"])
    assert np.array_equal(games[:, 0], 20 + 200 * looks) and (games[:, 2] == 2).all()


def test_a_run_extended_with_failing_workers_has_the_same_tables(
    undisturbed, tmp_path, simulated_ray
):
    assert evolve(tmp_path / "run", 10).code == 0
    assert evolve(tmp_path / "run", 30, "--workers", 2).code == 0
    again = json.loads(evolve(tmp_path / "run", 30, "--json").out)
    assert tables(tmp_path / "run") == tables(undisturbed[0])
    assert again["games"] == undisturbed[1]["games"], "the games of the whole run"
    assert again["champion"]["genes"] == undisturbed[1]["champion"]["genes"]
    assert again["champion"]["fresh"] == undisturbed[1]["champion"]["fresh"]


def test_a_run_killed_three_times_ends_with_the_same_tables(tmp_path):
    command = ("evo.run", *SMALL, "--again", 200, "--generations", 30)
    assert call(*command, "--store", tmp_path / "whole").code == 0
    end = ("generation-", "generation-00029")
    resumed = kill_and_resume(tmp_path / "killed", *end, *command, kills=3)
    assert resumed == tables(tmp_path / "whole")


@pytest.mark.parametrize("strategy", ["mu+lambda", "cma"])
def test_a_generation_killed_in_the_middle_is_resumed_from_its_parts(
    tmp_path, monkeypatch, strategy
):
    slow = [
        *("--strategy", strategy, "--population", 4, "--offspring", 4, "--tournament", 2),
        "--no-curve",
        *("--games", 40, "--opponents", "doubleminmax,random", "--fresh", 2, "--workers", 0),
    ]
    whole, killed = (
        ("evo.run", *slow, "--generations", 1, "--store", tmp_path / name) for name in "ab"
    )
    assert call(*whole).code == 0
    kill_in_the_middle(tmp_path / "b", "part-", "generation-00000", *killed)
    report = call("web.pages", tmp_path / "b")
    assert report.code == 2 and "its first generation is not complete yet; to go on: " in report.err
    stored_games = sum(task[3] * task[5] for task in tasks_kept(tmp_path / "b"))
    played = watch_calls(monkeypatch, "evo.evaluate.play_slice")
    done = call(*killed, "--json")
    now = sum(len(genes) * batch.games for _, genes, _, batch, _ in played)
    assert (
        done.code == 0
        and stored_games > 0
        and stored_games + now == 320 == json.loads(done.out)["games"]
    )
    assert tables(tmp_path / "a") == tables(tmp_path / "b")


def test_interrupted_fresh_games_are_resumed_where_they_stopped(undisturbed, tmp_path, monkeypatch):
    store, result = tmp_path / "run", undisturbed[1]
    command = ("evo.run", *SMALL, "--generations", 30, "--store", store)
    interrupt("arena.round_robin.play_range", 3, *command, "--fresh", 100)
    # another number of games does not use the stored ones
    interrupt("arena.round_robin.play_range", 3, *command)
    stored_games = sum(games for _, games in tasks_kept(store))
    played = watch_calls(monkeypatch, "arena.round_robin.play_range")
    done = evolve(store, 30, "--json")
    assert 0 < stored_games == 402 - sum(batch.games for _, _, batch, _, _ in played)
    assert json.loads(done.out)["champion"]["fresh"] == result["champion"]["fresh"]
    assert tables(store) == tables(undisturbed[0])


def test_control_c_saves_and_prints_the_command_to_resume(tmp_path):
    command = ("evo.run", *SMALL, "--generations", 100000, "--store", tmp_path / "run")
    done = kill_in_the_middle(
        tmp_path / "run", "generation-", "generation-99999", *command, how=signal.SIGINT
    )
    assert done.code == 130 and "Traceback" not in done.err
    assert f"To go on:\n  {sys.executable} -m evo.run --population 12" in done.err


def test_the_stored_command_of_a_mind_reproduces_it(undisturbed, tmp_path):
    made_by = Run(str(undisturbed[0])).about("mind")["measured"]["made_by"].split()
    assert made_by[:3] == ["python", "-m", "evo.run"]
    again = call(
        *made_by[2:], "--workers", 0, "--fresh", 2, "--no-curve", "--store", tmp_path / "run"
    )
    assert again.code == 0, again.err
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_the_command_on_the_page_is_quoted_for_the_shell(tmp_path):
    store = tmp_path / "my run"
    assert evolve(store, 1).code == 0
    command = contents(Run(store)).sections[-1].commands["makes and resumes this run"]
    assert shlex.split(command)[-2:] == ["--store", str(store)]
    before = len(Run(store).steps())
    words = shlex.split(command)
    done = call(*words[words.index("evo.run") :], "--workers", 0, "--no-curve")
    assert done.code == 0 and len(Run(store).steps()) == before, "it made another run"


def test_a_population_can_be_imported(undisturbed, tmp_path):
    done = evolve(tmp_path / "run", 1, "--import", undisturbed[0], "--seed", 9)
    assert done.code == 0, done.err
    names = [f"gene_{name}" for name in GENES]
    first = Run(tmp_path / "run").read("generation-00000").select(names)
    last = Run(undisturbed[0]).read("generation-00029")
    survivors = last.filter(last["survives"]).select(names)
    in_order = [(name, "ascending") for name in names]
    assert first.sort_by(in_order) == survivors.sort_by(in_order)
    made_by = Run(str(tmp_path / "run")).about("mind")["measured"]["made_by"]
    assert f"--import {undisturbed[0]}" in made_by
    other = evolve(tmp_path / "other", 1, "--import", undisturbed[0], "--genome", "evolved")
    assert other.code == 2 and "holds the genome ga, not evolved" in other.err


@pytest.mark.parametrize("strategy", ["mu+lambda", "cma"])
def test_the_genome_evolved_works_with_both_strategies_and_can_be_extended(tmp_path, strategy):
    base = [
        *("--genome", "evolved", "--strategy", strategy, "--games", 4, "--fresh", 20),
        *("--opponents", "hardcoded,deep=pro:bound=1,value=1"),
    ]
    assert evolve(tmp_path / "a", 4, *base).code == 0
    assert evolve(tmp_path / "b", 2, *base).code == 0
    done = evolve(tmp_path / "b", 4, *base)
    spec = f"evolved:run={tmp_path / 'b'}"
    assert done.code == 0 and f"human {spec}\n" in done.out and "float64" not in done.out
    assert ("neighbours" in done.out) == (strategy == "cma")
    stored = tables(tmp_path / "a")
    assert stored == tables(tmp_path / "b")
    assert set(stored["fitness-00000"]["opponent"]) == {"hardcoded", "deep"}
    assert agents.make(spec).mind.parameters.tolist() == stored["mind"]["value"]


def test_importing_evolution_is_cheap():
    code = "import sys, evo; sys.exit(bool({'ray', 'numba', 'deap'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--generations", 0], "--generations 0: give 1 or more"),
        (["--population", 3], "--population 3: smaller than the tournament of 5"),
        (["--genome", "nothing"], "--genome nothing: give one of ga, evolved, beam"),
        (["--games", 3], "--games 3: give an even number, 2 or more"),
        (["--sigma", -1], "--sigma -1.0: give more than 0"),
        (["--sigma", "nan"], "--sigma nan: give a number"),
        (["--sigma", "inf"], "--sigma inf: give a number"),
        (["--patience", "nan"], "--patience nan: give a number"),
        (["--opponents", "unheard"], "--opponents unheard: unknown player 'unheard'"),
        (["--opponents", "human"], "human: only compiled players"),
        (["--opponents", ""], "--opponents '': name one or more players"),
        (["--opponents", "random,random"], "--opponents: random is named twice"),
        (["--import", "/nowhere"], "--import /nowhere: holds no evolution"),
        (["--import", ""], "--import '': give a folder"),
        (["--again", 10], "--again 10: give --games (20) or more"),
        (["--fresh", 0], "--fresh 0: give an even number, 2 or more"),
        (["--tournament", 0], "--tournament 0: give 1 or more"),
        (["--strategy", "cma", "--offspring", 1], "--offspring 1: CMA-ES needs 4 or more"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, message):
    done = evolve(tmp_path / "run", 2, *arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1


def test_another_configuration_and_another_genome_are_refused(undisturbed):
    done = evolve(undisturbed[0], 30, "--tournament", 4)
    assert done.code == 2 and "tournament: 5 there, 4 now" in done.err
    done = evolve(undisturbed[0], 30, "--genome", "evolved")
    assert done.code == 2 and "genome: ga there, evolved now" in done.err


def test_the_learning_curve_is_stored_during_the_run_and_drawn(tmp_path):
    small = [word for word in SMALL if word != "--no-curve"]
    assert call("evo.run", *small, "--generations", 9, "--store", tmp_path / "run").code == 0
    stored = Run(str(tmp_path / "run"))
    assert [point.number + 1 for point in read_curve(stored)] == [1, 2, 3, 4, 6, 8, 9]
    page = contents(stored)
    assert list(page.hero.figures)[:2] == ["Right turns", "Known players"]
    x = page.hero.figures["Right turns"].data[0].x
    assert list(x) == [1, 2, 3, 4, 6, 8, 9], "the last generation is a point"
    assert "Right turns by number of pieces" in [section.title for section in page.sections]
    assert page.card.title == "The champion" and any(bar.own for bar in page.card.bars)


def test_with_no_curve_no_points_are_stored(undisturbed):
    assert not Run(str(undisturbed[0])).steps("curve-")
