"""The hall of fame as opponents: its members, and that they follow from the stored generations."""

import numpy as np
import pytest

from agents.mind import Mind
from arena.match import Batch, play_match
from evo.genomes import GENOMES
from evo.measure import HallGames
from store import Run
from tests.commands import call, kill_and_resume, tables

GENOME = GENOMES["evolved"]
PLAIN = GENOME.base.mind.parameters[: len(GENOME.genes)].tolist()
SMALL = [
    *("--genome", "evolved", "--population", 4, "--offspring", 4, "--tournament", 2, "--games", 8),
    *("--again", 12, "--fresh", 2, "--workers", 0, "--no-curve"),
]


def champions(count):
    return [[float(i)] * len(PLAIN) for i in range(count)]


@pytest.mark.parametrize(
    ("past", "members"),
    [
        (1, [0]),
        (3, [0, 1, 2]),
        (5, [0, 1, 2, 3, 4]),
        (9, [0, 2, 4, 6, 8]),
        (50, [0, 12, 24, 37, 49]),
    ],
)
def test_the_members_are_spread_evenly_over_past_champions(past, members):
    hall = HallGames.of(GENOME.base, 100).after(GENOME, champions(past))
    assert hall.members[:, 0].tolist() == members


def test_before_there_is_a_champion_the_genome_s_default_player_is_the_member():
    hall = HallGames.of(GENOME.base, 100).after(GENOME, [])
    assert np.array_equal(hall.members, [GENOME.base.mind.parameters])


def test_members_take_turns_and_the_counts_do_not_depend_on_batches():
    hall = HallGames.of(GENOME.base, 12).after(GENOME, [PLAIN, [0.0] * len(PLAIN)])
    genes = np.array([PLAIN, np.ones(len(PLAIN))])
    whole = hall.counts(GENOME, genes, Batch(7, 0, 24))
    cut = [Batch(7, 0, 4), Batch(7, 4, 10), Batch(7, 14, 10)]
    assert np.array_equal(whole, sum(hall.counts(GENOME, genes, batch) for batch in cut))
    # the first member plays games 0 to 5 and 12 to 17
    plain = GENOME.make_player(genes[1], "one")
    parts = [(0, 0, 6), (1, 6, 6), (0, 12, 6), (1, 18, 6)]
    wins = 0
    for number, first, games in parts:
        member = GENOME.base.with_mind(Mind(hall.members[number], GENOME.base.mind.memory), "other")
        wins += play_match(plain, member, 7, games, first).score.wins
    assert whole[1, 0] == wins and whole.sum() == 48


def evolve(folder, generations, *more):
    return call("evo.run", *SMALL, "--generations", generations, "--store", folder, *more)


@pytest.mark.parametrize("opponents", ["hall", "rulebased,hall"])
def test_an_extended_run_has_the_same_tables_and_a_page(tmp_path, opponents):
    more = ("--opponents", opponents)
    assert evolve(tmp_path / "whole", 9, *more).code == 0
    assert evolve(tmp_path / "cut", 4, *more).code == 0
    assert evolve(tmp_path / "cut", 9, *more).code == 0
    stored = tables(tmp_path / "whole")
    assert stored == tables(tmp_path / "cut")
    fitness = stored["fitness-00008"]
    games = np.sum([fitness[name] for name in ("wins", "draws", "losses")], axis=0)
    hall = np.array(fitness["opponent"]) == "hall"
    assert set(games[hall]) == {8, 12}, "only games of this generation, since the hall changes"
    about = Run(tmp_path / "whole").about("mind")["measured"]
    assert f"--opponents {opponents}" in about["made_by"]
    assert list(about["fresh"]) == (["rulebased"] if "," in opponents else list(GENOME.opponents))
    page = call("web.pages", tmp_path / "whole")
    assert page.code == 0 and "Against hall" in (tmp_path / "whole" / "report.html").read_text()


def test_a_killed_run_that_is_resumed_ends_with_the_same_tables(tmp_path):
    more = ("--opponents", "rulebased,hall", "--again", 60)
    command = ("evo.run", *SMALL, "--generations", 12, *more)
    assert call(*command, "--store", tmp_path / "whole").code == 0
    resumed = kill_and_resume(tmp_path / "run", "generation-", "generation-00011", *command)
    assert resumed == tables(tmp_path / "whole")


def test_a_deterministic_player_plays_two_games_against_each_member(tmp_path):
    """ga is deterministic."""
    sizes = ("--population", 6, "--offspring", 6, "--games", 20, "--fresh", 2, "--workers", 0)
    more = ("--opponents", "hall", "--generations", 4, "--no-curve", "--store", tmp_path / "run")
    assert call("evo.run", *sizes, *more).code == 0
    fitness = tables(tmp_path / "run")["fitness-00003"]
    games = np.sum([fitness[name] for name in ("wins", "draws", "losses")], axis=0)
    assert set(games.tolist()) == {6}, "three champions"


@pytest.mark.parametrize(
    "more",
    [
        ["--opponents", "hall", "--islands", 2],
        ["--opponents", "hall", "--strategy", "cma"],
        ["--opponents", "hall", "--fitness", "accuracy"],
        ["--opponents", "hall,hall"],
    ],
)
def test_options_that_exclude_a_hall_are_refused_in_one_line(tmp_path, more):
    done = evolve(tmp_path / "run", 50, *more)
    assert done.code == 2 and "hall" in done.err and done.err.count("\n") == 1
