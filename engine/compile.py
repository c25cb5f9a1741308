"""Compilation of every kernel, on all cores, so that no later command waits for the compiler.

    python -m engine.compile

Kernels are compiled when they are first used and cached on disk. This command compiles all of them
at once: before the tests, on a machine that joins a cluster, or before a demonstration. A kernel is
compiled after those that it calls, so that none is compiled twice.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import redirect_stderr
from multiprocessing import get_context

from console.command import command
from console.config import Config, option
from console.progress import Progress
from engine.jit.kernel import Kernel

# Packages with kernels. They are imported by name, since engine may not depend on most of them.
PACKAGES = ("engine", "agents", "arena", "oracle", "selfplay", "envs")
# the module of a kernel and its name there
Name = tuple[str, str]


class CompileConfig(Config):
    processes: int = option(0, "processes that compile; 0: one per core", least=0, metavar="N")


def kernels() -> Iterator[tuple[Name, Kernel]]:
    """Yield every kernel of the project with its name."""
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        for info in pkgutil.walk_packages(path, f"{package}."):
            # not commands, nor the classes that course players import
            if info.name.endswith("__main__") or ".course" in info.name:
                continue
            module = importlib.import_module(info.name)
            for name, value in vars(module).items():
                if type(value) is Kernel and value.py_func.__module__ == info.name:
                    yield (info.name, name), value


def cold_kernels() -> dict[Name, set[Name]]:
    """Return the kernels that are not on disk, each with the cold kernels that it calls."""
    from engine.jit.compiler import needed

    cold = {name: kernel.made for name, kernel in kernels() if kernel.is_cold}
    names = {dispatcher: name for name, dispatcher in cold.items()}
    return {
        name: {names[callee] for callee in needed(dispatcher) if callee in names} - {name}
        for name, dispatcher in cold.items()
    }


def compile_kernel(name: Name) -> Name:
    """Compile one kernel, in a process of the pool, and return its name."""
    module, attribute = name
    with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
        getattr(importlib.import_module(module), attribute).ready()
    return name


def compile_all(processes: int = 0) -> int:
    """Compile every kernel that is not on disk; return how many there were."""
    waiting = cold_kernels()
    total = len(waiting)
    if not total:
        return 0
    with (
        ProcessPoolExecutor(processes or os.cpu_count(), get_context("spawn")) as pool,
        Progress("compiling", "kernels", total) as progress,
    ):
        progress.show(0)
        done: set[Name] = set()
        running: set[Future[Name]] = set()
        while len(done) < total:
            for name in [name for name, calls in waiting.items() if calls <= done]:
                del waiting[name]
                running.add(pool.submit(compile_kernel, name))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            done |= {future.result() for future in finished}
            progress.show(len(done))
    return total


def compile_and_report(config: CompileConfig) -> None:
    count = compile_all(config.processes)
    print(f"{count} kernels compiled" if count else "all kernels are compiled already")


main = command("engine.compile", __name__, __doc__, CompileConfig, compile_and_report)
