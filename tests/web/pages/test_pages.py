"""Annotations and the page of a stored tournament."""

import shutil

import pytest

import agents
from engine import Position
from engine.exact.solver import analyse
from oracle import testset
from store import Run
from tests.commands import call, interrupt, run, tables, tasks_kept, watch_calls

OWN = """
class Own:
    def choose_piece(self):
        board = self.game.get_board_status().ravel().tolist()
        return min(set(range(16)) - {self.game.get_selected_piece(), *board})
    def place_piece(self):
        cell = self.game.get_board_status().ravel().tolist().index(-1)
        return cell % 4, cell // 4
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Return a small recorded tournament; the file of one of its players has been deleted since."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "own.py").write_text(OWN)
    players = ("rulebased", "low=dumb", f"own={folder}/own.py:Own")
    arguments = ("--games", 20, "--record", "--workers", 0, "--store", folder / "run")
    done = call("arena.run", *players, *arguments)
    assert done.code == 0, done.err
    (folder / "own.py").unlink()
    return folder / "run"


def test_recorded_games_are_annotated(recorded):
    done = run("oracle.annotate", recorded, "--workers", 0)
    assert done.code == 0 and "kept the value" in done.out, done.err
    decisions = Run(str(recorded)).table("decisions").to_pydict()
    assert set(decisions["player"]) == {"rulebased", "low", "own"}
    check_decisions(decisions)


def check_decisions(decisions):
    """Compare the annotations of later positions with the solver's analysis."""
    columns = (decisions[name] for name in ("position", "move", "value", "kept"))
    checked = 0
    for text, move, value, kept in zip(*columns, strict=True):
        position = Position.parse(text)
        if position.placed >= 7:
            analysis = analyse(position)
            assert analysis.value == value and (analysis.moves[move] == value) == kept
            checked += 1
    assert checked > 20 and 0 < sum(decisions["kept"]) < len(decisions["kept"])


def test_interrupted_annotations_are_resumed_where_they_stopped(recorded, tmp_path, monkeypatch):
    assert call("oracle.annotate", recorded, "--workers", 0).code == 0
    annotated = shutil.copytree(recorded, tmp_path / "run")
    for file in annotated.glob("decisions-*"):
        file.unlink()
    monkeypatch.setattr("oracle.annotate.GAMES_AN_ITEM", 8)
    command = ("oracle.annotate", annotated, "--workers", 0)
    interrupt("oracle.annotate.annotate_games", 4, *command)
    assert Run(annotated).steps("decisions-") == ["decisions-0000"]
    assert tasks_kept(annotated) == [[0, 8]], "8 games of the second match are stored"
    tasks = watch_calls(monkeypatch, "oracle.annotate.annotate_games")
    assert call(*command).code == 0
    assert [len(games) for games, _ in tasks] == [8, 4, 8, 8, 4]
    assert tables(annotated) == tables(recorded)


@pytest.fixture
def copy(recorded, tmp_path):
    return shutil.copytree(recorded, tmp_path / "copy")


def test_a_page_makes_no_player_and_names_the_command_that_measures_accuracy(copy, monkeypatch):
    monkeypatch.setattr(agents, "make", None)
    done = call("web.pages", copy)
    assert done.code == 0 and done.out.strip() == str(copy / "report.html")
    command = f"python -m oracle.accuracy --tournament {copy}"
    hint = f"no accuracy of rulebased, low, own is stored; to measure it: {command}"
    assert done.err == f"{copy}: {hint}\n"
    text = (copy / "report.html").read_text()
    assert "low" in text and hint in text
    assert "<script src=" not in text, "self-contained"


def test_the_players_of_a_tournament_are_named_before_they_are_run(tmp_path, monkeypatch):
    store = tmp_path / "cup"
    small = ("arena.run", "rulebased", "first=dumb", "--games", 2, "--workers", 0, "--store", store)
    assert call(*small).code == 0
    questions = testset.read()[:40]
    monkeypatch.setattr(testset, "read", lambda: questions)
    done = call("oracle.accuracy", "--tournament", store)
    assert done.code == 0, done.err
    assert done.err.splitlines()[:2] == ["running rulebased: rulebased", "running first: dumb"]
    assert set(Run(str(store)).read("accuracy")["player"].to_pylist()) == {"rulebased", "first"}
    assert call("web.pages", store).err == ""
    assert "running" not in call("oracle.accuracy", "--tournament", store).err, (
        "stored results are not measured again"
    )


def test_the_accuracy_of_a_tournament_needs_a_tournament_with_existing_players(copy, tmp_path):
    done = call("oracle.accuracy", "--tournament", tmp_path / "none")
    assert done.code == 2 and "holds no tournament" in done.err
    done = call("oracle.accuracy", "pro", "--tournament", copy)
    assert done.code == 2 and "leave the others out" in done.err
    done = call("oracle.accuracy", "--tournament", copy)
    assert done.code == 2 and "there is no file" in done.err.splitlines()[-1]


def test_a_missing_match_is_reported(copy):
    (copy / "match-0001.parquet").unlink()
    done = call("web.pages", copy)
    assert done.code == 0 and "1 of 3 matches are missing: match-0001" in done.err
    assert "1 of 3 matches are missing: match-0001" in (copy / "report.html").read_text()


@pytest.mark.parametrize(
    ("step", "command"),
    [("match-0001", ["web.pages"]), ("games-0001", ["oracle.annotate", "--workers", 0])],
)
def test_a_damaged_file_is_named_in_one_line(copy, step, command):
    file = copy / f"{step}.parquet"
    file.write_bytes(file.read_bytes()[:100])
    done = call(*command, copy)
    assert done.code == 2 and f"{step}.parquet: is damaged" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("module", ["oracle.annotate", "web.pages"])
def test_a_folder_without_a_tournament_is_refused_in_one_line(module, tmp_path):
    done = call(module, tmp_path / "none")
    assert done.code == 2 and "holds no" in done.err and len(done.err.splitlines()) == 1
