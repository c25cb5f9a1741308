"""The documentation agrees with the program: links, commands, options, outputs and tables."""

import importlib.util
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.commands import call, run
from tests.documents import LANGUAGES
from tests.notebooks import METADATA

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = [README, *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md"))]
PAGES += sorted((ROOT / "docs").glob("*.md"))
OURS = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
COMMAND = re.compile(r"python -m ([a-z][\w.]*\w)([^`|\n]*)")
# the changelog also names what no longer exists
CURRENT = [page for page in PAGES if page.name != "CHANGELOG.md"]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
ENVIRONMENTS = ROOT / "docs/environments.md"
EXECUTED = re.compile(r"^```(console|pycon|python)$", re.MULTILINE)

per_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def prose(text: str) -> str:
    """Return the text without fenced blocks."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchor(heading: str) -> str:
    """Return the anchor that GitHub derives from a heading."""
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


def commands() -> dict[str, set[str]]:
    """Return {module: options} of all commands that the pages mention."""
    named = defaultdict(set)
    for page in CURRENT:
        # a command may continue in the next line of a paragraph
        text = re.sub(r"(`[^`\n]*)\n\s*([^`\n]*`)", r"\1 \2", page.read_text())
        for module, rest in COMMAND.findall(text):
            # quoted words belong to another program
            own = re.sub(r'"[^"]*"', "", rest.partition("#")[0])
            named[module] |= set(re.findall(r"(?<!\S)--[a-z][a-z-]*", own))
    return dict(named)


def program_of(module: str) -> str:
    """Return the name of the module that `python -m module` runs."""
    spec = importlib.util.find_spec(module)
    assert spec, f"there is no module {module}"
    return f"{module}.__main__" if spec.submodule_search_locations else module


def test_the_readme_has_at_most_200_lines():
    assert len(README.read_text().splitlines()) <= 200
    assert README.stat().st_size <= 14_000


@per_page
def test_the_target_of_every_link_exists(page):
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text())):
        if "://" in target:
            continue
        path, _, part = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        headings = []
        if part and file.is_file():
            headings = re.findall(r"^#+ (.*)$", prose(file.read_text()), re.MULTILINE)
        if not file.exists() or (part and part not in map(anchor, headings)):
            broken.append(target)
    assert broken == []


@per_page
def test_lines_of_prose_are_at_most_120_columns(page):
    lines = prose(page.read_text()).splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []


@pytest.mark.parametrize("module", commands())
def test_every_command_that_is_mentioned_exists(module):
    spec = importlib.util.find_spec(program_of(module))
    assert spec and spec.origin and "main" in Path(spec.origin).read_text()


@pytest.mark.parametrize("module", [m for m in commands() if m.split(".")[0] in OURS])
def test_every_option_that_is_mentioned_exists(module):
    help = call(program_of(module), "--help").out
    unknown = [option for option in commands()[module] if not re.search(rf"{option}\b", help)]
    assert unknown == []


def test_every_make_target_that_is_mentioned_exists():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = set()
    for page in CURRENT:
        named |= set(re.findall(r"[`$] ?make ([a-z][\w-]*)", page.read_text()))
    assert named and sorted(named - set(targets)) == []


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: page.stem)
def test_the_language_of_a_block_says_whether_it_is_run(page):
    languages = re.findall(r"^```(.*)\n(?:.*\n)*?```$", page.read_text(), re.MULTILINE)
    assert set(languages) <= set(LANGUAGES)


def differences_in(pages: list[Path]) -> dict[str, str]:
    """Return {page: differences}. One process runs all pages, so that each kernel is loaded
    once."""
    report = run("tests.documents", *pages)
    assert report.code in (0, 1), report
    by_page = dict.fromkeys((page.name for page in pages), "")
    for part in report.out.split("\f")[1:]:
        name, _, text = part.partition(": ")
        by_page[name] += text
    return by_page


@pytest.fixture(scope="module")
def differences() -> dict[str, str]:
    """Return {page: differences} for all pages with executed blocks."""
    pages = [page for page in CURRENT if EXECUTED.search(page.read_text())]
    if not all(map(importlib.util.find_spec, ("pettingzoo", "pyspiel"))):
        pages.remove(ENVIRONMENTS)
    return differences_in(pages)


@pytest.fixture(scope="module")
def differences_in_notebooks() -> dict[str, str]:
    pytest.importorskip("pandas", reason="needs the extra [pandas]")
    return differences_in(NOTEBOOKS)


@per_page
def test_the_outputs_of_a_page_are_those_of_the_program(page, differences):
    if not EXECUTED.search(page.read_text()):
        pytest.skip("shows no output")
    if page == ENVIRONMENTS and page.name not in differences:
        pytest.skip("needs the extras [env] and [openspiel]")
    assert differences[page.name] == ""


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_the_outputs_of_a_notebook_are_those_of_the_program(page, differences_in_notebooks):
    assert differences_in_notebooks[page.name] == ""


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_a_notebook_holds_its_outputs_and_nothing_about_a_machine(page):
    notebook = json.loads(page.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["metadata"] == METADATA and len(cells) > 5
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    assert all(cell["metadata"] == {} for cell in notebook["cells"])
    assert all(cell["outputs"] for cell in cells[1:])
    assert not re.search(r"/(home|root|tmp|work)/|@\w", page.read_text())
    kinds = {kind for cell in cells for one in cell["outputs"] for kind in one.get("data", ())}
    assert kinds == {"text/plain", "text/html", "image/svg+xml"}


def test_a_wrong_output_of_a_notebook_is_reported_and_corrected(tmp_path):
    page = tmp_path / "page.ipynb"
    sources = ("import engine", "engine.Position.start()", "print('3 ms')\n2 + 2", "1 / 0")
    shown = {"output_type": "stream", "name": "stdout", "text": ["4 ms\n"]}
    result = {"output_type": "execute_result", "data": {"text/plain": ["4"]}}
    outputs = ([], [], [shown, result], [])
    cells = [
        {"cell_type": "code", "source": [source], "outputs": output, "metadata": {}}
        for source, output in zip(sources, outputs, strict=True)
    ]
    page.write_text(json.dumps({"cells": cells, "metadata": {"path": str(tmp_path)}}))
    report = run("tests.documents", "--write", page)
    assert report.code == 1 and "cell 2\n--- shown" in report.out
    assert "cell 3\n" not in report.out and "ZeroDivisionError" in report.out
    corrected = json.loads(page.read_text())
    [picture] = corrected["cells"][1]["outputs"]
    assert (
        picture["data"]["image/svg+xml"][0].startswith("<svg") and corrected["metadata"] == METADATA
    )
    assert corrected["cells"][2]["outputs"] == [shown, result]


def test_a_wrong_output_is_reported_and_corrected(tmp_path):
    page = tmp_path / "page.md"
    solve = 'python -m engine.solve "0.../..../..../.... 1"'
    pages = [f"```console\n$ {solve}\n{line}\n```\n" for line in ("win", "... draw", "...\ndraw")]
    page.write_text("".join(pages) + "```pycon\n>>> 1 + 1\n3\n\n```\n")
    report = run("tests.documents", page)
    assert report.code == 1
    assert report.out.count("\fpage.md: ") == 3 and "Got:\n    2" in report.out
    run("tests.documents", "--write", page)
    assert page.read_text().count("0.../..../..../.... 1  draw") == 2
