"""Genomes in the user's own files."""

import pickle
import random
import re
from pathlib import Path

import numpy as np
import pytest

import agents
import evo
from arena.match import play_match
from evo.config import EvolveConfig
from evo.genome import apply_operator, load_genome
from evo.genomes import GENOMES
from store import Run
from tests.commands import call, kill_and_resume, tables

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_genome.py"
SMALL = ("--population", 6, "--offspring", 8, "--games", 40, "--fresh", 400, "--tournament", 2)
SMALL += ("--no-curve",)


def write_genome(folder, *changes):
    """Write the example with some of its text replaced; return the spec of the genome."""
    text = EXAMPLE.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (folder / "mine.py").write_text(text)
    return f"{folder / 'mine.py'}:MyGenome"


def write_genome_with_score(folder, value: str) -> str:
    """Write the example with a method `score` that returns `value`; return the spec."""
    method = f"\n\n    def score(self, player, seed):\n        return {value}\n"
    return write_genome(folder, ("epoch=5)", f"epoch=5){method}"))


def test_the_example_is_short_and_evolves_to_beat_random(tmp_path):
    assert len(EXAMPLE.read_text().splitlines()) <= 40
    store = tmp_path / "run"
    done = call("evo.run", "--genome", f"{EXAMPLE}:MyGenome", "--store", store, "--workers", 0)
    assert done.code == 0, done.err
    wins = re.search(r"fresh +([\d.]+)", done.out)
    assert wins and float(wins[1]) > 95
    champion = agents.make(f"champion:run={store}")
    assert play_match(champion, agents.make("random"), 1, 200).score.wins > 190
    assert call("web.pages", store).code == 0


def test_its_champion_plays_after_the_file_was_deleted(tmp_path):
    spec, store = write_genome(tmp_path), str(tmp_path / "run")
    champion = evo.evolve(spec, generations=2, population=6, offspring=8, workers=0, store=store)
    (tmp_path / "mine.py").unlink()
    again = agents.make(f"champion:run={store}")
    assert again.spec == champion.spec and again.digest == champion.digest
    other = agents.make("random")
    moves = [play_match(p, other, 1, 4, record=True).moves for p in (champion, again)]
    assert np.array_equal(*moves)


@pytest.mark.parametrize("extra", [(), ("--islands", 2, "--epoch", 5), ("--strategy", "cma")])
def test_a_killed_run_is_resumed_with_failing_workers_and_ends_the_same(
    tmp_path, extra, simulated_ray
):
    spec = write_genome(tmp_path)
    options = ("--genome", spec, "--generations", 20, *SMALL, "--crossover", 0.3, *extra)
    whole, unit, last = tmp_path / "whole", "generation-", "generation-00019"
    if "--islands" in extra:
        unit, last = "epoch-", "epoch-00003"
    assert call("evo.run", *options, "--workers", 0, "--store", whole).code == 0
    resumed = kill_and_resume(tmp_path / "run", unit, last, "evo.run", *options, workers=2)
    assert resumed == tables(whole)


@pytest.mark.parametrize(
    ("text", "opponents"),
    [
        ("'pro,rulebased'", ["pro", "rulebased"]),
        ("'random,pro:bound=1,value=1,hall'", ["random", "pro:bound=1,value=1"]),
    ],
)
def test_opponents_may_be_given_as_one_string(tmp_path, text, opponents):
    config = EvolveConfig(genome=write_genome(tmp_path, ('("random",)', text)))
    assert [player.spec for player in config.players()] == opponents
    assert config.hall == ("hall" in text)


def test_the_spec_of_a_user_s_champion_has_no_options(tmp_path):
    spec = write_genome(tmp_path, ("sizes = Sizes", "options, sizes = ',many=1', Sizes"))
    assert load_genome(spec).spec("runs/x") == "champion:run=runs/x"


def test_a_run_is_not_continued_with_an_edited_genome(tmp_path):
    spec, store = write_genome(tmp_path), tmp_path / "run"
    options = ("--genome", spec, "--generations", 1, *SMALL, "--workers", 0, "--store", store)
    assert call("evo.run", *options).code == 0
    write_genome(tmp_path, ("(-1.0, 1.0)", "(-2.0, 2.0)"))
    done = call("evo.run", *options)
    assert done.code == 2 and len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "player, genes, opponents = Worth,",
            "other, genes, opponents = Worth,",
            "has no `player`",
        ),
        ("(-1.0, 1.0)", "(1.0, -1.0)", r"has limits \(1.0, -1.0\): give \(low, high\) or None"),
        ("dict.fromkeys(GENES, (-1.0, 1.0))", "{}", "has no `genes`"),
        ("dict.fromkeys(GENES, (-1.0, 1.0))", "dict.fromkeys('abcdefgh')", "8 genes, but .* has 6"),
        ("sizes = Sizes", "mutation, sizes = 'mutMagic', Sizes", "'mutMagic': DEAP has no such"),
        ("sizes = Sizes", "crossover, sizes = 'breed', Sizes", "'breed': DEAP has no such"),
        ("sizes = Sizes", "compare, sizes = 'best', Sizes", "'best': give 'sum' or 'order'"),
        ("class MyGenome(Genome)", "class MyGenome", "is not a subclass of evo.Genome"),
        ("class MyGenome", "class Other", "has no class 'MyGenome'; it has Worth, Other"),
        ('("random",)', '("unheard",)', "MyGenome: opponents: unknown player 'unheard'"),
        ('("random",)', '"pro,unheard"', "MyGenome: opponents: unknown player 'unheard'"),
        ('("random",)', '("pro", "pro")', "MyGenome: opponents: pro is named twice"),
        ("Worth, dict", "'my.py:Missing', dict", "there is no file my.py"),
        ("sizes = Sizes", "fitness, sizes = 'luck', Sizes", "luck: give games, accuracy, own"),
        ("from evo import Genome", "1 / 0\nfrom evo import Genome", r"ZeroDivision.*\(line 10\)"),
    ],
)
def test_a_genome_that_lacks_something_is_refused_in_one_line(tmp_path, before, after, message):
    spec = write_genome(tmp_path, (before, after))
    done = call("evo.run", "--genome", spec, "--generations", 1, "--workers", 0)
    assert done.code == 2 and len(done.err.splitlines()) == 1 and re.search(message, done.err)


