import json

import numpy as np
import pytest

import agents
import evo
from evo.champion import Champion
from evo.config import EvolveConfig
from evo.genomes import GENOMES
from store import Run
from tests.commands import call
from web.pages.evolution import contents


@pytest.mark.parametrize("genome", ["ga", "evolved"])
def test_the_function_returns_the_champion_as_a_player(tmp_path, genome):
    store = str(tmp_path / "run")
    sizes = {"population": 12, "offspring": 12, "games": 4, "fresh": 2, "workers": 0}
    champion = evo.evolve(genome, generations=2, opponents="hardcoded", store=store, **sizes)
    assert champion.spec == champion.label == f"{genome}:run={store}"
    assert champion.digest == agents.make(champion.spec).digest


def test_all_outputs_name_the_champion_by_the_same_spec(tmp_path):
    """The champion of `beam` is measured without its cache."""
    store, spec = tmp_path / "run", f"beam:run={tmp_path / 'run'},cache=off"
    small = {"population": 4, "offspring": 4, "games": 2, "again": 2, "fresh": 2, "workers": 0}
    small |= {"generations": 1, "positions": 8, "opponents": "dumb", "curve": False}
    champion = evo.evolve("beam", store=str(store), **small)
    assert champion.spec == spec
    names = [f"--{name}={value}" for name, value in small.items() if name != "curve"]
    command = ("evo.run", "--genome", "beam", "--no-curve", *names, "--store", store)
    assert f"terminal human {spec}\n" in call(*command).out
    assert json.loads(call(*command, "--json").out)["champion"]["player"] == spec
    assert contents(Run(store)).player == spec
    assert spec in call("cli.runs", tmp_path).out


@pytest.mark.parametrize("genome", GENOMES.values(), ids=lambda genome: genome.name)
def test_the_spec_of_a_champion_makes_the_player_that_was_measured(tmp_path, genome):
    genes = genome.first()
    config = EvolveConfig(genome=genome.name, store=str(tmp_path / "run"))
    with Run(config.store, "evolution", {}) as stored:
        Champion(stored, config, genes, 1).save()
    measured = genome.make_player(genes, genome.spec(config.store))
    named = agents.make(measured.spec)
    assert np.array_equal(named.mind.parameters, measured.mind.parameters)
    assert named.spec == measured.spec and named.digest == measured.digest
