"""Genomes of trees: the rules that ship, and one's own."""

import operator
import random

import numpy as np
import pyarrow as pa
import pytest
from deap import gp

from agents.rules.language import Strategy
from agents.rules.table import count_right
from arena.match import Batch
from evo.genomes import GENOMES
from evo.trees import rules
from evo.trees.genome import TreeGenome
from evo.trees.rules import STEPS
from oracle.right_turns import make_questions
from store import Run
from tests.commands import call, kill_and_resume, tables
from web.pages.evolution import contents

RULES = GENOMES["rules"]
SMALL = [
    *("--genome", "rules", "--positions", 80, "--population", 8, "--offspring", 9, "--no-curve"),
    *("--fresh", 4, "--opponents", "random", "--workers", 0),
]


def evolve(folder, generations, *more):
    return call("evo.run", *SMALL, "--generations", generations, "--store", folder, *more)


def some_programs(count, seed=1):
    random.seed(seed)
    programs = [RULES.first() for _ in range(count)]
    for _ in range(3):
        for genes in programs:
            RULES.mate(genes, random.choice(programs))
            RULES.mutate(genes, 1.0)
    return programs


def test_every_changed_program_is_a_strategy_of_at_most_120_words():
    programs = some_programs(60)
    assert len({text for [text] in programs}) > 40
    for [text] in programs:
        assert str(Strategy.parse(text)) == text and RULES.length([text]) <= 120
        assert RULES.write(RULES.read(text)) == text


def test_tuning_changes_one_weight_of_the_rules_of_one_stage():
    before = Strategy.parse("5+: most worst 5 turns + 7 tight - 2 near")
    random.seed(2)
    after = [RULES._strategy(RULES._tune(RULES._tree(before))) for _ in range(60)]
    changed = [{*each.rules} - {*before.rules} for each in after]
    assert all(map(len, changed)) and {len(each.blocks()) for each in after} == {2}
    old = {term.quantity: term.weight for term in before.rules[-1][0].terms}
    new = [{t.quantity: t.weight for t in rule.terms} for [(rule,)] in changed]
    steps = [sum(abs(v.get(q, 0) - old.get(q, 0)) for q in {*v, *old}) for v in new]
    assert set(steps) == {*STEPS} and len({tuple(v.items()) for v in new}) > 6


def test_climbing_makes_no_fewer_turns_right_and_changes_one_stage(monkeypatch):
    monkeypatch.setattr(rules, "SAMPLE", rules.CLIMBING)
    before, table = Strategy.parse("10: most worst turns"), rules.climbing_table(10)

    def right(strategy):
        counts = np.zeros((1, 2), np.int64)
        count_right(np.array([strategy.compile()]), table, 0, rules.CLIMBING, counts)
        return counts[0, 0]

    random.seed(3)
    after = [RULES._strategy(RULES._climb(RULES._tree(before))) for _ in range(5)]
    assert all(stages == [10] for each in after for stages in each.blocks().values())
    assert min(map(right, after)) >= right(before) < max(map(right, after))


def test_the_same_seed_makes_the_same_programs():
    assert some_programs(20, 3) == some_programs(20, 3) != some_programs(20, 4)


def test_the_table_of_quantities_judges_as_the_player_plays():
    programs, questions = RULES.bounded(some_programs(20)), make_questions(7, 4)
    parameters, batch = RULES.parameters(programs), Batch(1, 5, 27)
    by_table = RULES.right_turns(parameters, RULES.prepare(questions), batch)
    by_player = TreeGenome.right_turns(RULES, parameters, questions, batch)
    assert np.array_equal(by_table, by_player) and len(np.unique(by_table[:, 0])) > 5


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    done = evolve(folder, 6)
    assert done.code == 0, done.err
    return folder, done.out


def test_programs_are_stored_as_text_and_the_champion_plays(whole):
    folder, out = whole
    stored = tables(folder)
    assert "front" in out and "brevity" in out
    assert list(stored["front"]) == ["id", "born", "accuracy", "brevity", "gene_program"]
    last = stored["generation-00005"]
    survivors = dict(zip(last["id"], last["gene_program"], strict=True))
    for id, program in zip(stored["front"]["id"], stored["front"]["gene_program"], strict=True):
        assert survivors[id] == program == str(Strategy.parse(program))
    assert stored["mind"]["value"][0] in stored["front"]["gene_program"]
    done = call("terminal", f"rules:run={folder}", "random", "--games", 20)
    assert done.code == 0, done.err


def test_the_front_holds_no_program_twice_and_none_that_a_shorter_one_equals(whole):
    front = tables(whole[0])["front"]
    pairs = sorted(zip(front["accuracy"], front["brevity"], strict=True))
    assert len(set(front["gene_program"])) == len(pairs)
    assert pairs == sorted(pairs, key=lambda pair: (pair[0], -pair[1]))


def test_a_run_that_is_killed_and_continued_ends_with_the_same_programs(whole, tmp_path):
    command = ("evo.run", *SMALL[:-2], "--generations", 6)
    resumed = kill_and_resume(tmp_path / "killed", "generation-", "front", *command)
    assert resumed == tables(whole[0])


def test_programs_do_not_depend_on_the_workers(whole, tmp_path, simulated_ray):
    assert evolve(tmp_path / "run", 6, "--workers", 2).code == 0
    assert tables(tmp_path / "run")["front"] == tables(whole[0])["front"]


def test_programs_live_on_islands(tmp_path):
    done = evolve(tmp_path / "run", 4, "--islands", 2, "--epoch", 2)
    assert done.code == 0, done.err
    assert len(tables(tmp_path / "run")["epoch-00001"]["gene_program"]) == 16


def test_the_page_shows_the_programs_of_the_front(whole):
    page = contents(Run(str(whole[0])))
    [section] = [section for section in page.sections if section.title == "Programs of the front"]
    assert page.sections[0] is section and "Take wins." in section.text
    assert page.player == f"rules:run={whole[0]}"
    best = max(tables(whole[0])["front"]["accuracy"])
    assert section.rows[0] == ["accuracy", "brevity", "program"]
    assert section.rows[1][0] == f"{100 * best:.2f} %"


HOSTILE = ["__import__('os').abort()", "plus(live", "5+: fewest gold", "live, odd", "9" * 5000]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_stored_program_that_is_none_is_refused_in_one_line(whole, tmp_path, text):
    stored = Run(whole[0])
    first = stored.read("generation-00000")
    bad = first.set_column(
        first.column_names.index("gene_program"), "gene_program", pa.array([text] * len(first))
    )
    about = stored.about("generation-00000")
    with Run(str(tmp_path / "run"), "evolution", about["config"]) as run:
        run.write("fitness-00000", stored.read("fitness-00000"))
        run.write("generation-00000", bad, about["measured"])
    done = evolve(tmp_path / "run", 8)
    assert done.code in (1, 2) and done.err.count("\n") == 1, done.err
    assert "cannot be understood" in done.err


class Sums(TreeGenome):
    name, primitives = "sums", gp.PrimitiveSetTyped("sums", [float], float)


Sums.primitives.addPrimitive(operator.add, [float, float], float)
Sums.primitives.addTerminal(1.0, float, "one")


@pytest.mark.parametrize("text", [*HOSTILE, "add(one, one) one", "add(one)", "add", "", "ARG1"])
def test_only_programs_of_a_genome_of_ones_own_are_evaluated(text):
    with pytest.raises(ValueError, match="program"):
        Sums().run(text, 2.0)
    assert Sums().run("add(ARG0, add(one, 2.5))", 2.0) == 5.5
