"""Runs of the format before: their tables get today's columns when they are read."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from evo.archive import Archive
from store import Run, StoreError
from store.curve import read_curve
from store.parquet import KEY

COUNTS = {"wins": [3, 1], "draws": [0, 1], "losses": [1, 2]}


def write_format_2(folder, kind, step, columns):
    about = {"format": 2, "kind": kind, "config": {"seed": 0}, "step": step, "measured": {}}
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(about)})
    folder.mkdir(exist_ok=True)
    parquet.write_table(table, folder / f"{step}.parquet")


def write_evolution(folder):
    for number in range(2):
        fitness = {"generation": [number] * 2, "individual": [1, 2], "opponent": ["pro", "pro"]}
        fitness |= COUNTS | {"points": [3.0, 1.5]}
        write_format_2(folder, "evolution", f"fitness-{number:05d}", fitness)
        individuals = {"id": [1, 2], "born": [0, 0], "parents": [[], [1]], "sigma": [0.0, 0.5]}
        individuals |= {"survives": [True, False], "genes": [[0.5, 1.5], [2.5, 3.5]]}
        write_format_2(folder, "evolution", f"generation-{number:05d}", individuals)


def test_generations_of_format_2_have_named_genes_and_a_score(tmp_path):
    write_evolution(tmp_path / "run")
    run = Run(tmp_path / "run")
    assert run.table("fitness")["score"].to_pylist() == [3.0, 1.5] * 2
    individuals = run.table("generation")
    assert individuals["generation"].to_pylist() == [0, 0, 1, 1]
    assert individuals["gene_2"].to_pylist() == [1.5, 3.5] * 2
    population = Archive(run).read(1)
    assert np.array_equal(population.genes, [[0.5, 1.5], [2.5, 3.5]])
    assert population.points.tolist() == [[3.0], [1.5]]


def test_a_run_of_format_2_is_continued_and_its_files_are_merged(tmp_path):
    write_evolution(tmp_path / "run")
    before = Run(tmp_path / "run").table("generation")
    with Run(tmp_path / "run", "evolution", {"seed": 0}) as run:
        for number in (2, 3):
            for name in ("fitness", "generation"):
                run.write(f"{name}-{number:05d}", run.read(f"{name}-00001"))
    assert len(list((tmp_path / "run").glob("*.parquet"))) == 2
    assert Run(tmp_path / "run").table("generation").slice(0, 4).equals(before)


def test_points_of_a_curve_and_matches_of_format_2_are_read(tmp_path):
    rows = {"number": [7], "measure": ["ladder"], "what": ["pro"], "elo": [0]}
    write_format_2(tmp_path / "a", "self-play", "curve-00007", rows | {"points": [1.0], "of": [2]})
    [point] = read_curve(Run(tmp_path / "a"))
    assert point.number == 7 and point.ladder == {"pro": (1.0, 2)}
    match = {"first": ["a"] * 2, "second": ["b"] * 2, "seat": [0, 1], "games": [4, 4]}
    write_format_2(tmp_path / "b", "tournament", "match-0012", match | COUNTS)
    assert Run(tmp_path / "b").read("match-0012")["match"].to_pylist() == [12, 12]


@pytest.mark.parametrize(
    ("kind", "step", "columns"),
    [
        ("evolution", "generation-00000", {"genes": [[1.0], [1.0, 2.0]]}),
        ("evolution", "generation-x", {"genes": ["one"]}),
        ("evolution", f"generation-{9**30}", {"genes": [None]}),
        ("evolution", "fitness-00000", {"points": [1.0], "score": [1.0]}),
        ("tournament", "match-0000", {"match": [1]}),
        ("self-play", "curve-00000", {"number": [1], "round": [2]}),
    ],
)
def test_odd_tables_of_format_2_are_refused_in_one_line(tmp_path, kind, step, columns):
    write_format_2(tmp_path / "run", kind, step, columns)
    with pytest.raises(StoreError) as error:
        Run(tmp_path / "run").read(step)
    assert f"{step}.parquet: " in str(error.value) and "\n" not in str(error.value)
