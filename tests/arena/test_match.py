import random

import numpy as np
import pytest

import agents
from agents.custom import PlayerError
from agents.player import Player
from arena.match import DRAW, LOSS, WIN, play
from tests.arena.referee import replay

PLAYERS = [name for name in agents.names() if name != "human"]
FEW = {
    "perfect": 2,
    "doubleminmax": 4,
    "singleminmax": 10,
    "beam": 4,
    "blindbeam": 4,
    "randombeam": 4,
}  # games of the slow ones


@pytest.mark.parametrize("name", PLAYERS)
def test_recorded_games_are_legal_and_rightly_decided(name):
    opponents = random.Random(name).sample(PLAYERS, 3)
    for opponent in opponents:
        games = min(FEW.get(name, 60), FEW.get(opponent, 60))
        batch = play(agents.make(name), agents.make(opponent), seed=5, games=games, record=True)
        outcome = {0: {"giver": WIN, "placer": LOSS, "draw": DRAW}, 1: {"giver": LOSS, "placer": WIN, "draw": DRAW}}
        for game, moves in enumerate(batch.moves):
            assert batch.results[game] == outcome[game & 1][replay(moves)]
        assert batch.counts.sum() == games
        assert [
            int((batch.results[seat::2] == r).sum()) for seat in (0, 1) for r in (WIN, DRAW, LOSS)
        ] == batch.counts.ravel().tolist()


class Slow(Player):
    """A compiled player that says it is not: the twin plays it."""

    compiled = False

    def __init__(self, inner):
        self.inner, self.mind = inner, inner.mind

    def place(self, position, rng=0):
        return self.inner.place(position, rng)

    def give(self, position, rng=0):
        return self.inner.give(position, rng)


@pytest.mark.parametrize("name", [n for n in PLAYERS if n not in FEW])
def test_the_slow_twin_plays_the_same_games(name):
    a, b = agents.make(name), agents.make("hardcoded")
    fast = play(a, b, seed=11, games=12, first=100, record=True)
    slow = play(Slow(a), b, seed=11, games=12, first=100, record=True)
    assert np.array_equal(fast.moves, slow.moves) and np.array_equal(fast.results, slow.results)


def test_a_match_does_not_depend_on_how_it_is_cut_into_batches():
    a, b = agents.make("rulebased"), agents.make("random")
    whole = play(a, b, seed=3, games=1000, record=True)
    parts = [play(a, b, seed=3, games=n, first=f, record=True) for f, n in ((0, 1), (1, 499), (500, 500))]
    assert np.array_equal(whole.moves, np.concatenate([p.moves for p in parts]))
    assert np.array_equal(whole.counts, sum(p.counts for p in parts))
    assert not np.array_equal(whole.moves, play(a, b, seed=4, games=1000, record=True).moves)


def test_random_games_have_the_known_shares():
    games = 400_000
    counts = play(agents.make("random"), agents.make("random"), seed=1, games=games).counts
    giver = (counts[0, WIN] + counts[1, LOSS]) / games
    placer = (counts[0, LOSS] + counts[1, WIN]) / games
    assert abs(giver - 0.495) < 0.004 and abs(placer - 0.485) < 0.004, (
        "49.5 and 48.5 % are known; five standard deviations"
    )


@pytest.mark.parametrize("opponent", [n for n in PLAYERS if n != "perfect"])
def test_perfect_never_loses(opponent):
    wins, draws, losses = play(agents.make("perfect"), agents.make(opponent), seed=9, games=6).totals
    assert losses == 0 and wins + draws == 6


def test_an_illegal_move_of_a_compiled_player_is_told():
    class Cheat(Player):
        """Places where a piece is."""

        place_kernel, give_kernel = agents.baseline.place_lowest, agents.baseline.give_lowest

        def __init__(self):
            self.mind = agents.make("random").mind

    Cheat.place_kernel = agents.baseline.give_lowest  # answers with a piece's number: soon an occupied cell
    Cheat.spec = "cheat"
    with pytest.raises(PlayerError, match="illegal move"):
        play(Cheat(), agents.make("random"), seed=0, games=200)