def test_operators_are_names_of_deap_s_or_the_genome_s_own(tmp_path):
    random.seed(1)
    for name in ("mutGaussian", "mutPolynomialBounded", "mutShuffleIndexes"):
        genes = [0.1, 0.2, 0.3]
        apply_operator(name, [genes], sigma=1.0, low=[-1.0] * 3, up=[1.0] * 3)
        assert genes != [0.1, 0.2, 0.3]
    for name in ("cxBlend", "cxTwoPoint", "cxUniform", "cxSimulatedBinaryBounded"):
        one, other = [0.1, 0.2, 0.3, 0.4], [-0.5, -0.6, -0.7, -0.8]
        apply_operator(name, [one, other], low=[-1.0] * 4, up=[1.0] * 4)
    method = "\n\n    def mutate(self, genes, sigma):\n        genes[0] = 7.0\n"
    genome = load_genome(write_genome(tmp_path, ("epoch=5)", "epoch=5)" + method)))
    genes = [0.0] * 6
    genome.mutate(genes, 1.0)
    assert genes[0] == 7.0 and genome.bounded(genes)[0] == 1.0, "the gene is clipped to its limits"


def test_genes_stay_within_their_limits(tmp_path):
    store = str(tmp_path / "run")
    spec = write_genome(tmp_path)
    evo.evolve(spec, generations=4, sigma=9.0, crossover=0.5, fresh=20, workers=0, store=store)
    stored = Run(store).read("generation-00003")
    genes = np.array([stored[name] for name in stored.column_names if name.startswith("gene_")])
    assert genes.min() >= -1 and genes.max() <= 1 and (np.abs(genes) == 1).any()
    parents = stored["parents"].to_pylist()
    assert any(len(both) == 2 for both in parents)


def test_fitness_may_be_games_accuracy_or_the_genome_s_own_score(tmp_path):
    spec = write_genome_with_score(tmp_path, "(player.mind.parameters[3] + 1) / 2")
    options = {"generations": 6, "positions": 80, "fresh": 20, "workers": 0}
    champion = evo.evolve(spec, fitness="own", store=str(tmp_path / "own"), **options)
    assert champion.mind.parameters[3] > 0.9
    evo.evolve(spec, fitness="games+accuracy", store=str(tmp_path / "both"), **options)
    fitness = Run(str(tmp_path / "both")).read("fitness-00005").to_pandas()
    assert sorted(fitness.opponent.unique()) == ["accuracy", "random"]
    right = fitness[fitness.opponent == "accuracy"]
    assert ((right.wins + right.losses) == 80).all(), "each position is judged once"


def test_a_score_outside_0_to_1_is_refused(tmp_path):
    spec = write_genome_with_score(tmp_path, "2")
    with pytest.raises(Exception, match=r"score\(\) returned 2, not from 0 to 1"):
        evo.evolve(spec, generations=1, fitness="own", workers=0, store=str(tmp_path / "x"))


def test_evolution_stops_without_improvement(tmp_path):
    store = tmp_path / "run"
    options = ("--genome", write_genome(tmp_path), "--generations", 90, *SMALL, "--until-flat", 3)
    options += ("--workers", 0, "--store", store, "--json")
    done = call("evo.run", *options)
    assert done.code == 0
    count = len(Run(str(store)).steps("generation-"))
    assert 4 <= count < 60
    assert call("evo.run", *options).code == 0
    assert len(Run(str(store)).steps("generation-")) == count, "the same command adds nothing"


@pytest.mark.parametrize("name", GENOMES)
def test_a_genome_of_the_project_is_pickled_by_name(name):
    assert type(pickle.loads(pickle.dumps(GENOMES[name]))) is type(GENOMES[name])


def test_options_that_do_not_apply_are_not_stored():
    kept = EvolveConfig().kept()
    assert not {"fitness", "crossover", "positions", "source"} & set(kept)
    assert EvolveConfig(crossover=0.5, fitness="accuracy").kept()["crossover"] == 0.5
