"""The first minute: how long one waits for help, for a first sign of life, for a result, and for
the prompt after Ctrl-C. With --before the same of an older checkout, by turns in one run."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.checkout import Checkout
from benchmarks.outside import Outside
from benchmarks.table import Table, percent
from cli import COMMANDS
from console.command import run_command
from console.config import option
from console.errors import BadInput

ROOT = Path(__file__).resolve().parent.parent
MORE = ("oracle.testset", "engine.perft")
EVERY = [*(command.module for command in COMMANDS.values()), *MORE]
CUP = ("-m", "arena.run", "random", "rulebased", "pro", "--games", "200", "--store")
PLAY = ("-m", "terminal", "random", "random", "--games")
GAMES = 20_000_000  # of random against random
PROGRESS = r"\d+ (of \d+ )?generation|generation \d"  # as this version shows it, and older ones
# what is interrupted, once it is at work
LONG = (
    "evo.run --generations 100000 --store {}/evo",
    "arena.run pro evolved --games 10000000 --store {}/cup",
    "terminal pro pro --games 100000000",
    "selfplay.run --games 100000000 --store {}/rl",
    "selfplay.fit.dataset --positions 1000000 --store {}/data",
    "engine.solve",
)
# the share of both cores that is inside kernels, from the start of Python to the end
SHARE = """
import sys, time
import evo.recorder, evo.run
made, init = [], evo.recorder.Recorder.__init__
def remember(self, *arguments):
    init(self, *arguments)
    made.append(self)
evo.recorder.Recorder.__init__ = remember
evo.run.main(["--generations", sys.argv[1], "--fresh", "2", "--store", sys.argv[2], "--json"])
print(made[0].busy)
"""


@dataclass(kw_only=True)
class StartConfig(Outside):
    before: str | None = option(None, "folder of an older checkout", metavar="CHECKOUT")
    tries: int = option(3, "the best of so many counts", least=1)
    commands: int = option(99, "whose help is asked for, at most", least=1)
    generations: int = option(200, "of the evolution", least=1)
    wait: float = option(60.0, "seconds after which an answer to Ctrl-C is not waited for", least=1)

    def check(self) -> None:
        super().check()
        if self.before is not None and not (Path(self.before) / "evo").is_dir():
            raise BadInput(f"--before {self.before}: holds no checkout of this project")


class Sides:
    """This checkout, and the older one if there is one, measured by turns."""

    def __init__(self, config: StartConfig, home: Path):
        folders = [Path(config.before).resolve()] if config.before else []
        self.config, self.home, self.runs = config, home, 0
        self.checkouts = [
            Checkout(folder, str(home / f"cache-{i}")) for i, folder in enumerate([*folders, ROOT])
        ]
        columns = [("before", 14)] * len(folders) + [("now", 14)]
        self.table = Table(("what", -62), *columns, (" target", -1))

    def add(self, what: str, cells: Iterable[str], target: str = "") -> None:
        self.table.row(what, *cells, f" {target}")

    def folder(self) -> str:
        """One that nobody has used."""
        self.runs += 1
        return str(self.home / f"run-{self.runs}")

    def best(self, work: Callable[[Checkout], float]) -> list[float]:
        tries = [[work(side) for side in self.checkouts] for _ in range(self.config.tries)]
        return [min(column) for column in zip(*tries, strict=True)]


def seconds(figures: Iterable[float], digits: int = 2) -> list[str]:
    return [f"{figure:.{digits}f} s" for figure in figures]


def measure_help(sides: Sides) -> None:
    """Cold: of a cache that is empty."""
    every = [module for module in EVERY if all(side.has(module) for side in sides.checkouts)]
    every = every[: sides.config.commands]

    def cold(module: str, side: Checkout) -> float:
        with TemporaryDirectory() as empty:
            return Checkout(side.folder, empty).run("-m", module, "--help").seconds

    def warm(module: str, side: Checkout) -> float:
        return side.run("-m", module, "--help").seconds

    for name, work in (("cold", cold), ("warm", warm)):
        # of the warm ones the first may compile: it is not the best
        tries = 1 if name == "cold" else 1 + sides.config.tries
        times = [[min(work(m, s) for _ in range(tries)) for s in sides.checkouts] for m in every]
        columns = list(zip(*times, strict=True))
        what = f"--help of {len(every)} commands, {name}"
        sides.add(f"{what}: the slowest", seconds(map(max, columns)), "0.5 s")
        sides.add("  the median", seconds(map(median, columns)))


def measure_evolution(sides: Sides) -> None:
    generations = str(sides.config.generations)

    def first_line(side: Checkout) -> float:
        with TemporaryDirectory() as empty:
            cold = Checkout(side.folder, empty)
            line = ("-m", "evo.run", "--generations", generations, "--store", sides.folder())
            return cold.until(PROGRESS, *line, most=300.0)

    first = map(first_line, sides.checkouts)
    sides.add("evo.run, cold, to the first line of progress", seconds(first, 1), "12 s")
    took = []
    for side in sides.checkouts:
        side.run("-c", SHARE, "2", sides.folder())
        one = side.run("-c", SHARE, generations, sides.folder())
        took.append((one.seconds, float(one.out.split()[-1]) / one.seconds / 2))
    what = f"evo.run --generations {generations}, warm"
    sides.add(what, seconds((whole for whole, _ in took), 1))
    shares = [f"{percent(share, 0)} %" for _, share in took]
    sides.add("  two cores inside kernels", shares, "90 %")


def measure_tournament(sides: Sides) -> None:
    finished = {side: sides.folder() for side in sides.checkouts}
    for side, folder in finished.items():
        side.run(*CUP, folder)
    figures = sides.best(lambda side: side.run(*CUP, sides.folder()).seconds)
    what = "arena.run random rulebased pro --games 200"
    sides.add(f"{what}, warm", seconds(figures), "2 s")
    figures = sides.best(lambda side: side.run(*CUP, finished[side]).seconds)
    sides.add("  the same, finished already", seconds(figures), "1 s")


def measure_interrupts(sides: Sides) -> None:
    most = sides.config.wait

    def worst(side: Checkout) -> str:
        commands = [line.format(sides.folder()).split() for line in LONG]
        times = [
            side.interrupted(after, most, "-m", *line) for line in commands for after in (0.3, 2, 8)
        ]
        return f"> {most:g} s" if max(times) >= most else f"{max(times):.2f} s"

    what = f"Ctrl-C to prompt, {len(LONG)} commands, the slowest"
    sides.add(what, map(worst, sides.checkouts), "1 s")


def measure_random(sides: Sides) -> None:
    def rate(side: Checkout) -> float:
        side.run(*PLAY, "2")
        spent = side.run(*PLAY, str(GAMES)).cpu - side.run(*PLAY, "2").cpu
        return -GAMES / spent / 1e6

    rates = [-figure for figure in sides.best(rate)]
    sides.add("random v random through players", [f"{figure:.2f} M/s" for figure in rates])
    there = sides.config.figure(r"^table +([\d.]+)", "playouts")
    if there:
        shares = [f"{figure / there:.2f}" for figure in rates]
        sides.add(f"  of the yardstick's {there:.2f} M/s", shares, "0.5")


def measure(config: StartConfig) -> None:
    with TemporaryDirectory() as home:
        sides = Sides(config, Path(home))
        measure_help(sides)
        measure_tournament(sides)
        measure_evolution(sides)
        measure_interrupts(sides)
        measure_random(sides)


main = partial(run_command, "benchmarks.start", __doc__, StartConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
