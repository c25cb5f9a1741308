import random

import numpy as np
import pytest

import agents
import arena
from agents.player import Player, PlayerError
from arena.game import Game
from arena.match import Batch, Side, play_each, play_match
from tests.arena.referee import replay

PLAYERS = [name for name in agents.names() if name != "human"]
# games played by slow players
FEW = {
    "perfect": 2,
    "doubleminmax": 4,
    "singleminmax": 10,
    "beam": 4,
    "blindbeam": 4,
    "randombeam": 4,
}
# RESULTS[seat of A][winner]: the result for A
RESULTS = [{"giver": 1, "placer": -1, "draw": 0}, {"giver": -1, "placer": 1, "draw": 0}]


@pytest.mark.parametrize("name", PLAYERS)
def test_recorded_games_are_legal_and_their_results_right(name):
    opponents = random.Random(name).sample(PLAYERS, 3)
    for opponent in opponents:
        games = min(FEW.get(name, 60), FEW.get(opponent, 60))
        batch = play_match(agents.make(name), agents.make(opponent), 5, games, record=True)
        for game, moves in enumerate(batch.moves):
            assert batch.results[game] == RESULTS[game & 1][replay(moves)]
        counts = [[(batch.results[seat::2] == r).sum() for r in (1, 0, -1)] for seat in (0, 1)]
        assert batch.score.games == games and np.array_equal(batch.score.counts, counts)


class Slow(Player):
    """A compiled player that denies it, so that the Python loop plays it."""

    compiled = False

    def __init__(self, inner):
        self.inner, self.mind = inner, inner.mind

    def place(self, position, rng=0):
        return self.inner.place(position, rng)

    def give(self, position, rng=0):
        return self.inner.give(position, rng)


@pytest.mark.parametrize("name", [n for n in PLAYERS if n not in FEW])
def test_the_python_loop_plays_the_same_games(name):
    a, b = agents.make(name), agents.make("hardcoded")
    fast = play_match(a, b, seed=11, games=12, first=100, record=True)
    slow = play_match(Slow(a), b, seed=11, games=12, first=100, record=True)
    assert np.array_equal(fast.moves, slow.moves) and np.array_equal(fast.results, slow.results)
    assert fast.score == slow.score


def test_a_match_does_not_depend_on_how_it_is_cut_into_batches():
    a, b = agents.make("rulebased"), agents.make("random")
    whole = play_match(a, b, seed=3, games=1000, record=True)
    parts = [play_match(a, b, 3, n, f, record=True) for f, n in ((0, 1), (1, 499), (500, 500))]
    assert np.array_equal(whole.moves, np.concatenate([p.moves for p in parts]))
    assert whole.score == parts[0].score + parts[1].score + parts[2].score
    other = play_match(a, b, seed=4, games=1000, record=True)
    assert not np.array_equal(whole.moves, other.moves)


def test_minds_played_together_play_the_games_that_each_plays_alone():
    first, second, opponent = (agents.make(n) for n in ("ga:alpha=2.0", "ga", "random"))
    parameters = np.array([first.mind.parameters, second.mind.parameters])
    counts = play_each(Side.of(second), parameters, Side.of(opponent), Batch(7, 10, 300))
    for player, row in zip((first, second), counts, strict=True):
        alone = play_match(player, opponent, seed=7, games=300, first=10).score
        assert row[:, :3].tolist() == alone.counts.tolist() and not row[:, 3].any()


def test_random_games_have_the_published_shares():
    games = 400_000
    score = play_match(agents.make("random"), agents.make("random"), seed=1, games=games).score
    (giver_wins, _, giver_losses), (placer_wins, _, placer_losses) = score.counts / games
    message = "49.5 and 48.5 % are published; the margin is five standard deviations"
    assert abs(giver_wins + placer_losses - 0.495) < 0.004, message
    assert abs(giver_losses + placer_wins - 0.485) < 0.004, message


@pytest.mark.parametrize("opponent", [n for n in PLAYERS if n != "perfect"])
def test_perfect_never_loses(opponent):
    score = play_match(agents.make("perfect"), agents.make(opponent), seed=9, games=6).score
    assert score.losses == 0 and score.wins + score.draws == 6


def test_an_illegal_move_of_a_compiled_player_is_reported():
    class Cheat(Player):
        """Answers with a piece number where a cell is asked for; the cell is soon occupied."""

        place_kernel = give_kernel = agents.baseline.give_lowest
        spec = "cheat"

        def __init__(self):
            self.mind = agents.make("random").mind

    with pytest.raises(PlayerError, match="illegal move in games 0 to 199 of cheat against random"):
        play_match(Cheat(), agents.make("random"), seed=0, games=200)


def test_the_functions_take_names_and_players():
    score = arena.play("rulebased", agents.make("random"), games=200, seed=3)
    assert score == play_match(agents.make("rulebased"), agents.make("random"), 3, 200).score
    standings = arena.tournament(["dumb", "rulebased", agents.make("x=random")], 100, workers=0)
    assert standings.elo[0].player == "rulebased" == standings.ranked[0]
    assert set(standings.matches) == {("dumb", "rulebased"), ("dumb", "x"), ("rulebased", "x")}
    assert list(standings.elo.to_pandas()["player"]) == standings.ranked
    assert standings.points.to_pandas().shape == (3, 4) and standings.store is None
    assert "rulebased" in repr(standings) and repr(standings.elo) in repr(standings)


def test_a_step_can_be_taken_back():
    game = Game((agents.make("random"), agents.make("dumb")), seed=1, index=0)
    assert not game.take_back()
    for _ in range(4):
        game.step()
    before = game.history[:]
    assert game.acting == 0 and game.take_back() and game.history == before[:3]
    assert game.position == before[3][0] and game.acting == before[3][1]
