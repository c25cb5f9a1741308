"""The first minute: seconds to the help of a command, to the first line of progress, to a result,
and from Ctrl-C to the prompt."""

import os
import pty
import re
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from statistics import median
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from tempfile import TemporaryDirectory

from benchmarks.measure import TRIES, Figures, process_seconds
from cli import COMMANDS
from console.command import run_command
from console.config import Config, option

MODULES = [*(command.module for command in COMMANDS.values()), "oracle.testset", "engine.perft"]
CUP = ("-m", "arena.run", "random", "rulebased", "pro", "--games", "200", "--store")
PROGRESS = r"\d+ (of \d+ )?generation"
TIMEOUT = 300.0  # seconds to wait for the first line of progress
# long jobs, interrupted while they work
LONG = (
    "evo.run --generations 100000 --store {}/evo",
    "arena.run pro evolved --games 10000000 --store {}/cup",
    "terminal pro pro --games 100000000",
    "selfplay.run --games 100000000 --store {}/rl",
    "selfplay.fit.dataset --positions 1000000 --store {}/data",
    "engine.solve",
)


@dataclass(kw_only=True)
class StartConfig(Config):
    tries: int = option(TRIES, "measurements, of which the best counts", least=1)
    commands: int = option(99, "commands whose help is measured, at most", least=1)
    generations: int = option(200, "generations of the evolution", least=1)
    wait: float = option(60.0, "seconds to wait for an answer to Ctrl-C", least=1)


def start(cache: str, *arguments: str, stderr: int = DEVNULL) -> Popen:
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    line = [sys.executable, *arguments]
    return Popen(line, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=stderr, text=True)


def end(process: Popen, timeout: float) -> float:
    """Send Ctrl-C and return the seconds until the process ends; kill it after the timeout."""
    started = time.perf_counter()
    with process:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=timeout)
        except TimeoutExpired:
            process.kill()
    return time.perf_counter() - started


def seconds_until(pattern: str, cache: str, *arguments: str) -> float:
    """Return the seconds until a terminal shows this pattern; then end the command."""
    here, there = pty.openpty()
    started, shown = time.perf_counter(), ""
    process = start(cache, *arguments, stderr=there)
    os.close(there)
    while not re.search(pattern, shown) and time.perf_counter() - started < TIMEOUT:
        # OSError: the command, and with it the terminal, has ended
        with suppress(OSError):
            if select.select([here], [], [], 0.05)[0]:
                shown += os.read(here, 4096).decode(errors="replace")
    seconds = time.perf_counter() - started
    end(process, TIMEOUT)
    os.close(here)
    return seconds


def measure_help(figures: Figures, config: StartConfig, cache: str) -> None:
    def help_seconds(folder: str, module: str) -> float:
        return process_seconds(folder, "-m", module, "--help")

    def cold(module: str) -> float:
        with TemporaryDirectory() as empty:
            return help_seconds(empty, module)

    def warm(module: str) -> float:
        return min(help_seconds(cache, module) for _ in range(config.tries + 1))

    modules = MODULES[: config.commands]
    for name, work in (("cold", cold), ("warm", warm)):
        seconds = [work(module) for module in modules]
        what = f"--help of {len(modules)} commands, {name}"
        figures.add(f"{what}: the slowest", f"{max(seconds):.2f} s", "0.5 s")
        figures.add("  the median", f"{median(seconds):.2f} s")


def measure_tournament(figures: Figures, config: StartConfig, cache: str, home: str) -> None:
    process_seconds(cache, *CUP, f"{home}/finished")
    new = [process_seconds(cache, *CUP, f"{home}/cup-{i}") for i in range(config.tries)]
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


def measure(config: StartConfig) -> None:
    with TemporaryDirectory() as home:
        figures, cache = Figures(), f"{home}/cache"
        measure_help(figures, config, cache)
        measure_tournament(figures, config, cache, home)
        measure_evolution(figures, config, cache, home)
        measure_interrupts(figures, config, cache, home)


main = partial(run_command, "benchmarks.start", __doc__, StartConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
