"""The cost of guest players: a decision in a child process, and a compiled player from outside the
project."""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import agents
from agents.guests.course.hosted import Host
from agents.guests.course.located import import_class
from agents.guests.new import TEMPLATE
from agents.guests.template import Greedy
from agents.player import Player
from arena.match import play_match
from benchmarks.measure import TRIES, best_rate
from benchmarks.record import Benchmark, Figures, Results
from console.command import command
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
DECISIONS = 20_000


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


def measure(config: Benchmark) -> None:
    with TemporaryDirectory() as name, Results("guests", config) as results:
        folder, figures = Path(name), results.figures()
        (folder / "trivial.py").write_text(TRIVIAL)
        measure_process(figures, folder)
        measure_compiled(figures, folder)


main = command("benchmarks.guests", __name__, __doc__, Benchmark, measure)
