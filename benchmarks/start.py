"""The first minute: seconds to the help of a command, to a first sign of life, to a result, and to
the prompt after Ctrl-C."""

import os
import pty
import re
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from statistics import median
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from tempfile import TemporaryDirectory

from benchmarks.measure import Figures, Outside, process_seconds
from cli import COMMANDS
from console.command import run_command
from console.config import option

MORE = ("oracle.testset", "engine.perft")
EVERY = [*(command.module for command in COMMANDS.values()), *MORE]
CUP = ("-m", "arena.run", "random", "rulebased", "pro", "--games", "200", "--store")
PLAY = ("-m", "terminal", "random", "random", "--games")
GAMES = 20_000_000  # of random against random
PROGRESS = r"\d+ (of \d+ )?generation"
MOST_SECONDS = 300.0  # for a first line of progress
# interrupted once they are at work
LONG = (
    "evo.run --generations 100000 --store {}/evo",
    "arena.run pro evolved --games 10000000 --store {}/cup",
    "terminal pro pro --games 100000000",
    "selfplay.run --games 100000000 --store {}/rl",
    "selfplay.fit.dataset --positions 1000000 --store {}/data",
    "engine.solve",
)


@dataclass(kw_only=True)
class StartConfig(Outside):
    tries: int = option(3, "measurements, of which the best counts", least=1)
    commands: int = option(99, "commands whose help is measured, at most", least=1)
    generations: int = option(200, "generations of the evolution", least=1)
    wait: float = option(60.0, "seconds to wait for an answer to Ctrl-C", least=1)


def start(cache: str, *arguments: str, stderr: int = DEVNULL) -> Popen:
    return Popen(
        [sys.executable, *arguments],
        env={**os.environ, "XDG_CACHE_HOME": cache},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=stderr,
        text=True,
    )


def end(process: Popen, most: float) -> float:
    """Return the seconds to the answer to Ctrl-C; a process that does not answer is killed."""
    started = time.perf_counter()
    with process:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=most)
        except TimeoutExpired:
            process.kill()
    return time.perf_counter() - started


def seconds_until(pattern: str, cache: str, *arguments: str) -> float:
    """Return the seconds until a terminal shows this pattern; then end the command."""
    here, there = pty.openpty()
    started, shown = time.perf_counter(), ""
    process = start(cache, *arguments, stderr=there)
    os.close(there)
    while not re.search(pattern, shown) and time.perf_counter() - started < MOST_SECONDS:
        # the terminal ends with the command
        with suppress(OSError):
            if select.select([here], [], [], 0.05)[0]:
                shown += os.read(here, 4096).decode(errors="replace")
    seconds = time.perf_counter() - started
    end(process, MOST_SECONDS)
    os.close(here)
    return seconds


def cpu_seconds(cache: str, *arguments: str) -> float:
    """Return the CPU seconds of a command and its children."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    process_seconds(cache, *arguments)
    return spent() - before


def measure_help(figures: Figures, config: StartConfig, cache: str) -> None:
    """Cold: with an empty cache."""

    def cold(module: str) -> float:
        with TemporaryDirectory() as empty:
            return process_seconds(empty, "-m", module, "--help")

    def warm(module: str) -> float:
        process_seconds(cache, "-m", module, "--help")
        return min(process_seconds(cache, "-m", module, "--help") for _ in range(config.tries))

    modules = EVERY[: config.commands]
    for name, work in (("cold", cold), ("warm", warm)):
        seconds = [work(module) for module in modules]
        what = f"--help of {len(modules)} commands, {name}"
        figures.add(f"{what}: the slowest", f"{max(seconds):.2f} s", "0.5 s")
        figures.add("  the median", f"{median(seconds):.2f} s")


def measure_tournament(figures: Figures, config: StartConfig, cache: str, home: str) -> None:
    process_seconds(cache, *CUP, f"{home}/finished")
    new = [process_seconds(cache, *CUP, f"{home}/cup-{one}") for one in range(config.tries)]
    again = [process_seconds(cache, *CUP, f"{home}/finished") for _ in range(config.tries)]
    what = "arena.run random rulebased pro --games 200"
    figures.add(f"{what}, warm", f"{min(new):.2f} s", "2 s")
    figures.add("  the same, finished already", f"{min(again):.2f} s", "1 s")


def measure_evolution(figures: Figures, config: StartConfig, cache: str, home: str) -> None:
    line = ("-m", "evo.run", "--generations", str(config.generations), "--store")
    with TemporaryDirectory() as empty:
        first = seconds_until(PROGRESS, empty, *line, f"{home}/cold")
    figures.add("evo.run, cold, to the first line of progress", f"{first:.1f} s", "12 s")
    process_seconds(cache, "-m", "evo.run", "--generations", "2", "--store", f"{home}/first")
    seconds = process_seconds(cache, *line, f"{home}/warm")
    figures.add(f"evo.run --generations {config.generations}, warm", f"{seconds:.1f} s")


def measure_interrupts(figures: Figures, config: StartConfig, cache: str, home: str) -> None:
    def interrupted(command: str, after: float) -> float:
        with TemporaryDirectory(dir=home) as folder:
            process = start(cache, "-m", *command.format(folder).split())
            time.sleep(after)
            return end(process, config.wait)

    slowest = max(interrupted(command, after) for command in LONG for after in (0.3, 2, 8))
    text = f"> {config.wait:g} s" if slowest >= config.wait else f"{slowest:.2f} s"
    figures.add(f"Ctrl-C to prompt, {len(LONG)} commands, the slowest", text, "1 s")


def measure_random(figures: Figures, config: StartConfig, cache: str) -> None:
    def rate(_: int) -> float:
        cpu_seconds(cache, *PLAY, "2")
        spent = cpu_seconds(cache, *PLAY, str(GAMES)) - cpu_seconds(cache, *PLAY, "2")
        return GAMES / spent / 1e6

    there = config.figure(r"^table +([\d.]+)", "playouts")
    best = max(map(rate, range(config.tries)))
    target = ">= 0.5" if there else ""
    figures.compare("random v random through players", best, there, "M/s", target)


def measure(config: StartConfig) -> None:
    with TemporaryDirectory() as home:
        figures, cache = Figures(), f"{home}/cache"
        measure_help(figures, config, cache)
        parts: list[Callable[[Figures, StartConfig, str, str], None]]
        parts = [measure_tournament, measure_evolution, measure_interrupts]
        for part in parts:
            part(figures, config, cache, home)
        measure_random(figures, config, cache)


main = partial(run_command, "benchmarks.start", __doc__, StartConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
