"""Default sizes of evolution and self-play, which depend on the genome or the learner."""

import re
import shlex
from pathlib import Path

import pytest

from evo.config import EvolveConfig
from evo.genomes import GENOMES
from selfplay.config import LearnConfig
from selfplay.learners import LEARNERS
from tests.commands import call

MAKEFILE = (Path(__file__).parent.parent / "Makefile").read_text()
GIVEN = {"population": 9, "offspring": 7, "games": 4, "again": 6, "tournament": 2, "sigma": 0.5}
per_genome = pytest.mark.parametrize("genome", GENOMES.values(), ids=lambda genome: genome.name)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_configuration_of_the_report_is_unchanged():
    config = EvolveConfig(generations=200)
    kept = config.kept()
    del kept["minds"]
    assert kept == {
        "seed": 0,
        "genome": "ga",
        "strategy": "mu+lambda",
        "population": 100,
        "offspring": 100,
        "games": 100,
        "again": 1000,
        "tournament": 5,
        "sigma": 20.0,
        "opponents": "rulebased,random,dumb",
        "start_from": None,
        "islands": 1,
        "epoch": None,
        "migrants": None,
    }
    assert (config.store, config.fresh, EvolveConfig().generations) == (
        "runs/evo-ga-0",
        100_000,
        200,
    )


@per_genome
def test_default_sizes_are_those_of_the_genome(genome):
    config, sizes = EvolveConfig(genome=genome.name), genome.sizes
    names = ("population", "offspring", "games", "tournament", "generations", "fresh", "sigma")
    assert all(getattr(config, name) == getattr(sizes, name) for name in names)
    assert config.again == sizes.again * sizes.games
    assert EvolveConfig(genome=genome.name, games=400).again == sizes.again * 400


@per_genome
def test_given_sizes_override_the_defaults(genome):
    config = EvolveConfig(genome=genome.name, **GIVEN)
    assert {name: getattr(config, name) for name in GIVEN} == GIVEN


@per_genome
@pytest.mark.parametrize("more", [{"strategy": "cma"}, {"islands": 2}], ids=str)
def test_the_defaults_of_a_genome_suit_every_strategy(genome, more):
    if genome.longest and "strategy" in more:
        pytest.skip("CMA-ES moves numbers")
    assert EvolveConfig(genome=genome.name, **more).games == genome.sizes.games


def test_the_page_on_evolution_states_the_sizes_of_every_genome():
    page = (Path(__file__).parent.parent / "docs" / "evolve.md").read_text()
    rows = dict(re.findall(r"^\| ([^|]+) \| (\S.*) \|$", page, re.MULTILINE))
    names = {
        "generations": ["generations"],
        "population, offspring": ["population", "offspring"],
        "games of a new individual, of a survivor": ["games", "again"],
        "tournament": ["tournament"],
        "fresh games": ["fresh"],
    }
    for title, fields in names.items():
        stated = rows[title].split(" | ")
        for text, genome in zip(stated, GENOMES, strict=True):
            values = vars(EvolveConfig(genome=genome))
            assert text == ", ".join(f"{values[name]:,}" for name in fields), title


def stated_defaults(command, option):
    """The defaults by genome or learner in a command's help; "" is the key of the first one."""
    text = call(command, "--help").out
    [stated] = re.findall(rf"^  {option} [^(]*\(default\s+([^)]*)\)", text, re.MULTILINE)
    default, _, others = " ".join(stated.split()).partition("; ")
    return {"": default} | dict(other.split(" ", 1) for other in others.split(", ") if other)


@pytest.mark.parametrize("name", ["population", "games", "fresh", "sigma", "crossover", "epoch"])
def test_the_help_states_the_defaults_of_every_genome(name):
    stated = stated_defaults("evo.run", f"--{name}")
    for genome in GENOMES:
        islands = 2 if name == "epoch" else 1
        value = vars(EvolveConfig(genome=genome, islands=islands))[name]
        assert stated.get(genome, stated[""]) == f"{value:g}", genome


def test_the_help_states_the_default_fitness_of_every_genome():
    text = " ".join(call("evo.run", "--help").out.split())
    assert "default games; beam accuracy+games, rules accuracy+brevity; own:" in text
    assert [EvolveConfig(genome=one).fitness for one in GENOMES] == 2 * ["games"] + [
        "accuracy+games",
        "accuracy+brevity",
    ]


@pytest.mark.parametrize("name", ["games", "round"])
def test_the_help_states_the_defaults_of_every_learner(name):
    stated = stated_defaults("selfplay.run", f"--{name}")
    for learner in LEARNERS.values():
        assert stated.get(learner.name, stated[""]) == str(getattr(learner, name))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_has_at_least_four_rounds(learner):
    config = LearnConfig(learner=learner)
    assert config.games == LEARNERS[learner].games and config.rounds >= 4
    assert config.round * config.rounds == config.games


def test_make_train_states_every_size():
    """It must not depend on defaults that may change."""
    lines = re.findall(r"^\t\$\(LEARN\) (evo|selfplay)\.run (.*)$", MAKEFILE, re.MULTILINE)
    evolved = [shlex.split(line) for room, line in lines if room == "evo"]
    sizes = {"population", "offspring", "games", "again", "tournament", "generations", "fresh"}
    assert len(evolved) == 3 and all(
        {f"--{name}" for name in sizes} <= set(words) for words in evolved
    )
    learners = [shlex.split(line) for room, line in lines if room == "selfplay"]
    rounds = {}
    for words in learners:
        config = LearnConfig.parse("selfplay.run", "", words)
        rounds[config.learner] = (config.games, config.round, config.size, config.tests)
    assert rounds == {
        "beam": (8000, 2000, 200_000, 2000),
        "rl": (1_000_000, 50_000, 200_000, 2000),
        "zero": (500_000, 20_000, 200_000, 2000),
    }
