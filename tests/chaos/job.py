"""A job that is restarted under changing faults until it is done, and the check of its result."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracle import curve
from store import Run
from store.folder import TEMPORARY
from store.parts import PREFIX
from tests.chaos.faults import REQUEST, Event, Injector, Plan, events, torn_file
from tests.moody import MOODS, moody_server

ROOT = Path(__file__).resolve().parents[2]
LAUNCH_SECONDS = 180  # before a launch counts as hanging
MAX_LAUNCHES = 100
BUCKET = "chaos"
TORN = torn_file.__name__
ONE_AT_A_TIME = threading.Lock()  # the address of the S3 server is in the environment
Report = Callable[[str, Event], None]


class Broken(Exception):
    """A result that no fault may cause."""


def contents(run: Run, without: Collection[str] = ()) -> dict:
    steps = [step for step in run.steps() if step not in without]
    return {step: run.read(step).to_pydict() for step in steps}


@dataclass
class Job:
    name: str
    words: list[str]
    workers: int = 0
    remote: bool = False

    def command(self, store: str) -> list[str]:
        return [*self.words, "--workers", str(self.workers), "--store", store]

    def undisturbed(self, folder: Path) -> dict:
        """Return the tables of an undisturbed run, made once for each command."""
        store = folder / "undisturbed" / self.words[0] / str(abs(hash(tuple(self.words))))
        if not store.exists():
            alone = replace(self, workers=0).command(str(store))
            done = subprocess.run(
                [sys.executable, "-m", *alone], cwd=ROOT, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
        return contents(Run(str(store)))

    def survive(self, folder: Path, number: int, plan: Plan, report: Report) -> int:
        """Run the job under faults and return the number of launches. Raise Broken if its result is
        not that of an undisturbed run."""
        folder.mkdir()
        log = folder / "log"
        log.touch()
        server = Injector(replace(plan, launch=number, log=str(log)))

        def temper(method: str, path: str) -> str:
            mood = server.draw(REQUEST, MOODS)
            server.log(Event(REQUEST, mood, path))
            return mood

        with moody_server(BUCKET, temper) if self.remote else nullcontext({}) as environment:
            store = f"s3://{BUCKET}/{number}" if self.remote else str(folder / "run")
            for launch in range(MAX_LAUNCHES):
                before = len(events(log))
                plan = replace(plan, launch=1000 * number + launch, log=str(log))
                done = self.launch(store, environment | plan.to_environment())
                new_events = events(log)[before:]
                for event in new_events:
                    report(f"{self.name} {number}", event)
                if done.returncode == 0:
                    # no faults while the result is checked
                    server.plan.rate = 0.0
                    torn = {Path(e.path).stem for e in events(log) if e.fault == TORN}
                    # a job reads no earlier point of its learning curve: its reader names the file
                    unread = {step for step in torn if step.startswith(curve.STEP)}
                    self.check(store, environment, folder, unread)
                    shutil.rmtree(folder)
                    return launch + 1
                repair(done, new_events, {e.path for e in events(log) if e.fault == TORN})
        raise Broken(f"not done after {MAX_LAUNCHES} launches")

    def start(self, store: str, environment: dict[str, str]) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.victim", *self.command(store)],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def launch(self, store: str, environment: dict[str, str]) -> subprocess.CompletedProcess:
        return end_of(self.start(store, environment))

    def check(
        self, store: str, environment: dict[str, str], folder: Path, unread: Collection[str]
    ) -> None:
        with ONE_AT_A_TIME:
            os.environ.update(environment)
            run = Run(store)
        names = [info.base_name for info in run.folder.infos()]
        left = [name for name in names if name.startswith((TEMPORARY, PREFIX))]
        if left:
            raise Broken(f"left over: {left}")
        tables = contents(run, unread)
        whole = self.undisturbed(folder.parent)
        expected = {step: table for step, table in whole.items() if step not in unread}
        if tables.keys() != expected.keys():
            raise Broken(f"other steps: {sorted(tables.keys() ^ expected.keys())}")
        different = [step for step, table in expected.items() if tables[step] != table]
        if different:
            raise Broken(f"other rows: {different}")


def end_of(process: subprocess.Popen) -> subprocess.CompletedProcess:
    """Wait for a launch. Raise Broken if it hangs."""
    try:
        out, err = process.communicate(timeout=LAUNCH_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise Broken(f"hangs: {err[-300:]}") from None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def repair(done: subprocess.CompletedProcess, new_events: list[Event], torn: set[str]) -> None:
    """Do what a user does before running the command again: delete a torn file if the program named
    it. Raise Broken if no fault explains how the launch ended."""
    faults = {event.fault for event in new_events}
    error_lines = done.stderr.strip().splitlines()
    last = error_lines[-1] if error_lines else ""
    if done.returncode == -signal.SIGKILL and faults & {"kill", TORN}:
        return
    if done.returncode in (1, 2) and "Traceback" not in done.stderr:
        if "full_disk" in faults and "No space left" in last:
            return
        for path in torn:
            if f"{path}: is damaged" in last:
                Path(path).unlink()
                return
    raise Broken(f"ended with {done.returncode}: {' '.join(error_lines[-3:])[-400:]}")


SMALL = ["--population", "12", "--offspring", "12", "--games", "20", "--fresh", "20"]
EVOLUTION = ["evo.run", "--generations", "12", *SMALL]
ISLANDS = ["evo.run", "--islands", "3", "--epoch", "3", "--generations", "9", *SMALL]
SELFPLAY = ["selfplay.run", "--games", "2000", "--round", "250", "--size", "2000", "--tests", "20"]
TOURNAMENT = ["arena.run", "random", "rulebased", "dumb", "pro", "--games", "200", "--record"]
WORK = {"evolution": EVOLUTION, "islands": ISLANDS, "self-play": SELFPLAY, "tournament": TOURNAMENT}
PLACES: dict[str, dict[str, Any]] = {"": {}, "-s3": {"remote": True}, "-ray": {"workers": 2}}
# in this order, so that the first four already have each kind of job and of place
JOBS = {
    name + place: Job(name + place, WORK[name], **PLACES[place])
    for shift in range(3)
    for name, place in zip(WORK, (list(PLACES) * 3)[shift:], strict=False)
}
