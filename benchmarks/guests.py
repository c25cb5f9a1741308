"""The cost of guest players: a decision in a child process, a thousand games of a Python class, a
compiled player from outside the project; and whether programs can leave processes behind."""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import agents
from agents.guests.course.hosted import Host
from agents.guests.course.located import import_class
from agents.guests.new import TEMPLATE
from agents.guests.program import HouseRules, ProgramPlayer
from agents.guests.template import Greedy
from agents.player import Player, PlayerError
from arena.match import play_match
from benchmarks.bots import escaping, write_bot
from benchmarks.measure import TRIES, Figures, best_rate
from console.command import run_command
from console.config import Config, option
from console.progress import Progress
from engine.notation import read_cell
from engine.position import NONE, Position

TRIVIAL = """
import random

class Trivial:
    def choose_piece(self):
        return random.randrange(16)

    def place_piece(self):
        return random.randrange(4), random.randrange(4)
"""
DECISIONS, GAMES = 20_000, 1000


@dataclass(kw_only=True)
class GuestsConfig(Config):
    escaping: int = option(
        0, "instead: end this many programs in each way, and count children", least=0
    )


def seconds_a_decision(new: Callable[[int], object], decide: Callable[[Position], int]) -> float:
    """Return the mean over whole games of a player that plays both sides, without `new`."""
    spent, decisions, game = 0.0, 0, 0
    while decisions < DECISIONS:
        new(game)
        position, game = Position.start(), game + 1
        while not position.is_over:
            started = time.perf_counter()
            move = decide(position)
            spent += time.perf_counter() - started
            position, decisions = position.play(move), decisions + 1
    return spent / decisions


def seconds_of(player: Player) -> float:
    def decide(position: Position) -> int:
        return (player.give if position.hand == NONE else player.place)(position)

    return seconds_a_decision(player.new_game, decide)


def measure_process(figures: Figures, folder: Path) -> None:
    """Time decisions of a class in its process, beside the same class in this process."""
    theirs, quarto = import_class(folder / "trivial.py", "Trivial")
    host = Host(theirs, quarto, folder, "")
    host.prepare()

    def decide(position: Position) -> int:
        board, hand = position.to_text().split()
        host.follow(board.replace("/", ""), hand)
        if hand == "-":
            return int(host.give(), 16)
        cell = read_cell(host.place())
        assert cell is not None
        return cell

    there = seconds_of(agents.make(f"{folder}/trivial.py:Trivial"))
    here = seconds_a_decision(host.new, decide)
    text = f"{1e6 * there:.1f} us"
    figures.add("a decision of a Python class in its process", text, "", f"{1e6 * here:.1f} us")
    figures.add("  what the process costs", f"{1e6 * (there - here):.1f} us", "at most 60 us")
    seconds = seconds_of(agents.make(write_bot(folder / "bot")))
    figures.add("a decision of a program, its own time included", f"{1e6 * seconds:.1f} us")


def measure_games(figures: Figures, folder: Path) -> None:
    player, other = agents.make(f"{folder}/trivial.py:Trivial"), agents.make("random")
    play_match(player, other, 1, 2)
    started = time.perf_counter()
    play_match(player, other, 1, GAMES)
    seconds = f"{time.perf_counter() - started:.2f} s"
    figures.add(f"{GAMES:,} games of a Python class against random", seconds, "under 10 s")


def measure_compiled(figures: Figures, folder: Path) -> None:
    (folder / "mine.py").write_text(TEMPLATE.read_text())
    outside, inside = agents.make(f"{folder}/mine.py:Greedy"), Greedy()
    other = agents.make("rulebased")
    rates: dict[Player, float] = {}
    # in turns, because the processor's speed drifts
    for player in TRIES * (outside, inside):

        def games(count: int, player: Player = player) -> None:
            play_match(player, other, 1, count)

        rates[player] = max(best_rate(games), rates.get(player, 0.0))
    what = "games/s of a compiled player outside, and inside"
    figures.compare(what, rates[outside] / 1e6, rates[inside] / 1e6, "M/s", "within 5 %")


def left_behind(folder: Path) -> int:
    """Return the number of processes whose working directory is below this folder."""
    count = 0
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            count += folder in Path(os.readlink(link)).parents
    return count


def end_normally(player: ProgramPlayer) -> None:
    assert player.process
    player.process.leave()


def exceed_the_time_limit(player: ProgramPlayer) -> None:
    with suppress(PlayerError):
        player.give(Position.start())


def be_killed(player: ProgramPlayer) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def try_to_escape(programs: int, folder: Path) -> None:
    """Start programs whose children try to survive them, end them in each way, and count the
    processes that are left."""
    for end in (end_normally, exceed_the_time_limit, be_killed):
        name, started, left = end.__name__.replace("_", " "), 0, 0
        with Progress(name, "tries", programs) as progress:
            for number in range(programs):
                place = folder / end.__name__ / str(number)
                spec = escaping(place, give="time.sleep(600)")
                # the arena is a process of its own, so that it can be killed
                arena = os.fork()
                if arena == 0:
                    player = agents.make(spec, HouseRules(0.02))
                    assert isinstance(player, ProgramPlayer)
                    end(player)
                    os._exit(0)
                os.waitpid(arena, 0)
                # a supervisor ends some ms after its arena has been killed
                time.sleep(0.2)
                started += len((place / "pids").read_text().split())
                left += left_behind(folder)
                progress.add(1)
        print(f"{name}: {started} children tried to escape, {left} processes are left")


def measure(config: GuestsConfig) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        if config.escaping:
            return try_to_escape(config.escaping, folder)
        (folder / "trivial.py").write_text(TRIVIAL)
        figures = Figures()
        measure_process(figures, folder)
        measure_games(figures, folder)
        measure_compiled(figures, folder)


main = partial(run_command, "benchmarks.guests", __doc__, GuestsConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
