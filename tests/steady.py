"""Repeated runs of the whole suite in random order, every second one next to busy loops.

    python -m tests.steady --runs 20

Prints a line for each run and, at the end, every test that failed at least once. A test that fails
here and passes alone depends on the order of tests, on time or on luck.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

HOGS = 3
BUSY_LOOP = [sys.executable, "-c", "while True: pass"]


@contextmanager
def busy_loops(count: int):
    loops = [subprocess.Popen(BUSY_LOOP) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run_once(seed: int, report: Path, more: list[str]) -> tuple[int, str, set[str]]:
    """Run the suite; return (exit code, pytest's last line, names of the tests that failed)."""
    order = ["-p", "random_order", "--random-order", f"--random-order-seed={seed}"]
    words = [sys.executable, "-m", "pytest", "-q", *order, f"--junitxml={report}", *more]
    done = subprocess.run(words, capture_output=True, text=True)
    report.with_suffix(".txt").write_text(done.stdout + done.stderr)
    failed = set()
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(f"{case.get('classname')}::{case.get('name')}")
    last = (done.stdout.strip().splitlines() or ["no output"])[-1]
    return done.returncode, last, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="seed of the first run")
    parser.add_argument("rest", nargs="*", help="arguments for pytest, for example tests/store")
    options = parser.parse_args()
    failures: Counter[str] = Counter()
    green = 0
    logs = Path(tempfile.mkdtemp(prefix="steady-"))
    for number in range(options.first, options.first + options.runs):
        hogs, started = HOGS * (number % 2), time.monotonic()
        with busy_loops(hogs):
            code, last, failed = run_once(number, logs / f"{number}.xml", options.rest)
        green += code == 0
        failures.update(failed)
        seconds, load = time.monotonic() - started, os.getloadavg()[0]
        line = f"order {number}, {hogs} busy loops, load {load:.1f}: {seconds:.0f} s, exit {code}"
        print(line, last.strip("= "), *sorted(failed), sep="\n    ", flush=True)
    print(f"\n{green} of {options.runs} runs green; logs in {logs}")
    for name, times in failures.most_common():
        print(f"failed {times} times: {name}")
    return int(green < options.runs)


if __name__ == "__main__":
    sys.exit(main())
