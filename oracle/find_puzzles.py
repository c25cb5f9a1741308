"""Find puzzles: positions of real games in which a single turn wins; and count which players fail
to find that turn."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from agents.player import Player
from arena.entrants import as_player
from arena.match import play_match
from arena.recorded import game_steps, match_step, read_games
from arena.round_robin import matches_of, read_match
from engine.exact.solver import Solver, line_names
from engine.game_text import GameText
from engine.jit.interruptible import Calls
from engine.position import NONE, Position
from engine.rng import rng_for
from engine.symmetry import canonical_key
from oracle.turn_values import TURNS, fill_turn_values
from store import Run

MIX = ("evolved", "pro", "hardcoded", "rulebased")  # strong players set traps for weak ones
GAMES_AT_A_TIME = 20
# on the board: with fewer a turn takes long to judge, with more there is hardly a choice
PIECES = range(7, 14)
# players that are asked, strongest first, and how often each, with other random numbers every time
PANEL = ("evolved", "pro", "frontier", "minmax", "hardcoded")
TRIES = 8


class Puzzle(NamedTuple):
    """A position of a game in which a single turn wins; `piece` is NONE if the cell wins at once.
    `last` is part of the position."""

    position: Position
    plies: int
    cell: int
    piece: int
    # the players of the game, and its index
    first: str
    second: str
    game: int
    # the best play of both sides, as `python -m engine.solve --line` prints it
    line: str
    # by player: failures in TRIES
    failed: dict[str, int]

    @property
    def rating(self) -> float:
        """Share of wrong answers, 0 to 1."""
        return round(sum(self.failed.values()) / (TRIES * len(self.failed)), 4)


# the players of a game, its index, and its moves
PlayedGame = tuple[str, str, int, list[int]]


def own_games(seed: int) -> Iterator[PlayedGame]:
    """Yield games of the MIX without end."""
    matches = matches_of([as_player(name) for name in MIX], GAMES_AT_A_TIME, seed)
    for start in count(0, GAMES_AT_A_TIME):
        for match in matches:
            players = match.first, match.second
            games = play_match(*players, match.seed, GAMES_AT_A_TIME, start, record=True)
            assert games.moves is not None
            for game, moves in enumerate(games.moves.tolist(), start):
                yield match.first.label, match.second.label, game, moves


def games_of_run(address: str) -> Iterator[PlayedGame]:
    """Yield a tournament's recorded games."""
    run = Run(address)
    for step in game_steps(run):
        first, second, _ = read_match(run, match_step(step))
        for game, moves in enumerate(read_games(run, step)[0].tolist()):
            yield first, second, game, moves


class Finder:
    """Finds puzzles in games, no two of them equivalent."""

    def __init__(self) -> None:
        self.solver, self.ask = Solver(), Calls()
        self.values = np.zeros(TURNS, np.int8)
        self.seen: set[int] = set()

    def find(self, first: str, second: str, game: int, moves: list[int]) -> Iterator[Puzzle]:
        """Yield the puzzles of a game, without line and failures."""
        for position in GameText({}, [move for move in moves if move != NONE]).positions():
            if position.hand == NONE or position.placed not in PIECES:
                continue
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
                yield Puzzle(position, plies, cells.pop(), piece, first, second, game, "", {})

    def line(self, position: Position) -> str:
        """Return how the winner wins, with a `!` after moves without an alternative."""
        return " ".join(line_names(position, self.solver.best_line(position)))


class Panel:
    """The players that are asked to solve puzzles."""

    def __init__(self) -> None:
        self.players = {name: (as_player(name), Calls()) for name in PANEL}

    def failures(self, puzzle: Puzzle) -> dict[str, int]:
        """Return by player the failures in TRIES, which depend only on the position."""
        return {
            name: sum(not solves(player, ask, puzzle, attempt) for attempt in range(TRIES))
            for name, (player, ask) in self.players.items()
        }


def solves(player: Player, ask: Calls, puzzle: Puzzle, attempt: int = 0) -> bool:
    """Return whether the player finds the turn; each attempt has random numbers of its own."""
    rng = rng_for(attempt, "puzzle", canonical_key(puzzle.position))
    player.new_game(int(rng[0]))
    if ask(player.place, puzzle.position, rng) != puzzle.cell:
        return False
    after = puzzle.position.place(puzzle.cell)
    return puzzle.piece == NONE or ask(player.give, after, rng) == puzzle.piece
