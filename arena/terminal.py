"""Play Quarto on the terminal: a person or any two players.

    python -m arena.play human perfect             you against the oracle; you give first
    python -m arena.play rulebased human           the other seat: they give, you place first
    python -m arena.play frontier pro --games 100  the score of a hundred games, seats alternating
    python -m arena.play my_player.py:Mine random  your own player (a class with choose_piece and
                                                   place_piece)

While you play: cells are typed as b3 (row a to d, column 1 to 4), pieces as their hex digit;
? help, hint, undo, quit.
"""

from dataclasses import dataclass

import agents
from agents.exact import move_values
from agents.human import Hint, Quit, Undo, cell_name
from agents.player import Player
from arena.draw import large_board
from arena.entrants import as_player
from arena.game import Game
from arena.match import play_match
from arena.score import Score
from console.command import run_command
from console.config import Config, argument, option
from engine.notation import piece_drawing
from engine.position import NONE, Position


@dataclass(kw_only=True)
class PlayConfig(Config):
    """Two players and how many games."""

    a: str = argument(
        f"gives first in the first game; one of: {', '.join(agents.names())}",
        many=False,
        metavar="A",
    )
    b: str = argument("places first in the first game", many=False, metavar="B")
    games: int = option(1, "how many, seats alternating; one is drawn on the board", least=1)
    seed: int = option(0, "the same seed, the same chance")

    def check(self) -> None:
        self.players = as_player(self.a), as_player(self.b)


def tell_step(game: Game) -> None:
    """The last decision, and the board where it has changed."""
    before, who, move = game.history[-1]
    giving = before.hand == NONE
    what = f"gives {piece_drawing(move)}" if giving else f"places on {cell_name(move)}"
    print(f"{game.players[who].label} {what}")
    if not giving or before.placed == 0:
        print(large_board(game.position))


def undo(game: Game) -> None:
    if not game.take_back():
        print("there is nothing of yours to take back")
        return
    print("taken back")
    print(large_board(game.position))


def moves_text(game: Game) -> str:
    """The game in one line: piece and cell of each turn."""
    words = [move_name(before, move) for before, _, move in game.history]
    return " ".join("-".join(words[i : i + 2]) for i in range(0, len(words), 2))


def move_name(position: Position, move: int) -> str:
    return f"{move:x}" if position.hand == NONE else cell_name(move)


def hint(position: Position) -> str:
    """What the oracle says of every legal move."""
    print("asking the oracle ...", flush=True)
    values = move_values(position)
    lines = []
    for word, value in (("wins", 1), ("draws", 0), ("loses", -1)):
        moves = [move_name(position, move) for move in values if values[move] == value]
        if moves:
            lines.append(f"  {word:5}  {' '.join(moves)}")
    return "\n".join(lines)


def play_on_terminal(players: tuple[Player, Player], seed: int, index: int) -> int:
    """One game, drawn; returns the result for A."""
    game = Game(players, seed, index)
    print(f"game {index + 1}: {players[game.acting].label} gives first")
    print(large_board(game.position))
    try:
        while not game.position.is_over:
            try:
                game.step()
            except Hint:
                print(hint(game.position))
            except Undo:
                undo(game)
            else:
                tell_step(game)
    finally:
        print(f"moves: {moves_text(game)}")
    print(f"{players[game.acting].label} wins" if game.result else "a draw")
    return game.result


def score_line(players: tuple[Player, Player], score: Score) -> str:
    first, second = (player.label for player in players)
    wins, draws, losses = score.totals
    return f"{first} {wins} wins, {draws} draws, {losses} losses against {second}"


def play_games(config: PlayConfig) -> None:
    players, score = config.players, Score()
    if config.games > 1 and all(player.name != "human" for player in players):
        score = play_match(*players, config.seed, config.games).score
        print(score_line(players, score))
        return
    try:
        for index in range(config.games):
            score.counts[index & 1, 1 - play_on_terminal(players, config.seed, index)] += 1
        print(score_line(players, score))
    except Quit as reason:
        print(f"{reason}; {score_line(players, score)}")


def main(arguments: list[str] | None = None) -> int:
    return run_command("arena.play", __doc__, PlayConfig, play_games, arguments)
