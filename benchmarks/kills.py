"""The same run with 1, 2 and 8 workers, and killed again and again: are the tables equal?"""

import random
import subprocess
import sys
import tempfile

from benchmarks.table import Table
from store import Run


def measure_kills(table: Table, kills: int, command: list[str], lives: tuple[float, float]) -> None:
    """`command`: python -m ... without --workers and --store. A killed driver lives between so many and so many seconds."""
    chance, killed = random.Random(1), 0
    with tempfile.TemporaryDirectory() as scratch:

        def line(workers: int, name: str) -> list[str]:
            return [sys.executable, "-m", *command, "--workers", str(workers), "--store", f"{scratch}/{name}"]

        for workers in (1, 2, 8):
            subprocess.run(line(workers, f"workers-{workers}"), check=True, capture_output=True)
        for _ in range(kills):
            running = subprocess.Popen(line(0, "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                running.wait(chance.uniform(*lives))
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
                killed += 1
        subprocess.run(line(2, "killed"), check=True, capture_output=True)
        runs = [Run(f"{scratch}/{name}") for name in ("workers-1", "workers-2", "workers-8", "killed")]
        tables = [{step: run.read(step).to_pydict() for step in run.steps()} for run in runs]
    table.row("tables with 1, 2 and 8 workers equal", str(tables[0] == tables[1] == tables[2]), target="True")
    table.row(f"tables after {killed} kills equal to the undisturbed ones", str(tables[3] == tables[1]), target="True")
