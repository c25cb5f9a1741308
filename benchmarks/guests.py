"""What it costs to play with what others have written: a decision of a process, a thousand games
of a Python class, a compiled player outside the project; what becomes of those that misbehave."""

import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import agents
from agents.course.hosted import Host
from agents.new import TEMPLATE
from agents.player import Player, PlayerError
from agents.process import MARK
from agents.program import HouseRules
from agents.template import Greedy
from arena.match import play_match
from benchmarks.measure import best_rate
from benchmarks.misbehaving import misbehaving, write_bot
from benchmarks.table import Figures
from console.command import run_command
from console.config import Config, option
from console.progress import Progress
from engine.position import Position

TRIVIAL = """
class Trivial:
    def __init__(self, game):
        self.game = game

    def choose_piece(self):
        board = self.game.get_board_status()
        return next(piece for piece in range(16) if piece not in board)

    def place_piece(self):
        board = self.game.get_board_status()
        return next((c, r) for r in range(4) for c in range(4) if board[r, c] < 0)
"""
DECISIONS, GAMES = 20_000, 1000
# Games of each program that misbehaves, for either answer to a failure.
FEW = 4


@dataclass(kw_only=True)
class GuestsConfig(Config):
    """How many programs misbehave."""

    misbehaving: int = option(0, "so many programs that misbehave, and nothing else", least=0)


def positions_of_a_game() -> list[Position]:
    """Of a random game of the usual length, twelve pieces."""
    players = agents.make("random"), agents.make("random")
    moves = play_match(*players, 1, 100, record=True).moves
    assert moves is not None
    usual = next(row for row in moves if np.count_nonzero(row >= 0) == 24)
    positions, position = [], Position.start()
    for move in usual[usual >= 0].tolist():
        positions.append(position)
        position = position.play(move)
    return positions


def seconds_a_decision(decide: Callable[[Position], object], new: Callable[[], object]) -> float:
    """Mean over whole games, without what begins a game."""
    positions, spent, done = positions_of_a_game(), 0.0, 0
    while done < DECISIONS:
        new()
        started = time.perf_counter()
        for position in positions:
            decide(position)
        spent += time.perf_counter() - started
        done += len(positions)
    return spent / done


def decide_with(player: Player) -> Callable[[Position], int]:
    return lambda position: (player.give if position.hand < 0 else player.place)(position)


def cost_of_a_process(figures: Figures, folder: Path) -> None:
    """Whole decisions, beside the same class asked in this process, in the same game."""
    (folder / "trivial.py").write_text(TRIVIAL)
    host = Host(folder / "trivial.py", "Trivial", "")

    def own(position: Position) -> None:
        words = position.to_text().split()
        host.follow(words[0].replace("/", ""), words[1])
        getattr(host, "give" if position.hand < 0 else "place")()

    player = agents.make(f"{folder}/trivial.py:Trivial")
    there = seconds_a_decision(decide_with(player), lambda: player.new_game(1))
    here = seconds_a_decision(own, lambda: host.new(1))
    text = f"{1e6 * there:.1f} us"
    figures.add("a decision of a Python class in its process", text, "", f"{1e6 * here:.1f} us")
    figures.add("  what the process costs", f"{1e6 * (there - here):.1f} us", "at most 60 us")
    bot = agents.make(write_bot(folder / "bot"))
    spent = seconds_a_decision(decide_with(bot), lambda: bot.new_game(1))
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
    rates = {}
    for player in (outside, inside):
        play_match(player, other, 1, 2)

        def games(count: int, player: Player = player) -> None:
            play_match(player, other, 1, count)

        rates[player] = best_rate(games)
    what = "games/s of a compiled player outside, and inside"
    figures.compare(what, rates[outside] / 1e6, rates[inside] / 1e6, "M/s", "within 5 %")


def left_behind() -> list[int]:
    """Processes that programs of this one have started, and that are still there."""
    mark = f"{MARK}={os.getpid()}-".encode()
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in file.read_bytes():
                found.append(int(file.parent.name))
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
    print(f"processes left behind: {len(left_behind())}")
    print(f"memory after a tenth of them {first} MiB, after all {memory()} MiB")


def measure(config: GuestsConfig) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if config.misbehaving:
            play_with_all(config, folder)
            return
        figures = Figures()
        cost_of_a_process(figures, folder)
        thousand_games(figures, folder)
        compiled_players(figures, folder)


def main(arguments: list[str] | None = None) -> int:
    return run_command("benchmarks.guests", __doc__, GuestsConfig, measure, arguments)


if __name__ == "__main__":
    sys.exit(main())
