"""Play Quarto on the terminal: a person or any two players.

    python -m terminal human perfect             you against the oracle; you give first
    python -m terminal rulebased human           the other seat: the player gives first
    python -m terminal frontier pro --games 100  the score of a hundred games, seats alternating
    python -m terminal my_player.py:Mine random  your own player (a class with choose_piece and
                                                   place_piece)

While you play, type cells as b3 (row a to d, column 1 to 4) and pieces as their hex digit, or
? (help), hint, undo, board, quit. --save stores the games as text for python -m oracle.review FILE.
"""

import secrets
import sys
import time
from datetime import date

import agents
from agents.human import HELP, Quit, Request
from agents.player import Player
from arena.draw import HOME_AND_CLEAR, LEGEND, can_redraw, draw, winning_line
from arena.entrants import GuestsInMatches, as_player
from arena.game import Game
from arena.game_file import append_games, count_games
from arena.match import Batch, Record, play_batch_into
from arena.score import Fault, Score, count_faults
from arena.suite import NO_OPENINGS, SUITES, opening_moves, read_suite
from console.command import command
from console.config import argument, option
from console.progress import Progress, counted
from engine.exact.solver import analyse
from engine.game_text import FAILED, OPENING, SEATS, GameText
from engine.notation import cell_name, move_name, piece_drawing
from engine.position import NONE
from oracle.judge import review, where_lost
from oracle.review import as_text, report, verb

NOTES = 4  # lines of recent events below a redrawn board
PAUSE = 0.5  # seconds between two turns of programs
SAVED = 1000  # games in a batch whose moves are saved


class PlayConfig(GuestsInMatches):
    a: str = argument(
        f"player who gives first in the first game; one of: {', '.join(agents.names())}",
        metavar="A",
    )
    b: str = argument("player who places first in the first game", metavar="B")
    games: int = option(1, "number of games, seats alternating; a single one is drawn", least=1)
    seed: int | None = option(
        None, "random seed (default: a new one each time; 0 if no game is drawn)"
    )
    openings: str = option(
        NO_OPENINGS, "begin each pair of games with a drawn position", choices=SUITES
    )
    save: str | None = option(None, "append the games to FILE as text", metavar="FILE")

    def check(self) -> None:
        self.players = as_player(self.a, self.rules), as_player(self.b, self.rules)
        self.person = any(player.name == "human" for player in self.players)
        self.drawn = self.person or self.games == 1
        if self.seed is None:
            self.seed = secrets.randbelow(10**6) if self.drawn else 0


class Screen:
    """The display of one game: redrawn in place where the terminal can, else line by line."""

    def __init__(self, game: Game, title: list[str], pause: float):
        self.game, self.title, self.pause = game, title, pause
        self.redraws = can_redraw()
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        if self.redraws:
            self.notes = [*self.notes, *text.splitlines()][-NOTES:]
        else:
            print(text)

    def board(self) -> None:
        text = draw(self.game.position, self.title, winning_line(self.game.position))
        print("\n".join([HOME_AND_CLEAR + text, *self.notes]) if self.redraws else text)

    def show_step(self) -> None:
        """Show the last decision, and the board if it has changed."""
        before, acting, move = self.game.history[-1]
        giving = before.hand == NONE
        label = self.game.players[acting].label
        word, rest = ("give", piece_drawing(move)) if giving else ("place", f"on {cell_name(move)}")
        self.note(f"{label} {verb(label, word)} {rest}")
        if self.game.position.is_over:
            # make room for the result
            self.notes = []
        if self.redraws or not giving or before.placed == 0:
            self.board()
        if self.redraws and not giving:
            sys.stdout.flush()
            time.sleep(self.pause)

    def help(self, allowed: str) -> None:
        text = f"{HELP}\n{LEGEND}\n{allowed}"
        print(f"{HOME_AND_CLEAR}{text}\nEnter: back to the board" if self.redraws else text)

    def hint(self) -> None:
        print("asking the oracle ...", flush=True)
        position = self.game.position
        values = analyse(position).moves
        self.notes = []
        self.note("the oracle:")
        for value, word in ((1, "wins"), (0, "draws"), (-1, "loses")):
            moves = [move_name(position, move) for move in values if values[move] == value]
            if moves:
                self.note(f"  {word:5}  {' '.join(moves)}")
        if self.redraws:
            self.board()

    def undo(self) -> None:
        undone = self.game.take_back()
        self.note("taken back" if undone else "there is nothing of yours to take back")
        if undone or self.redraws:
            self.board()

    def step(self) -> None:
        """Play a decision, or do what a person asks for instead."""
        try:
            self.game.step()
        except Request as request:
            action, allowed = request.args
            self.help(allowed) if action == "help" else getattr(self, action)()
        else:
            if not self.game.fault:
                self.show_step()


