"""`python -m cli.show`."""

import pyarrow as pa
import pytest

from store import Run
from store.step_file import FORMAT
from tests.commands import call, run


@pytest.fixture
def stored(tmp_path):
    with Run(tmp_path / "RUN", "demo", {"seed": 1}) as writer:
        for i in range(2):
            table = pa.table({"name": ["a", "b"], "n": [1, 2], "genes": [[0.5, 1.5], [i]]})
            writer.write(f"step-{i:04d}", table)
    return tmp_path / "RUN"


def test_the_command_lists_the_steps(stored):
    code, out, err = run("cli.show", stored)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[:3] == [f"{stored}: demo, format {FORMAT}", "seed=1", ""]
    assert [line.split() for line in lines[3:]] == [
        ["step", "rows", "columns"],
        ["step-0000", "2", "name", "n", "genes"],
        ["step-0001", "2", "name", "n", "genes"],
    ]


def test_a_table_is_printed_up_to_a_number_of_rows(stored):
    lines = call("cli.show", stored, "step-0001").out.splitlines()
    assert [line.split() for line in lines] == [
        ["name", "n", "genes"],
        ["a", "1", "0.5", "1.5"],
        ["b", "2", "1.0"],
    ]
    lines = call("cli.show", stored, "--rows", 1, "step").out.splitlines()
    assert len(lines) == 3 and lines[2] == "... 4 rows; --rows shows more, --csv exports all"


def test_a_table_is_exported_to_a_file_and_to_standard_output(stored, tmp_path):
    assert call("cli.show", stored, "step", "--csv", tmp_path / "all.csv") == (0, "", "")
    text = (tmp_path / "all.csv").read_text()
    assert text.splitlines() == [
        '"name","n","genes"',
        '"a",1,"0.5 1.5"',
        '"b",2,"0.0"',
        '"a",1,"0.5 1.5"',
        '"b",2,"1.0"',
    ]
    assert call("cli.show", stored, "step", "--csv", "-") == (0, text, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: holds no run"),
        (["RUN", "nothing"], "RUN: has no step 'nothing'; it has step"),
        (["RUN", "--csv", "x.csv"], "--csv x.csv: also name the STEP to export"),
        (["RUN", "step", "--csv", "no/x.csv"], "--csv no/x.csv: cannot be written: No such file"),
        (["RUN", "step", "--rows", "-1"], "--rows -1: give 0 or more"),
        (["ftp://RUN"], "ftp://RUN: cannot be used as a store"),
    ],
)
def test_bad_input_is_one_line(stored, arguments, message, monkeypatch):
    monkeypatch.chdir(stored.parent)
    code, out, err = call("cli.show", *arguments)
    assert (code, out) == (2, "") and len(err.splitlines()) == 1 and err.startswith(message)
