"""`python -m cli.runs` and `python -m web.pages`."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from store import Run
from tests.commands import call, run


def write_evolution(folder, seed=0, steps=2, gene=1.5):
    with Run(folder, "evolution", {"seed": seed, "genome": "ga", "minds": {"random": "0"}}) as run:
        for i in range(steps):
            row = {"individual": [i], "opponent": ["random"], "score": [0.5]}
            row |= {"wins": [i], "draws": [0], "losses": [4 - i]}
            run.write(f"fitness-{i:05d}", pa.table(row))
            measured = {"games": 10 * i, "games_per_second": id(run)}
            row = {
                "generation": [i],
                "id": [i],
                "born": [i],
                "parents": [[0]],
                "sigma": [1.0],
                "survives": [True],
            }
            run.write(f"generation-{i:05d}", pa.table(row | {"gene_alpha": [gene]}), measured)
        mind = pa.table({"gene": ["alpha"], "value": [gene]})
        run.write("mind", mind, {"holds": "ga genes"})


def write_tournament(folder, wins=9):
    players = [["a", "pro", "12"], ["b", "random", "00"], ["c", "dumb", "00"]]
    with Run(folder, "tournament", {"players": players, "sprt": None}) as run:
        row = {
            "match": [0, 0],
            "first": ["a"] * 2,
            "second": ["b"] * 2,
            "seat": [0, 1],
            "games": [10, 0],
        }
        counts = {"wins": [wins, 0], "draws": [1, 0], "losses": [9 - wins, 0]}
        run.write("match-0000", pa.table(row | counts))


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Return a folder that holds two runs, one of them nested, and a folder that is not a run."""
    monkeypatch.chdir(tmp_path)
    write_evolution("runs/train/e")
    write_tournament("runs/t")
    (tmp_path / "runs" / "mine").mkdir()
    parquet.write_table(pa.table({"x": [1]}), "runs/mine/mine.parquet")
    return tmp_path / "runs"


def cells(text):
    return [[cell.strip() for cell in line.split("  ") if cell] for line in text.splitlines()]


def test_the_command_lists_the_runs(runs):
    code, out, err = run("cli.runs", runs)
    title, *rows = cells(out)
    assert (code, err) == (0, "")
    assert title == ["run", "what", "when", "how far", "size", "champion"]
    by_name = {row[0]: (row[1], row[3], row[5]) for row in rows}
    assert by_name == {
        f"{runs}/t": ("tournament", "1 of 3 matches", "a"),
        f"{runs}/train/e": ("evolution", "2 generations, done", f"ga:run={runs}/train/e"),
    }


def test_show_lists_a_folder_of_runs_and_runs_is_the_default_folder(runs):
    out = call("cli.runs").out
    assert len(out.splitlines()) == 3 and "runs/train/e" in out
    assert call("cli.show", "runs").out == out == call("cli.runs", "runs/").out


def test_parts_of_a_match_do_not_count_as_matches(runs):
    (runs / "t" / "match-0000.parquet").unlink()
    players = [["a", "pro", "12"], ["b", "random", "00"]]
    with Run("runs/t", "tournament", {"players": players, "sprt": None}) as writer:
        writer.write("part-match-0000-00000", pa.table({"wins": [1]}))
        writer.write("part-decisions-0000-00000", pa.table({"game": [1]}))
    out = call("cli.runs", "runs/t").out
    how_far = "0 of 1 matches, parts of the next"
    assert [cells(out)[1][i] for i in (1, 3)] == ["tournament", how_far]
    assert call("cli.runs", "--compare", "runs/t", "runs/train/e").code == 0


def test_a_damaged_run_is_listed_with_its_error(runs):
    file = runs / "t" / "match-0000.parquet"
    data = bytearray(file.read_bytes())
    data[8] ^= 1
    file.write_bytes(data)
    code, out, _ = call("cli.runs", "runs/t")
    assert code == 0 and "match-0000.parquet: is damaged" in out