def text_of(config: PlayConfig, index: int, moves: list[int], fault: Fault | None) -> GameText:
    labels = [player.label for player in config.players]
    first, second = labels if index % 2 == 0 else labels[::-1]
    headers = {"first": first, "second": second, "seed": config.seed, "game": index + 1}
    headers |= {OPENING: opening_moves(config.openings) or None}
    failed = fault and f"{SEATS[fault.player ^ index & 1]}: {fault.reason}"
    return GameText.of(moves, {**headers, "date": date.today().isoformat(), FAILED: failed})


def save(config: PlayConfig, games: list[GameText]) -> None:
    if config.save is not None:
        append_games(config.save, games)


def play_on_terminal(config: PlayConfig, index: int) -> tuple[GameText, int]:
    """Play and draw one game; return it and its result for A."""
    players = config.players
    game = Game(players, int(config.seed or 0), index, read_suite(config.openings))
    first = players[game.acting].label[:28]
    title = [f"game {index + 1}, seed {config.seed}", f"{first} {verb(first, 'give')} first"]
    screen = Screen(game, title, 0.0 if config.person else PAUSE)
    screen.board()
    try:
        while not game.is_over:
            screen.step()
    except KeyboardInterrupt:
        print()  # ends the line of the question
        raise
    finally:
        # a game that is left early is saved, too
        played = text_of(config, index, game.moves, game.fault)
        if game.moves:
            print(played.moves_text)
            save(config, [played])
    if game.fault:
        print(f"lost: {game.fault.reason}", file=sys.stderr)
    winner = players[0 if game.result > 0 else 1]
    print(f"{winner.label} {verb(winner.label, 'win')}" if game.result else "a draw")
    if game.position.is_won:
        print(where_lost(played))
    return played, game.result


def again(game: GameText) -> bool:
    """Ask whether the person wants another game, after as many reviews of this one as wanted."""
    while True:
        print("again? (Enter: yes, r: review this game first, n: no) ", end="", flush=True)
        line = sys.stdin.readline()
        word = line.strip().lower()
        if word not in ("r", "review"):
            return bool(line) and word in ("", "y", "yes", "again")
        print("asking the oracle ...", flush=True)
        print(as_text(report(game, review(game))))


def score_line(players: tuple[Player, Player], score: Score) -> str:
    first, second = (player.label for player in players)
    words = (("win", "wins"), ("draw", "draws"), ("loss", "losses"))
    counts = [f"{n} {word[n != 1]}" for n, word in zip(score.totals, words, strict=True)]
    failed = zip((first, second), score.failed.sum(axis=0), strict=True)
    lost = [f"; {name} lost {count} of them by failing" for name, count in failed if count]
    return f"{first} {', '.join(counts)} against {second}{''.join(lost)}"


def play_for_score(config: PlayConfig) -> None:
    """Play many games and print the score, also when interrupted."""
    score = Score()
    # all games in one batch, unless their moves are saved
    size = SAVED if config.save else config.games
    try:
        with Progress("games", "games", config.games) as progress:
            for first in range(0, config.games, size):
                games = min(size, config.games - first)
                suite = read_suite(config.openings)
                batch = Batch(int(config.seed or 0) % 2**64, first, games, suite)
                play_batch(config, batch, score, progress)
    except KeyboardInterrupt:
        if score.games:
            line = score_line(config.players, score)
            print(f"after {score.games:,} of {config.games:,} games: {line}")
        raise
    print(score_line(config.players, score))


def play_batch(config: PlayConfig, batch: Batch, score: Score, progress: Progress) -> None:
    """Play a batch of games, and save and count those that are finished, also when interrupted."""
    record = Record.empty(batch.games, bool(config.save))
    faults: tuple[Fault, ...] = ()

    def watch() -> None:
        progress.show(batch.first + record.games)

    try:
        faults = play_batch_into(record, config.players, batch, watch)
        for fault in faults:
            print(f"lost a game: {fault.reason}", file=sys.stderr)
    finally:
        score.counts[:] += record.counts[:, :3]
        score.failed[:] += count_faults(faults)
        fault_of = {fault.game: fault for fault in faults}
        rows = enumerate(record.moves[: record.games], batch.first)
        save(
            config, [text_of(config, i, row[row >= 0].tolist(), fault_of.get(i)) for i, row in rows]
        )


def play_and_save(config: PlayConfig) -> None:
    """Play the games; say how many a file has got that had games before."""
    save(config, [])  # fails now, not after a game, if the file cannot be written
    before = count_games(config.save) if config.save else 0
    try:
        play_games(config)
    finally:
        if config.save and before:
            added = counted(count_games(config.save) - before, "games")
            print(f"added {added} to {config.save}, which had {before:,}", file=sys.stderr)


def play_games(config: PlayConfig) -> None:
    if not config.drawn:
        play_for_score(config)
        return
    score, index, game = Score(), 0, GameText({}, [])
    try:
        while index < config.games or (config.person and again(game)):
            game, result = play_on_terminal(config, index)
            score.counts[index & 1, 1 - result] += 1
            index += 1
        print(score_line(config.players, score))
    except Quit as reason:
        print(f"{reason}; {score_line(config.players, score)}")


main = command("terminal", __name__, __doc__, PlayConfig, play_and_save)
