"""What Ray costs, and whether anything is ever lost.

python -m benchmarks.arena                 games/s in one process, with one worker and with two, in one run
python -m benchmarks.arena --kills 10      a tournament whose driver is killed ten times and whose workers all the time, against an undisturbed one
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import agents
from arena.match import play
from arena.tournament import matches_of, run_matches
from arena.workers import Job, Workers
from benchmarks.table import Table
from store import Run

FIELD = ("random", "rulebased", "frontier", "singleminmax", "pro", "minmax9")


def rate_in_process(games: int) -> float:
    started = time.perf_counter()
    play(agents.make("rulebased"), agents.make("random"), 1, games)
    return games / (time.perf_counter() - started)


def rate_with(workers: int, games: int) -> float:
    """Through Ray, from the moment when the workers stand ready."""
    with Workers(workers) as workers:
        list(workers.run(Job(i, time.sleep, (0.5,)) for i in range(4 * workers)))
        matches = matches_of([agents.make("rulebased"), agents.make("random")], games, seed=1)
        list(run_matches(workers, list(matches_of_size(matches)), False, lambda _: None))  # loads the kernels
        matches = matches_of([agents.make("rulebased"), agents.make("random")], games, seed=1)
        started = time.perf_counter()
        list(run_matches(workers, matches, False, lambda _: None))
        return games / (time.perf_counter() - started)


def matches_of_size(matches, games: int = 200_000):
    for match in matches:
        match.games = games
        yield match


def measure_speed(table: Table, games: int) -> None:
    alone, one, two = [], [], []
    for _ in range(3):  # side by side, because the processor's speed drifts
        alone.append(rate_in_process(games))
        one.append(rate_with(1, games))
        two.append(rate_with(2, games))
    table.row(f"rulebased v random, {games / 1e6:g} million games", f"{max(alone) / 1e6:.2f} M/s")
    table.row(
        "  one worker through Ray, ratio to that",
        f"{max(one) / 1e6:.2f} M/s",
        ratio=max(one) / max(alone),
        target=">= 0.95",
    )
    table.row("  two workers", f"{max(two) / 1e6:.2f} M/s", ratio=max(two) / max(alone), target=">= 1.80")


def tables(folder: Path) -> dict:
    run = Run(str(folder))
    return {step: run.read(step).to_pydict() for step in run.steps()}


def measure_kills(table: Table, kills: int, games: int) -> None:
    chance, workers_killed, driver_killed = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "arena.run", *FIELD, "--games", str(games), "--record"]
        subprocess.run(
            [*command, "--workers", "0", "--store", f"{scratch}/undisturbed"], check=True, capture_output=True
        )
        command += ["--workers", "2", "--store", f"{scratch}/killed"]
        for attempt in range(kills + 1):
            playing = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            ends = time.monotonic() + chance.uniform(2, 12)
            while playing.poll() is None and (attempt == kills or time.monotonic() < ends):
                time.sleep(chance.uniform(0.5, 2.5))
                for process in workers_of(playing.pid)[:1]:
                    subprocess.run(["kill", "-9", str(process)], check=False)
                    workers_killed += 1
            if playing.poll() is None:
                playing.send_signal(signal.SIGKILL)
                playing.wait()
                driver_killed += 1
        equal = tables(Path(scratch) / "undisturbed") == tables(Path(scratch) / "killed")
    table.row("drivers killed, workers killed", f"{driver_killed}, {workers_killed}", target=f"{kills} drivers")
    table.row("  tables equal to the undisturbed run's", str(equal), target="True")


def workers_of(driver: int) -> list[int]:
    """Process ids of the Ray workers that this driver started and that do its jobs."""
    from tests.arena.test_run_command import is_descendant

    found = subprocess.run(["pgrep", "-f", "ray::Worker"], capture_output=True, text=True).stdout.split()
    return [int(process) for process in found if is_descendant(int(process), driver)]


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.arena", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    table = Table()
    if asked.kills:
        measure_kills(table, asked.kills, asked.games or 3000)
    else:
        measure_speed(table, asked.games or 20_000_000)


if __name__ == "__main__":
    main()