def test_two_runs_are_compared(runs):
    write_evolution("other", seed=7, steps=3, gene=2.5)
    code, out, _ = call("cli.runs", "--compare", "runs/train/e", "other")
    assert code == 0 and cells(out) == [
        ["runs/train/e", "other"],
        ["generations", "2", "3"],
        ["seed", "0", "7"],
        ["how far", "2 generations, done", "3 generations, done"],
        ["games and judged positions in all", "10", "20"],
        ["mean wins against random", "25.0 %", "50.0 %"],
        ["gene alpha", "1.5", "2.5"],
    ]
    write_tournament("second", wins=5)
    out = call("cli.runs", "--compare", "runs/t", "second").out
    assert ["points of a", "95.0 %", "55.0 %"] in cells(out)


def test_runs_that_differ_only_in_speed_count_as_equal(runs):
    write_evolution("same")
    out = call("cli.runs", "--compare", "runs/train/e", "same").out
    assert out == "no difference in configuration and result\n"


def test_removing_a_run_deletes_all_of_its_files(runs):
    (runs / "t" / "report.html").write_text("a page")
    (runs / "t" / ".writing-12345678-x.parquet").write_text("half")
    code, out, err = call("cli.runs", "--remove", "runs/t", "runs/train/e")
    first, second = out.splitlines()
    assert (code, err) == (0, "") and first.startswith("removed runs/t: 4 files, ")
    assert second.startswith("removed runs/train/e: 6 files, ")
    assert not (runs / "t").exists() and not (runs / "train" / "e").exists()


def test_files_that_are_not_part_of_the_run_are_not_removed(runs):
    folder = runs / "train" / "e"
    (folder / "notes.txt").write_text("mine")
    (folder / "inside").mkdir()
    parquet.write_table(pa.table({"x": [1]}), folder / "mine.parquet")
    (folder / "copy.parquet").write_bytes((folder / "mind.parquet").read_bytes())
    (folder / "broken.parquet").write_text("not Parquet at all")
    (folder / "generation-00001.parquet").write_text("not Parquet any more")
    others = ["broken.parquet", "copy.parquet", "inside", "mine.parquet", "notes.txt"]
    out = call("cli.runs", "--remove", folder).out
    assert out.endswith(f"; not of the run, and still there: {', '.join(others)}\n")
    assert sorted(path.name for path in folder.iterdir()) == others


def test_a_run_that_is_being_written_is_not_removed(runs):
    before = sorted((runs / "t").glob("*.parquet"))
    players = [["a", "pro", "12"], ["b", "random", "00"], ["c", "dumb", "00"]]
    with Run("runs/t", "tournament", {"players": players, "sprt": None}):
        code, out, err = call("cli.runs", "--remove", "runs/t")
    assert (code, out) == (2, "") and "another program is writing to this run" in err
    assert sorted((runs / "t").glob("*.parquet")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: holds no run; make one with: python -m evo.run"),
        (["runs/mine"], "runs/mine: holds no run"),
        (["ftp://x"], "ftp://x: cannot be used as a store"),
        (["--remove"], "--remove: name the run to delete"),
        (["--remove", "runs"], "runs: holds no run"),
        (["--remove", "runs/mine"], "runs/mine: holds no run"),
        (["--remove", "runs/train"], "runs/train: holds no run"),
        (["--compare", "runs/t"], "--compare: name two runs, 1 given"),
        (["--compare", "runs/t", "runs/mine"], "runs/mine: holds no run"),
        (["--compare", "--remove", "a", "b"], "--compare and --remove: give one of the two"),
    ],
)
def test_bad_input_is_one_line_and_removes_nothing(runs, arguments, message):
    before = sorted(runs.rglob("*"))
    code, out, err = call("cli.runs", *arguments)
    assert (code, out) == (2, "") and len(err.splitlines()) == 1 and err.startswith(message)
    assert sorted(runs.rglob("*")) == before


def test_the_page_of_a_run_depends_on_its_kind(tmp_path):
    arguments = ("random", "dumb", "--games", 10, "--workers", 0, "--store", tmp_path)
    assert call("arena.run", *arguments).code == 0
    assert call("web.pages", tmp_path)[:2] == (0, f"{tmp_path}/report.html\n")
    assert "Quarto tournament" in (tmp_path / "report.html").read_text()


def test_a_run_of_an_unknown_kind_has_a_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Run("demo", "demo", {}) as demo:
        demo.write("numbers", pa.table({"n": [1]}))
    assert call("web.pages", "demo")[:2] == (0, "demo/report.html\n")
    assert "numbers" in Path("demo/report.html").read_text()
    assert call("web.pages", "nowhere") == (2, "", "nowhere: holds no run\n")
