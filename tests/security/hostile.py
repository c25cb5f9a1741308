"""Hostile runs, read by every command and page that reads a run.

    python -m tests.security.hostile                     600 variants: about ten minutes
    python -m tests.security.hostile --variants 8000     all variants

For any contents of a run, a reader must execute nothing that the run names, write nothing outside
of it, end without a traceback, send no escape sequence to the terminal, hide no other run, and use
less than 1 GB. Each variant is read in its own process, so that a crash or a hang is a failure.
"""

import os
import pickle
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from console.command import command
from console.config import Config, option
from tests.security.genuine import make_runs
from tests.security.readers import HEAVY, Case, Reader, every_reader
from tests.security.stored_variants import Place
from tests.security.variants import Variant, choose, every_variant
from tests.web.serving import serving

MAX_MEMORY = 1e9  # bytes
MAX_SECONDS = 300  # for one variant
LISTS = ("cli.runs FOLDER", "cli.show FOLDER", "/api/runs")


class Hostile(Config):
    variants: int = option(600, "number of variants, drawn with the seed", least=1)
    seed: int = option(0, "seed of the draw")
    quick: bool = option(False, "skip the readers that take seconds")


class Failure(NamedTuple):
    variant: str
    reader: str
    problem: str


def check(variant: Variant, case: Case, readers: list[Reader]) -> list[Failure]:
    """Return the failures of the readers, one after the other on the same files."""
    failures, before = [], everything(case)
    for reader in readers:
        problem = problem_of(reader, case)
        if case.place.mark.exists():
            case.place.mark.unlink()
            problem = f"executed what the run names; {problem}"
        if (after := everything(case)) != before:
            changed = [name for name in {**before, **after} if after.get(name) != before.get(name)]
            problem, before = f"wrote outside the run: {changed}; {problem}", after
        if problem:
            failures.append(Failure(f"{variant.kind}: {variant.what!r}", reader.name, problem))
    return failures


def problem_of(reader: Reader, case: Case) -> str:
    try:
        done = reader.ask(case)
    except Exception:
        return traceback.format_exc(limit=-4)
    finally:
        remove(case.out)
    if done.code not in (0, 1, 2) or "Traceback" in done.out + done.err:
        return f"ended with {done}"
    if any(character in done.out + done.err for character in "\x1b\x07"):
        return "sent an escape sequence"
    if reader.name in LISTS and "honest" not in done.out:
        return f"hides other runs: {done.err[-300:]}"
    return ""


def everything(case: Case) -> dict[str, tuple[int, int, int]]:
    """Return inode, size and time of change of every file outside the run: they must not change."""
    folders = (case.place.victim.parent, case.other, case.folder / "honest")
    files = (file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file())
    # readers may write page and lock of a run that the hostile one links to
    others = [file for file in files if file.name not in ("report.html", ".lock")]
    stats = {str(file): file.lstat() for file in others}
    return {name: (s.st_ino, s.st_size, s.st_mtime_ns) for name, s in stats.items()}


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def prepare(variant: Variant, runs: dict[str, Path], scratch: Path) -> Case:
    """Write the variant, an honest run, and the unchanged run; return where they are."""
    folder, outside = scratch / "folder", scratch / "outside"
    for name, kind in (("run", variant.kind), ("other", variant.kind), ("honest", "sequential")):
        shutil.copytree(runs[kind], folder / name)
    outside.mkdir()
    (outside / "victim").write_text("precious")
    place = Place(folder / "run", outside / "victim", outside / "mark")
    return Case(place, variant.change(place) or place.run, folder / "other", scratch / "out")


def check_variant(
    variant: Variant, runs: dict[str, Path], scratch: Path, readers: list[Reader]
) -> tuple[list[Failure], int]:
    """Return the failures and the peak memory of the readers in bytes."""
    case = prepare(variant, runs, scratch)
    pa.default_memory_pool().release_unused()
    # reset the peak
    Path("/proc/self/clear_refs").write_text("5")
    with serving(case.folder) as server:
        failures = check(variant, case._replace(server=server), readers)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = 1024 * int(next(line for line in status if line.startswith("VmHWM")).split()[1])
    if peak > MAX_MEMORY:
        name = f"{variant.kind}: {variant.what!r}"
        failures.append(Failure(name, "all", f"took {peak / 1e6:.0f} MB of memory"))
    return failures, peak


def in_child(do: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a call in a forked process. Raise ChildProcessError if it crashes or
    hangs."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(do(*arguments), pipe)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    data, ends = b"", time.monotonic() + MAX_SECONDS
    with os.fdopen(reading, "rb") as pipe:
        while select.select([pipe], [], [], max(0.0, ends - time.monotonic()))[0]:
            if not (part := os.read(pipe.fileno(), 2**16)):
                break
            data += part
        else:
            os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise ChildProcessError(f"ended with {code}")
    return pickle.loads(data)


def take_through(
    variant: Variant, runs: dict[str, Path], readers: list[Reader]
) -> tuple[list[Failure], int]:
    """Check one variant with all readers, in a child process."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            return in_child(check_variant, variant, runs, Path(scratch), readers)
        except ChildProcessError as error:
            return [Failure(f"{variant.kind}: {variant.what!r}", "all", str(error))], 0


def readers_of_nothing(readers: list[Reader], runs: dict[str, Path]) -> list[Failure]:
    """Return a failure for each reader that reads no genuine run, since it would pass all variants.
    Modules that the readers import here are loaded for all children."""
    failures = []
    for reader in (reader for reader in readers if not reader.name.startswith("/")):
        for kind in runs:
            with tempfile.TemporaryDirectory() as scratch:
                genuine = Variant(kind, "genuine", lambda place: None)
                if reader.ask(prepare(genuine, runs, Path(scratch))).code == 0:
                    break
        else:
            failures.append(Failure("genuine runs", reader.name, "reads none of them"))
    return failures


def work(config: Hostile) -> int:
    started, peak = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        runs = make_runs(Path(folder))
        readers = [r for r in every_reader() if not (config.quick and r.module in HEAVY)]
        failures, every = readers_of_nothing(readers, runs), every_variant(runs)
        chosen = choose(every, config.variants, config.seed)
        for variant in chosen:
            new_failures, memory = take_through(variant, runs, readers)
            failures, peak = failures + new_failures, max(peak, memory)
    for failure in failures:
        print("\n".join(failure), end="\n\n", file=sys.stderr)
    print(
        f"{len(chosen)} of {len(every):,} variants x {len(readers)} readers: "
        f"{len(chosen) * len(readers):,} checks, {len(failures)} failures, "
        f"peak {peak / 1e6:.0f} MB, {time.monotonic() - started:.0f} s"
    )
    return bool(failures)


main = command("tests.security.hostile", __name__, __doc__, Hostile, work)
