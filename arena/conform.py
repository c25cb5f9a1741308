"""Does a program speak the protocol of docs/protocol.md? Tries everything that a match may ask of
it, and says what is wrong.

    python -m arena.conform "./mybot --fast"          any program
    python -m arena.conform my_player.py:Mine         a Python class, as it is played

Every line that fails names what was sent, what came and what was expected.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import agents
from agents.guests.process import Process, Trouble
from agents.guests.program import ProgramPlayer
from agents.player import Player, PlayerError
from agents.spec import PROGRAM
from arena.entrants import Guests, as_player
from arena.game import Game
from console.command import run_command
from console.config import argument, option
from console.errors import BadInput
from engine.position import NONE, Position

# Games that are played whole.
GAMES = 20
# A position in the middle of a game, with a piece in hand and without one.
MIDDLE = "4.../c.b./7.1./3ed. 0", "4.../c.b./7.1./3ed. -"
LEAVING = 2.0  # seconds


@dataclass(kw_only=True)
class ConformConfig(Guests):
    """The program, and how long it may think."""

    command: str = argument("a command in quotes, or file.py:Class", many=False, metavar="COMMAND")
    json: bool = option(False, "print JSON")

    def check(self) -> None:
        if not self.command.strip():
            raise BadInput("COMMAND '': give a command in quotes, or file.py:Class")
        plain = ".py:" in self.command or self.command.startswith(PROGRAM)
        self.spec = self.command if plain else PROGRAM + self.command
        self.player = as_player(self.spec, self.rules)
        if not isinstance(self.player, ProgramPlayer):
            raise BadInput(f"COMMAND {self.command}: is compiled, and speaks no protocol")


class Check(NamedTuple):
    """What was tried, what is wrong (nothing if it is empty), and a remark."""

    what: str
    wrong: str = ""
    remark: str = ""


def checks(player: ProgramPlayer) -> Iterator[Check]:
    """One after the other; a failure of one does not hide the next."""
    # it was started to be made
    yield Check("greets, and is ready for a game")
    for what, check in (
        (f"plays {GAMES} games, in either seat", plays_games),
        ("the same seed, the same game", repeats_games),
        ("answers in any position", answers_anywhere),
        ("passes over what it does not know", is_patient),
        ("leaves when told to", leaves),
        ("leaves when its input ends", leaves_at_the_end),
    ):
        try:
            remark = check(player)
            yield Check(what, remark=remark or "")
        except (PlayerError, Trouble) as error:
            yield Check(what, str(error).removeprefix(f"{player.spec}: "))


def opponent() -> Player:
    return agents.make("random")


def plays_games(player: ProgramPlayer) -> str:
    times = []
    for index in range(GAMES):
        game = Game((player, opponent()), 1, index)
        while not game.is_over:
            acting, started = game.acting, time.perf_counter()
            game.step()
            if acting == 0:
                times.append(time.perf_counter() - started)
    return f"{1e6 * statistics.median(times):.0f} us a decision"


def repeats_games(player: ProgramPlayer) -> None:
    moves = []
    for _ in range(2):
        game = Game((player, opponent()), 2, 0)
        game.play()
        moves.append(game.moves)
    if moves[0] != moves[1]:
        raise Trouble("played another game: all its chance must come from SEED of 'new SEED'")


def answers_anywhere(player: ProgramPlayer) -> None:
    player.new_game(3)
    for text in (*MIDDLE, *reversed(MIDDLE)):
        position = Position.parse(text)
        move = (player.give if position.hand == NONE else player.place)(position)
        position.play(move)
    player.give(Position.start())


def is_patient(player: ProgramPlayer) -> None:
    player.new_game(4)
    process = running(player)
    for line in ("stop", "tell me a story", ""):
        process.tell(line)
    time.sleep(0.2)
    player.give(Position.start())


def leaves(player: ProgramPlayer) -> None:
    player.new_game(5)
    process = running(player)
    process.tell("quit")
    wait_for_the_end(process, "'quit'")


def leaves_at_the_end(player: ProgramPlayer) -> None:
    player.new_game(6)
    process = running(player)
    assert process.program.stdin is not None
    process.program.stdin.close()
    wait_for_the_end(process, "the end of its input")


def running(player: ProgramPlayer) -> Process:
    assert player.process is not None
    return player.process


def wait_for_the_end(process: Process, after: str) -> None:
    ends = time.monotonic() + LEAVING
    while process.program.poll() is None:
        if time.monotonic() > ends:
            raise Trouble(f"still runs {LEAVING:g} s after {after}")
        time.sleep(0.01)
    process.end()


def conform(config: ConformConfig) -> int:
    assert isinstance(config.player, ProgramPlayer)
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


def main(arguments: list[str] | None = None) -> int:
    work: Callable[[ConformConfig], int] = conform
    return run_command("arena.conform", __doc__, ConformConfig, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
