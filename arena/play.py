"""Play Quarto on the terminal: a person or any two players.

    python -m arena.play human perfect             you against the oracle; you give first
    python -m arena.play rulebased human           the other seat: they give, you place first
    python -m arena.play frontier pro --games 100  the score of a hundred games, seats alternating
    python -m arena.play my_player.py:Mine random  your own player (a class with choose_piece and place_piece)

While you play: cells are typed as b3 (row a to d, column 1 to 4), pieces as their hex digit; ? help, hint, undo, quit.
"""

import argparse
import sys

import numpy as np

import agents
from agents.custom import PlayerError
from agents.exact import move_values
from agents.human import Hint, Quit, Undo, cell_name
from agents.player import Player
from arena.draw import large_board
from arena.match import DRAW, GAME, LOSS, WIN, play
from engine.notation import piece_drawing
from engine.position import NONE, Position
from engine.rng import stream


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m arena.play", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("a", metavar="A", help="gives first in the first game; one of: " + ", ".join(agents.names()))
    parser.add_argument("b", metavar="B", help="places first in the first game")
    parser.add_argument(
        "--games", type=int, default=1, help="how many, seats alternating (default 1: the board is drawn)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same chance (default %(default)s)")
    return parser


class Table:
    """One game on the terminal: positions behind, so that a turn can be taken back."""

    def __init__(self, players: tuple[Player, Player], seed: int, game: int):
        self.players = players
        self.rngs = [np.array([stream(seed % 2**64, GAME, 2 * game + who)], np.uint64) for who in (0, 1)]
        self.position, self.acting = Position.start(), game & 1
        self.behind: list[tuple[Position, int, int]] = []  # position, who acted, move

    def step(self) -> None:
        """One decision, asked of whoever is to act."""
        player = self.players[self.acting]
        giving = self.position.hand == NONE
        while True:
            try:
                move = (player.give if giving else player.place)(self.position, self.rngs[self.acting])
            except Hint:
                print(hint(self.position))
                continue
            except Undo:
                self.undo()
                return
            break
        before = self.position
        self.position = self.position.give(move) if giving else self.position.place(move)
        self.behind.append((before, self.acting, move))
        what = f"gives {piece_drawing(move)}" if giving else f"places on {cell_name(move)}"
        print(f"{player.spec} {what}")
        if giving:
            self.acting = 1 - self.acting
        if not giving or self.position.placed == 0:
            print(large_board(self.position))

    def undo(self) -> None:
        """Back to before the last decision of whoever asks."""
        if not any(who == self.acting for _, who, _ in self.behind):
            print("there is nothing of yours to take back")
            return
        asking = self.acting
        while self.behind:
            self.position, self.acting, _ = self.behind.pop()
            if self.acting == asking:
                break
        print("taken back")
        print(large_board(self.position))

    def moves(self) -> str:
        """The game in one line: piece and cell of each turn."""
        words = [f"{m:x}" if before.hand == NONE else cell_name(m) for before, _, m in self.behind]
        return " ".join("-".join(words[i : i + 2]) for i in range(0, len(words), 2))


def hint(position: Position) -> str:
    """The oracle's word on every legal move."""
    print("asking the oracle ...", flush=True)
    values = move_values(position)
    named = (lambda piece: f"{piece:x}") if position.hand == NONE else cell_name
    words = {1: "wins", 0: "draws", -1: "loses"}
    lines = [
        f"  {words[v]:5}  {' '.join(named(m) for m in values if values[m] == v)}" for v in words if v in values.values()
    ]
    return "\n".join(lines)


def play_on_terminal(players: tuple[Player, Player], seed: int, game: int) -> int:
    """One game, drawn; returns the result for A."""
    table = Table(players, seed, game)
    print(f"game {game + 1}: {players[game & 1].spec} gives first")
    print(large_board(table.position))
    try:
        while not table.position.is_over:
            table.step()
    finally:
        print(f"moves: {table.moves()}")
    if not table.position.is_won:
        print("a draw")
        return DRAW
    print(f"{players[table.acting].spec} wins")
    return WIN if table.acting == 0 else LOSS


def score_line(players: tuple[Player, Player], counts: list[int]) -> str:
    names = [player.spec for player in players]
    return f"{names[0]} {counts[WIN]} wins, {counts[DRAW]} draws, {counts[LOSS]} losses against {names[1]}"


def main(arguments: list[str] | None = None) -> int:
    asked = options().parse_args(arguments)
    try:
        players = (agents.make(asked.a), agents.make(asked.b))
        if asked.games < 1:
            raise ValueError(f"--games {asked.games}: give 1 or more")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    drawn = asked.games == 1 or any(player.name == "human" for player in players)
    counts = [0, 0, 0]
    try:
        if drawn:
            for game in range(asked.games):
                counts[play_on_terminal(players, asked.seed, game)] += 1
        else:
            counts = list(play(*players, asked.seed, asked.games).totals)
        print(score_line(players, counts))
    except Quit as reason:
        print(f"{reason}; {score_line(players, counts)}")
    except PlayerError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
