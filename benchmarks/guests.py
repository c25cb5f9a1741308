"""What it costs to play with what others have written: a decision of a process, a thousand games
of a Python class, a compiled player outside the project; what becomes of those that misbehave."""

import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import agents
from agents.guests.course.hosted import Host
from agents.guests.course.located import import_class
from agents.guests.new import TEMPLATE
from agents.guests.program import HouseRules, ProgramPlayer
from agents.guests.template import Greedy
from agents.player import Player, PlayerError
from arena.match import play_match
from benchmarks.measure import Figures, best_rate
from benchmarks.misbehaving import escaping, misbehaving, write_bot
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
# How often two speeds are measured, one after the other.
TURNS = 3
# Games of each program that misbehaves, for either answer to a failure.
FEW = 4


@dataclass(kw_only=True)
class GuestsConfig(Config):
    """How many programs misbehave or try to escape; with 0, speeds are measured."""

    misbehaving: int = option(0, "play with this many programs that misbehave", least=0)
    escaping: int = option(0, "end this many programs in each way, and count children", least=0)


def seconds_a_decision(new: Callable[[int], object], decide: Callable[[Position], int]) -> float:
    """Mean over whole games of one who plays both sides, without what begins a game."""
    spent, done, game = 0.0, 0, 0
    while done < DECISIONS:
        new(game)
        position, game = Position.start(), game + 1
        while not position.is_over:
            started = time.perf_counter()
            move = decide(position)
            spent += time.perf_counter() - started
            position, done = position.play(move), done + 1
    return spent / done


def seconds_of(player: Player) -> float:
    def decide(position: Position) -> int:
        return (player.give if position.hand == NONE else player.place)(position)

    return seconds_a_decision(player.new_game, decide)


def cost_of_a_process(figures: Figures, folder: Path) -> None:
    """Whole decisions, beside the same class asked in this process, in the same games."""
    (folder / "trivial.py").write_text(TRIVIAL)
    theirs, quarto = import_class(folder / "trivial.py", "Trivial")
    host = Host(theirs, quarto, folder, "")
    host.prepare()

    def own(position: Position) -> int:
        board, hand = position.to_text().split()
        host.follow(board.replace("/", ""), hand)
        if hand == "-":
            return int(host.give(), 16)
        cell = read_cell(host.place())
        assert cell is not None
        return cell

    there = seconds_of(agents.make(f"{folder}/trivial.py:Trivial"))
    here = seconds_a_decision(host.new, own)
    text = f"{1e6 * there:.1f} us"
    figures.add("a decision of a Python class in its process", text, "", f"{1e6 * here:.1f} us")
    figures.add("  what the process costs", f"{1e6 * (there - here):.1f} us", "at most 60 us")
    spent = seconds_of(agents.make(write_bot(folder / "bot")))
    figures.add("a decision of a program, its own time included", f"{1e6 * spent:.1f} us")


def thousand_games(figures: Figures, folder: Path) -> None:
    player, other = agents.make(f"{folder}/trivial.py:Trivial"), agents.make("random")
    play_match(player, other, 1, 2)
    started = time.perf_counter()
    play_match(player, other, 1, GAMES)
    spent = f"{time.perf_counter() - started:.2f} s"
    figures.add(f"{GAMES:,} games of a Python class against random", spent, "under 10 s")


def compiled_players(figures: Figures, folder: Path) -> None:
    (folder / "mine.py").write_text(TEMPLATE.read_text())
    outside, inside = agents.make(f"{folder}/mine.py:Greedy"), Greedy()
    other = agents.make("rulebased")
    rates: dict[Player, float] = {}
    # by turns: the processor's speed drifts
    for player in TURNS * (outside, inside):

        def games(count: int, player: Player = player) -> None:
            play_match(player, other, 1, count)

        rates[player] = max(best_rate(games), rates.get(player, 0.0))
    what = "games/s of a compiled player outside, and inside"
    figures.compare(what, rates[outside] / 1e6, rates[inside] / 1e6, "M/s", "within 5 %")


def left_behind(folder: Path) -> list[int]:
    """Processes that run in this folder or below it."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if folder in Path(os.readlink(link)).parents:
                found.append(int(link.parent.name))
        except OSError:
            continue
    return found


def memory() -> int:
    """MiB that this process has ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def play_with(spec: str, number: int, on_error: str) -> str:
    """What became of a few games."""
    try:
        player = agents.make(spec, HouseRules(0.1, on_error))
    except ValueError:
        return "refused before the match"
    try:
        games = play_match(player, agents.make("random"), number, FEW)
    except PlayerError as error:
        assert on_error == "stop" and "\n" not in str(error)
        return "stopped with one line"
    finally:
        process = getattr(player, "process", None)
        if process:
            process.end()
    assert games.score.games == FEW
    return "played to the end, games lost" if games.faults else "played to the end"


def play_with_all(config: GuestsConfig, folder: Path) -> None:
    outcomes: Counter = Counter()
    with Progress("misbehaving", "programs", config.misbehaving) as progress:
        for number in range(config.misbehaving):
            spec = misbehaving(folder / str(number), number)
            for on_error in ("lose", "stop"):
                outcomes[on_error, play_with(spec, number, on_error)] += 1
            if number == config.misbehaving // 10:
                first = memory()
            progress.add(1)
    for (on_error, outcome), count in sorted(outcomes.items()):
        print(f"--on-error {on_error}: {count:4} {outcome}")
    print(f"processes left behind: {len(left_behind(folder))}")
    print(f"memory after a tenth of them {first} MiB, after all {memory()} MiB")


def end_normally(player: ProgramPlayer) -> None:
    assert player.process
    player.process.leave()


def exceed_the_time_limit(player: ProgramPlayer) -> None:
    with suppress(PlayerError):
        player.give(Position.start())


def be_killed(player: ProgramPlayer) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def try_to_escape(config: GuestsConfig, folder: Path) -> None:
    """Start programs whose children try to stay, end them in each way, and count what is left."""
    for end in (end_normally, exceed_the_time_limit, be_killed):
        name = end.__name__.replace("_", " ")
        started, left = 0, 0
        with Progress(name, "tries", config.escaping) as progress:
            for number in range(config.escaping):
                place = folder / end.__name__ / str(number)
                spec = escaping(place, give="time.sleep(600)")
                # in a process of its own, which can be killed
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
                left += len(left_behind(folder))
                progress.add(1)
        print(f"{name}: {started} children tried to escape, {left} processes are left")


def measure(config: GuestsConfig) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if config.misbehaving:
            play_with_all(config, folder)
        if config.escaping:
            try_to_escape(config, folder)
        if config.misbehaving or config.escaping:
            return
        figures = Figures()
        cost_of_a_process(figures, folder)
        thousand_games(figures, folder)
        compiled_players(figures, folder)


def main(arguments: list[str] | None = None) -> int:
    return run_command("benchmarks.guests", __doc__, GuestsConfig, measure, arguments)


if __name__ == "__main__":
    sys.exit(main())
