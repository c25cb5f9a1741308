"""Runs received from others: commands that read them execute nothing that they name, and write to
no file that they link to."""

import json
import shutil

import pytest

from store import Run
from store.parquet import pack
from tests.commands import call
from tests.web.serving import serving

# arguments of commands that read a run: RUN and OTHER are hostile, FOLDER holds both
READERS = [
    ("web.pages", "RUN"),
    ("cli.show", "RUN"),
    ("cli.show", "RUN", "match"),
    ("arena.recorded", "RUN"),
    ("cli.runs", "FOLDER"),
    ("cli.runs", "--compare", "RUN", "OTHER"),
    ("cli.runs", "--remove", "OTHER"),
    ("oracle.annotate", "RUN", "--workers", 0),
    ("oracle.openings", "RUN"),
    ("oracle.puzzles", "RUN"),
    ("web.league", "RUN"),
]
PATHS = ["/api/runs", "/api/runs/run", "/api/league?run=run", "/api/compare?run=run&run=other"]


def specs(folder):
    """Return specs of players that create a file when they are made or asked."""
    mark = folder / "mark"
    (folder / "run" / "bad.py").write_text(f"open({str(mark)!r}, 'w')\nclass Bad: pass\n")
    return [f"program:touch {mark}", f"{folder}/run/bad.py:Bad", f"champion:run={folder}/run"]


def rewrite(path, change):
    """Write all steps of the run again, with a changed configuration."""
    run = Run(str(path))
    steps = {step: (run.read(step), run.about(step)) for step in run.steps()}
    for step, (table, about) in steps.items():
        change(about["config"])
        (path / f"{step}.parquet").write_bytes(pack(table, about))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest") / "run"
    field = ("rulebased", "dumb", "random", "--games", 4, "--record", "--workers", 0)
    assert call("arena.run", *field, "--store", folder).code == 0
    return folder


@pytest.fixture
def received(honest, tmp_path):
    """Return a folder with two hostile runs."""
    for name in ("run", "other"):
        shutil.copytree(honest, tmp_path / name)
    bad = specs(tmp_path)
    for name in ("run", "other"):
        rewrite(
            tmp_path / name,
            lambda config: config.update(
                players=[
                    [label, spec, digest]
                    for (label, _, digest), spec in zip(config["players"], bad, strict=True)
                ]
            ),
        )
    return tmp_path


@pytest.mark.parametrize("command", READERS, ids=lambda command: " ".join(map(str, command)))
def test_no_command_that_reads_a_run_executes_what_it_names(received, command):
    places = {"RUN": received / "run", "OTHER": received / "other", "FOLDER": received}
    done = call(*[places.get(word, word) for word in command])
    assert done.code in (0, 1, 2) and "Traceback" not in done.err
    assert not (received / "mark").exists()


def test_no_page_of_the_server_executes_what_a_run_names(received):
    with serving(received) as server:
        for path in PATHS:
            answer = server.ask(path)
            assert answer.status == 200 and json.loads(answer.body), path
        refused = server.get("/api/decide", player="champion:run=run", game="8-")
        assert refused.status == 400
    assert not (received / "mark").exists()


def test_the_command_that_runs_a_run_s_players_prints_them_first(received):
    done = call("oracle.accuracy", "--tournament", received / "run")
    assert done.err.startswith("running rulebased: program:touch ")


@pytest.mark.parametrize("link", ["report.html", ".lock"])
@pytest.mark.parametrize(
    "command",
    [
        ("web.pages", "RUN"),
        ("oracle.annotate", "RUN", "--workers", 0),
        ("cli.runs", "--remove", "RUN"),
        ("arena.run", "rulebased", "dumb", "random", "--games", 4, "--record", "--workers", 0),
    ],
    ids=lambda command: command[0],
)
def test_no_command_writes_through_a_link_in_a_run(honest, tmp_path, link, command):
    run, victim = shutil.copytree(honest, tmp_path / "run"), tmp_path / "victim"
    victim.write_text("precious")
    (run / link).unlink(missing_ok=True)
    (run / link).symlink_to(victim)
    words = [run if word == "RUN" else word for word in command]
    done = call(*words, *(("--store", run) if command[0] == "arena.run" else ()))
    assert victim.read_text() == "precious" and "Traceback" not in done.err
    if link == ".lock" and command[0] != "web.pages":
        assert done.code == 2 and ".lock is a symbolic link" in done.err


ESCAPES = "\x1b[2J\x1b]0;gone\x07"


def test_no_escape_sequence_of_a_run_reaches_the_terminal(honest, tmp_path):
    run = shutil.copytree(honest, tmp_path / "run")
    rewrite(run, lambda config: config.update(note=ESCAPES, players=config["players"]))
    stored = Run(str(run))
    about = stored.about("match-0000")
    table = stored.read("match-0000")
    position = table.column_names.index("first")
    renamed = table.set_column(position, "first", [[ESCAPES] * len(table)])
    Run(str(run), about["kind"], about["config"]).write("match-0000", renamed, about["measured"])
    for words in (("cli.show", run), ("cli.show", run, "match"), ("arena.recorded", run)):
        done = call(*words)
        assert "\x1b" not in done.out + done.err and "\x07" not in done.out + done.err, words
    assert "\\x1b" in call("cli.show", run).out
