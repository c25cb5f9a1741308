"""docs/store.md lists the columns of every table; each kind of run is made and compared with it."""

import re
from pathlib import Path

import pyarrow.types as types
import pytest

from store import Run
from tests.security.genuine import make_runs

PAGE = Path(__file__).parents[2] / "docs" / "store.md"
# rows of the page whose columns depend on the run, or are those of another row
OPEN = {"front", "part", "mind"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("runs"))


def documented():
    """Return {(kind of run, first word of the step): columns} of the page's table."""
    kind, tables = "", {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) == 4 and cells[1].startswith("`"):
            first = cells[0].removeprefix("|").strip()
            kind = first.split(" (")[0] if first else kind
            step = re.match(r"`([a-z]+)", cells[1])[1]
            tables[kind, step] = cells[3].removesuffix("|").strip()
    return tables


def text_of(schema):
    """Return a schema as the page writes it; columns of genes become one."""
    columns = []
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        name = "gene_..." if field.name.startswith("gene_") else field.name
        text = f"list of {kind.value_type}" if types.is_list(kind) else str(kind)
        columns.append(f"{name} {text}")
    return ", ".join(dict.fromkeys(columns))


@pytest.mark.parametrize(
    ("kind", "step"), [pair for pair in documented() if pair[1] not in OPEN], ids="-".join
)
def test_the_columns_of_a_table_are_those_of_the_page(runs, kind, step):
    expected, shared = documented()[kind, step], kind == "evolution and self-play"
    if kind == "evolution with `--islands`":
        same = "generation" if step == "epoch" else step
        expected = documented()["evolution", same].replace("generation", "epoch")
    names = ["evolution", "self-play"] if shared else ["islands" if "islands" in kind else kind]
    for name in names:
        run = Run(str(runs[name]))
        [first, *_] = run.steps(step)
        text = text_of(run.read(first).schema)
        wanted = expected.replace("generation int64 (or epoch, round)", text.split(", ")[0])
        assert text == wanted
    if shared:
        assert text.startswith("round int64")


def test_every_table_of_every_kind_of_run_is_on_the_page(runs):
    pages = documented()
    for name, path in runs.items():
        run = Run(str(path))
        kind = run.about(run.steps()[0])["kind"]
        for step in run.steps():
            word = step.partition("-")[0]
            places = [kind, "evolution and self-play", "evolution with `--islands`"]
            places += ["all that make a player"] if word == "mind" else []
            places += ["tournament"] if name == "accuracy" else []
            assert any((place, word) in pages for place in places), (name, step)
