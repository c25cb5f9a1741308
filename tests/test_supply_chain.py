"""Pinned versions of tools, build requirements and workflow actions, and `make audit`."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.audit import verdict

ROOT = Path(__file__).parents[1]
PINS = (ROOT / "constraints.txt").read_text().splitlines()


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def test_the_build_requirements_agree_with_the_constraints():
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert required and set(required) <= set(PINS)


def test_a_new_environment_gets_the_pinned_pip_and_setuptools():
    pinned = {name_of(line) for line in PINS if "==" in line}
    assert {"pip", "setuptools", "pip-audit"} <= pinned
    recipe = (ROOT / "Makefile").read_text()
    made, upgraded = recipe.index("-m venv $(VENV)"), recipe.index("--upgrade pip setuptools")
    assert made < upgraded < recipe.index("$(PIP) -e '.$(EXTRAS)'")


def test_every_dependency_that_pyproject_names_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    lists = (project["dependencies"], *extras)
    named = {name_of(requirement) for requirements in lists for requirement in requirements}
    assert named - {"quarto-evo"} <= {name_of(line) for line in PINS if "==" in line}


def test_workflow_actions_are_pinned_by_commit_with_the_version_in_a_comment():
    files = list((ROOT / ".github" / "workflows").glob("*.yml"))
    assert files
    for file in files:
        used = re.findall(r"uses: (.*)", file.read_text())
        assert used
        for action in used:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action)


SAFE = {"name": "numpy", "version": "2.0", "vulns": []}
FLAW = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
SKIPPED = {"name": "torch", "skip_reason": "Dependency not found on PyPI: torch (2.13.0)"}
NOT_CHECKED = "cannot reach the database of vulnerabilities, nothing was checked: "


@pytest.mark.parametrize(
    ("packages", "code", "lines"),
    [
        ([SAFE], 0, ["1 packages checked: 0 known flaws"]),
        (
            [SAFE | {"vulns": [FLAW]}, SKIPPED],
            1,
            [
                "not checked: Dependency not found on PyPI: torch (2.13.0)",
                "numpy 2.0: PYSEC-1, fixed in 2.1",
                "1 packages checked: 1 known flaws",
            ],
        ),
        ([SKIPPED, SKIPPED], 2, [f"{NOT_CHECKED}it has none of the 2 packages"]),
    ],
)
def test_an_audit_reports_flaws_or_that_it_could_not_check(packages, code, lines):
    assert verdict(json.dumps({"dependencies": packages, "fixes": []}), "") == (code, lines)


def test_an_audit_without_a_network_is_one_line():
    traceback = "Traceback (most recent call last):\n  File ...\nProxyError: no route to pypi.org\n"
    assert verdict("", traceback) == (2, [f"{NOT_CHECKED}ProxyError: no route to pypi.org"])
