"""A job that is started again, under other faults, until it is done; and what must be true then."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from store import Run
from store.folder import TEMPORARY
from store.parts import PREFIX
from tests.chaos.faults import REQUEST, Event, Injector, Plan, events, torn_file
from tests.moody import MOODS, moody_server

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180  # that a launch may take
LAUNCHES = 100  # that a job may take
BUCKET = "chaos"
TORN = torn_file.__name__
ONE_AT_A_TIME = threading.Lock()  # where a store is comes from the environment
Tell = Callable[[str, Event], None]


class Broken(Exception):
    """What no fault may bring about."""


def contents(run: Run) -> dict:
    return {step: run.read(step).to_pydict() for step in run.steps()}


@dataclass
class Job:
    name: str
    words: list[str]
    workers: int = 0
    remote: bool = False

    def command(self, store: str) -> list[str]:
        return [*self.words, "--workers", str(self.workers), "--store", store]

    def undisturbed(self, folder: Path) -> dict:
        """The tables, made once for all jobs of these words."""
        store = folder / "undisturbed" / self.words[0] / str(abs(hash(tuple(self.words))))
        if not store.exists():
            alone = replace(self, workers=0).command(str(store))
            done = subprocess.run(
                [sys.executable, "-m", *alone], cwd=ROOT, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
        return contents(Run(str(store)))

    def survive(self, folder: Path, number: int, plan: Plan, tell: Tell) -> int:
        """The launches that it took; Broken if something is not as it should be."""
        folder.mkdir()
        log = folder / "log"
        log.touch()
        server = Injector(replace(plan, launch=number, log=str(log)))

        def temper(method: str, path: str) -> str:
            mood = server.draw(REQUEST, MOODS)
            server.tell(Event(REQUEST, mood, path))
            return mood

        with moody_server(BUCKET, temper) if self.remote else nullcontext({}) as environment:
            store = f"s3://{BUCKET}/{number}" if self.remote else str(folder / "run")
            for launch in range(LAUNCHES):
                before = len(events(log))
                plan = replace(plan, launch=1000 * number + launch, log=str(log))
                done = self.launch(store, environment | plan.to_environment())
                told = events(log)[before:]
                for event in told:
                    tell(f"{self.name} {number}", event)
                if done.returncode == 0:
                    # what was asked of S3 from here on is our own looking
                    server.plan.rate = 0.0
                    self.check(store, environment, folder)
                    shutil.rmtree(folder)
                    return launch + 1
                mend(done, told, {event.path for event in events(log) if event.fault == TORN})
        raise Broken(f"not done after {LAUNCHES} launches")

    def launch(self, store: str, environment: dict[str, str]) -> subprocess.CompletedProcess:
        words = [sys.executable, "-m", "tests.chaos.victim", *self.command(store)]
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Broken(f"hangs: {err[-300:]}") from None
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def check(self, store: str, environment: dict[str, str], folder: Path) -> None:
        with ONE_AT_A_TIME:
            os.environ.update(environment)
            run = Run(store)
        left = [name for name in run.folder._all() if name.startswith((TEMPORARY, PREFIX))]
        if left:
            raise Broken(f"left over: {left}")
        found, wanted = contents(run), self.undisturbed(folder.parent)
        if found.keys() != wanted.keys():
            raise Broken(f"other steps: {sorted(found.keys() ^ wanted.keys())}")
        different = [step for step, table in wanted.items() if found[step] != table]
        if different:
            raise Broken(f"other rows: {different}")


def mend(done: subprocess.CompletedProcess, told: list[Event], torn: set[str]) -> None:
    """What a user does before the same command: nothing; but a file that was torn, and that the
    program has named, is deleted. Broken if it ended as no fault explains."""
    faults = {event.fault for event in told}
    said = done.stderr.strip().splitlines()
    last = said[-1] if said else ""
    if done.returncode == -signal.SIGKILL and faults & {"kill", TORN}:
        return
    if done.returncode in (1, 2) and "Traceback" not in done.stderr:
        if "full_disk" in faults and "No space left" in last:
            return
        for path in torn:
            if f"{path}: is damaged" in last:
                Path(path).unlink()
                return
    raise Broken(f"ended with {done.returncode}: {' '.join(said[-3:])[-400:]}")


SMALL = ["--population", "12", "--offspring", "12", "--games", "20", "--fresh", "20"]
EVOLUTION = ["evo.run", "--generations", "12", *SMALL]
ISLANDS = ["evo.run", "--islands", "3", "--epoch", "3", "--generations", "9", *SMALL]
SELFPLAY = ["selfplay.run", "--games", "2000", "--round", "250", "--size", "2000", "--tests", "20"]
TOURNAMENT = ["arena.run", "random", "rulebased", "dumb", "pro", "--games", "200", "--record"]
WORK = {"evolution": EVOLUTION, "islands": ISLANDS, "self-play": SELFPLAY, "tournament": TOURNAMENT}
JOBS: dict[str, Job] = {}
for name, words in WORK.items():
    JOBS[name] = Job(name, words)
    JOBS[f"{name}-s3"] = Job(f"{name}-s3", words, remote=True)
    JOBS[f"{name}-ray"] = Job(f"{name}-ray", words, workers=2)
