"""Where puzzles come from: real games, looked through for positions in which one turn alone wins;
and who fails to find that turn."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from agents.player import Player
from arena.entrants import as_player
from arena.match import play_match
from arena.recorded import game_steps, read_games
from arena.round_robin import matches_of, read_match
from engine.exact.solver import Solver, line_names
from engine.jit.interruptible import Calls
from engine.position import NONE, Position
from engine.rng import rng_for
from engine.symmetry import canonical_key
from oracle.turn_values import TURNS, fill_turn_values
from store import Run

# Between whom games are played: strong ones set traps, weak ones walk into them.
MIX = ("evolved", "pro", "hardcoded", "rulebased")
GAMES_AT_A_TIME = 20
# Before, a turn takes long to judge; after, there is hardly a choice.
PIECES = range(7, 14)
# Who is asked, the strongest first, and how often: with other chance each time.
PANEL = ("evolved", "pro", "frontier", "minmax", "hardcoded")
TRIES = 8


class Source(NamedTuple):
    """A game, by who played it and which of theirs it was."""

    first: str
    second: str
    game: int


class Found(NamedTuple):
    """A position of a game in which one turn alone wins; `piece` is NONE where the cell does."""

    position: Position
    plies: int
    cell: int
    piece: int
    source: Source


def own_games(seed: int) -> Iterator[tuple[Source, list[int]]]:
    """Games without end, each with its moves."""
    matches = matches_of([as_player(name) for name in MIX], GAMES_AT_A_TIME, seed)
    for start in count(0, GAMES_AT_A_TIME):
        for match in matches:
            players = match.first, match.second
            played = play_match(*players, match.seed, GAMES_AT_A_TIME, start, record=True)
            assert played.moves is not None
            for game, moves in enumerate(played.moves.tolist(), start):
                yield Source(match.first.label, match.second.label, game), moves


def games_of_run(address: str) -> Iterator[tuple[Source, list[int]]]:
    """Those that a tournament has recorded."""
    run = Run(address)
    for step in game_steps(run):
        first, second, _ = read_match(run, step.replace("games", "match"))
        for game, moves in enumerate(read_games(run, step)[0].tolist()):
            yield Source(first, second, game), moves


def positions_of(moves: list[int]) -> Iterator[Position]:
    """Those of a game with a piece in hand and enough pieces on the board."""
    position = Position.start()
    for move in moves:
        if move == NONE:
            return
        position = position.play(move)
        if position.hand != NONE and position.placed in PIECES:
            yield position


class Finder:
    """Looks through games; finds no position twice."""

    def __init__(self) -> None:
        self.solver, self.ask = Solver(), Calls()
        self.values = np.zeros(TURNS, np.int8)
        self.seen: set[int] = set()

    def find(self, source: Source, moves: list[int]) -> Iterator[Found]:
        for position in positions_of(moves):
            self.ask(fill_turn_values, position, self.values, self.solver.memory)
            turns = np.flatnonzero(self.values == 1)
            cells = {int(turn) // 16 for turn in turns}
            at_once = bool(position.winning_cells())
            # a cell that wins at once does so whatever piece would follow
            if len(cells) != 1 or (len(turns) > 1 and not at_once):
                continue
            key = canonical_key(position)
            if key not in self.seen:
                self.seen.add(key)
                piece = NONE if at_once else int(turns[0]) % 16
                plies = self.solver.distance(position)
                assert plies is not None
                yield Found(position, plies, cells.pop(), piece, source)

    def line(self, position: Position) -> str:
        """How the winner wins, a `!` behind moves that have no alternative."""
        return " ".join(line_names(position, self.solver.best_line(position)))


class Panel:
    """The players who are asked."""

    def __init__(self) -> None:
        self.players = {name: as_player(name) for name in PANEL}
        self.ask = {name: Calls() for name in PANEL}

    def failures(self, found: Found) -> dict[str, int]:
        """By player: how often of TRIES it has not found the turn. A function of the position
        alone."""
        key = canonical_key(found.position)
        return {
            name: sum(not self._solves(name, player, found, key, n) for n in range(TRIES))
            for name, player in self.players.items()
        }

    def _solves(self, name: str, player: Player, found: Found, key: int, number: int) -> bool:
        rng, ask = rng_for(number, "puzzle", key), self.ask[name]
        if ask(player.place, found.position, rng) != found.cell:
            return False
        after = found.position.place(found.cell)
        return found.piece == NONE or ask(player.give, after, rng) == found.piece
