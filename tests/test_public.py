"""Files of a public project: citation, container, issue templates."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from cli import COMMANDS
from engine import __version__
from evo.config import EvolveConfig
from web.__main__ import Web

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*"))
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def instructions(word):
    """Return the arguments of all instructions of the Dockerfile that begin with this word."""
    return re.findall(rf"^{word} (.*)$", DOCKERFILE, re.MULTILINE)


def test_the_citation_agrees_with_the_project():
    cited = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    project = PROJECT["project"]
    assert cited["cff-version"] == "1.2.0"
    assert cited["version"] == project["version"] == __version__
    assert cited["license"] == project["license"] and cited["title"] == project["name"]
    assert project["description"] in (ROOT / "CITATION.cff").read_text()


def test_the_image_gets_the_packages_and_the_pinned_versions():
    let_through = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    packages = PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {package.rstrip("*") for package in packages} <= let_through
    needed = {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    assert needed | {"pyproject.toml", "constraints.txt"} <= let_through
    assert [name for name in let_through if not (ROOT / name).exists()] == []
    assert instructions("COPY") == [". /source"]
    [install] = [run for run in instructions("RUN") if "pip install" in run]
    assert "-c /source/constraints.txt /source" in install


def test_the_image_runs_the_server_as_a_user_with_few_rights():
    assert instructions("FROM") == ["python:3.11-slim"]
    order = re.findall(r"^[A-Z]+", DOCKERFILE, re.MULTILINE)
    assert order.index("USER") < order.index("CMD") and instructions("USER") == ["lab"]
    assert json.loads(instructions("ENTRYPOINT")[0]) == [*PROJECT["project"]["scripts"]]
    name, *words = json.loads(instructions("CMD")[0])
    config = Web.parse(name, "", words)
    assert COMMANDS[name].module == "web" and config.host == "0.0.0.0" and not config.open
    assert [str(config.port)] == instructions("EXPOSE")


def test_the_container_commands_of_the_documentation_are_valid():
    text = DOCKERFILE + (ROOT / "docs/web.md").read_text()
    jobs = re.findall(r"docker run .* quarto-evo (evolve .*)$", text, re.MULTILINE)
    assert len(jobs) == 2 == text.count("-p 8000:8000")
    for job in jobs:
        name, *words = job.split()
        assert EvolveConfig.parse(name, "", words).generations == 20


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_an_issue_template_has_what_github_needs(template):
    front = re.match(
        r"---\nname: .+\nabout: .+\ntitle: .*\nlabels: \w+\n---\n", template.read_text()
    )
    assert front and template.suffix == ".md"
    for page in re.findall(r"\b(?:docs/)?[\w-]+\.md\b", template.read_text()):
        assert (ROOT / page).is_file()


def test_there_are_issue_templates():
    assert {template.stem for template in TEMPLATES} == {"bug", "idea", "player"}
