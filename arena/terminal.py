"""Play Quarto on the terminal: a person or any two players.

    python -m arena.play human perfect             you against the oracle; you give first
    python -m arena.play rulebased human           the other seat: they give, you place first
    python -m arena.play frontier pro --games 100  the score of a hundred games, seats alternating
    python -m arena.play my_player.py:Mine random  your own player (a class with choose_piece and
                                                   place_piece)

While you play: cells are typed as b3 (row a to d, column 1 to 4), pieces as their hex digit;
? help, hint, undo, board, quit.
"""

import secrets
import sys
import time
from dataclasses import dataclass

import agents
from agents.human import HELP, Board, Help, Hint, Quit, Undo
from agents.player import Player
from arena.draw import HOME_AND_CLEAR, LEGEND, can_redraw, draw
from arena.entrants import as_player
from arena.game import Game
from arena.match import Batch, Record, play_batch_into
from arena.score import Score
from arena.verdict import where_lost
from console.command import run_command
from console.config import Config, argument, option
from console.progress import Progress
from engine.lines import LINES
from engine.notation import cell_name, move_name, piece_drawing
from engine.position import NONE, Position
from engine.solver import analyse

# Of what happened before, so many lines stand below a board that is redrawn.
NOTES = 4
# Seconds between two turns of programs that somebody watches.
PAUSE = 0.5


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
    seed: int | None = option(
        None,
        "the same seed, the same chance (default: another one each time, 0 for a mere score)",
        kind=int,
    )

    def check(self) -> None:
        self.players = as_player(self.a), as_player(self.b)
        self.person = any(player.name == "human" for player in self.players)
        self.drawn = self.person or self.games == 1
        if self.seed is None:
            self.seed = secrets.randbelow(10**6) if self.drawn else 0


class Screen:
    """One game as it is shown: redrawn in place where the terminal can, else line after line."""

    def __init__(self, game: Game, title: list[str], pause: float):
        self.game, self.title, self.pause = game, title, pause
        self.redraws = can_redraw()
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        if self.redraws:
            self.notes = [*self.notes, *text.splitlines()][-NOTES:]
        else:
            print(text)

    def draw(self) -> None:
        board = draw(self.game.position, self.title, winning_line(self.game.position))
        print("\n".join([HOME_AND_CLEAR + board, *self.notes]) if self.redraws else board)

    def show_step(self) -> None:
        """The last decision, and the board where it has changed."""
        before, who, move = self.game.history[-1]
        giving = before.hand == NONE
        what = f"gives {piece_drawing(move)}" if giving else f"places on {cell_name(move)}"
        self.note(f"{self.game.players[who].label} {what}")
        if self.game.position.is_over:
            # what came of it needs the room
            self.notes = []
        if self.redraws or not giving or before.placed == 0:
            self.draw()
        if self.redraws and not giving:
            sys.stdout.flush()
            time.sleep(self.pause)

    def help(self, allowed: str) -> None:
        text = f"{HELP}\n{LEGEND}\n{allowed}"
        if not self.redraws:
            print(text)
            return
        print(f"{HOME_AND_CLEAR}{text}\nEnter: back to the board ", end="", flush=True)
        sys.stdin.readline()
        self.draw()

    def hint(self) -> None:
        print("asking the oracle ...", flush=True)
        self.notes = []
        self.note(hint(self.game.position))
        if self.redraws:
            self.draw()

    def undo(self) -> None:
        taken = self.game.take_back()
        self.note("taken back" if taken else "there is nothing of yours to take back")
        if taken or self.redraws:
            self.draw()


def winning_line(position: Position) -> int:
    """The cells of a line that has won, as a mask."""
    for line in map(int, LINES if position.is_won else ()):
        pieces = [position.piece_at(cell) for cell in range(16) if line >> cell & 1]
        same = pieces[0] & pieces[1] & pieces[2] & pieces[3]
        neither = ~(pieces[0] | pieces[1] | pieces[2] | pieces[3])
        if NONE not in pieces and (same | neither) & 15:
            return line
    return 0


def hint(position: Position) -> str:
    """What the oracle thinks of every move."""
    values = analyse(position).moves
    lines = ["the oracle:"]
    for value, word in ((1, "wins"), (0, "draws"), (-1, "loses")):
        moves = [move_name(position, move) for move in values if values[move] == value]
        if moves:
            lines.append(f"  {word:5}  {' '.join(moves)}")
    return "\n".join(lines)


def moves_text(game: Game) -> str:
    """The game in one line: piece and cell of each turn."""
    words = [move_name(before, move) for before, _, move in game.history]
    return " ".join("-".join(words[i : i + 2]) for i in range(0, len(words), 2))


def play_on_terminal(config: PlayConfig, index: int) -> int:
    """One game, drawn; returns the result for A."""
    players = config.players
    game = Game(players, int(config.seed or 0), index)
    first = players[game.acting].label[:28]
    title = [f"game {index + 1}, seed {config.seed}", f"{first} gives first"]
    screen = Screen(game, title, 0.0 if config.person else PAUSE)
    screen.draw()
    try:
        while not game.position.is_over:
            take_step(screen)
    except KeyboardInterrupt:
        print()  # the question stays without an answer
        raise
    finally:
        if game.moves:
            print(f"moves: {moves_text(game)}")
    print(f"{players[game.acting].label} wins" if game.result else "a draw")
    if game.result:
        print(where_lost(game))
    return game.result


def take_step(screen: Screen) -> None:
    """A decision, or what a person wants instead."""
    try:
        screen.game.step()
    except Hint:
        screen.hint()
    except Undo:
        screen.undo()
    except Board:
        screen.draw()
    except Help as wanted:
        screen.help(str(wanted))
    else:
        screen.show_step()


def again() -> bool:
    """Whether the person wants another game."""
    print("again? (Enter: yes, n: no) ", end="", flush=True)
    line = sys.stdin.readline()
    return bool(line) and line.strip().lower() in ("", "y", "yes", "again")


def score_line(players: tuple[Player, Player], score: Score) -> str:
    first, second = (player.label for player in players)
    wins, draws, losses = score.totals
    return f"{first} {wins} wins, {draws} draws, {losses} losses against {second}"


def play_for_the_score(config: PlayConfig) -> None:
    """Many games of programs: who is interrupted has the score so far."""
    record, batch = Record.empty(0), Batch(int(config.seed or 0) % 2**64, 0, config.games)
    try:
        with Progress("games", "games", config.games) as progress:
            play_batch_into(
                record, config.players, batch, lambda: progress.show(int(record.counts.sum()))
            )
    except KeyboardInterrupt:
        so_far = record.score
        if so_far.games:
            line = score_line(config.players, so_far)
            print(f"after {so_far.games:,} of {config.games:,} games: {line}")
        raise
    print(score_line(config.players, record.score))


def play_games(config: PlayConfig) -> None:
    if not config.drawn:
        play_for_the_score(config)
        return
    score, index = Score(), 0
    try:
        while index < config.games or (config.person and again()):
            score.counts[index & 1, 1 - play_on_terminal(config, index)] += 1
            index += 1
        print(score_line(config.players, score))
    except Quit as reason:
        print(f"{reason}; {score_line(config.players, score)}")


def main(arguments: list[str] | None = None) -> int:
    return run_command("arena.play", __doc__, PlayConfig, play_games, arguments)
