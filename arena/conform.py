"""Check whether a program speaks the protocol of docs/protocol.md: try everything that a match may
ask of it, and print what is wrong.

    python -m arena.conform "./mybot --fast"          any program
    python -m arena.conform my_player.py:Mine         a Python class, as it is played

Every failure names what was sent, what was received and what was expected.
"""

import json
import statistics
import time
from collections.abc import Iterator
from typing import NamedTuple

import agents
from agents.guests.process import Process, Trouble
from agents.guests.program import ProgramPlayer
from agents.player import PlayerError
from agents.spec import PROGRAM
from arena.entrants import Guests, as_player
from arena.game import Game
from console.command import command
from console.config import argument, option
from console.errors import BadInput
from engine.position import NONE, Position

GAMES = 20  # complete games
# positions in the middle of a game, with and without a piece in hand
MIDDLE = "4.../c.b./7.1./3ed. 0", "4.../c.b./7.1./3ed. -"
EXIT_SECONDS = 2.0


class ConformConfig(Guests):
    command: str = argument("a command in quotes, or file.py:Class", metavar="COMMAND")
    json: bool = option(False, "print JSON")

    def check(self) -> None:
        if not self.command.strip():
            raise BadInput("COMMAND '': give a command in quotes, or file.py:Class")
        is_spec = ".py:" in self.command or self.command.startswith(PROGRAM)
        player = as_player(self.command if is_spec else PROGRAM + self.command, self.rules)
        if not isinstance(player, ProgramPlayer):
            raise BadInput(f"COMMAND {self.command}: is compiled, and speaks no protocol")
        self.player = player


class Check(NamedTuple):
    """A check, the problem that it found or "", and a remark."""

    what: str
    wrong: str = ""
    remark: str = ""


def checks(player: ProgramPlayer) -> Iterator[Check]:
    """Yield the result of each check; the checks after a failure run, too."""
    # `as_player` has started the program already
    yield Check("greets, and is ready for a game")
    for what, check in (
        (f"plays {GAMES} games, in either seat", plays_games),
        ("the same seed, the same game", repeats_games),
        ("answers in any position", answers_anywhere),
        ("ignores unknown lines", ignores_unknown_lines),
        ("exits after 'quit'", exits_after_quit),
        ("exits when its input ends", exits_at_end_of_input),
    ):
        try:
            yield Check(what, remark=check(player) or "")
        except (PlayerError, Trouble) as error:
            yield Check(what, str(error).removeprefix(f"{player.spec}: "))


def plays_games(player: ProgramPlayer) -> str:
    times = []
    for index in range(GAMES):
        game = Game((player, agents.make("random")), 1, index)
        while not game.is_over:
            acting, started = game.acting, time.perf_counter()
            game.step()
            if acting == 0:
                times.append(time.perf_counter() - started)
    return f"{1e6 * statistics.median(times):.0f} us a decision"


def repeats_games(player: ProgramPlayer) -> None:
    moves = []
    for _ in range(2):
        game = Game((player, agents.make("random")), 2, 0)
        game.play()
        moves.append(game.moves)
    if moves[0] != moves[1]:
        raise Trouble(
            "played another game for the same seed: derive all randomness from SEED of 'new SEED'"
        )


def answers_anywhere(player: ProgramPlayer) -> None:
    player.new_game(3)
    for text in (*MIDDLE, *reversed(MIDDLE)):
        position = Position.parse(text)
        position.play((player.give if position.hand == NONE else player.place)(position))
    player.give(Position.start())


def ignores_unknown_lines(player: ProgramPlayer) -> None:
    process = started(player, 4)
    for line in ("stop", "tell me a story", ""):
        process.tell(line)
    time.sleep(0.2)
    player.give(Position.start())


def exits_after_quit(player: ProgramPlayer) -> None:
    process = started(player, 5)
    process.tell("quit")
    wait_for_exit(process, "'quit'")


def exits_at_end_of_input(player: ProgramPlayer) -> None:
    process = started(player, 6)
    assert process.program.stdin is not None
    process.program.stdin.close()
    wait_for_exit(process, "the end of its input")


def started(player: ProgramPlayer, seed: int) -> Process:
    """Begin a game and return the program's process."""
    player.new_game(seed)
    assert player.process is not None
    return player.process


def wait_for_exit(process: Process, reason: str) -> None:
    deadline = time.monotonic() + EXIT_SECONDS
    while process.program.poll() is None:
        if time.monotonic() > deadline:
            raise Trouble(f"still runs {EXIT_SECONDS:g} s after {reason}")
        time.sleep(0.01)
    process.end()


def conform(config: ConformConfig) -> int:
    results = []
    for check in checks(config.player):
        results.append(check)
        if not config.json:
            state = f"FAILED: {check.wrong}" if check.wrong else check.remark or "yes"
            print(f"{check.what:34}{state}", flush=True)
    failed = sum(bool(check.wrong) for check in results)
    if config.json:
        print(json.dumps([check._asdict() for check in results]))
    else:
        print(f"\n{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


main = command("arena.conform", __name__, __doc__, ConformConfig, conform)
