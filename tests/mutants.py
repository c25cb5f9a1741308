"""Mutation check: does some test fail when one line of the program is wrong?

    python -m tests.mutants --count 66 --seed 1

Draws single changes (of a comparison, an operator, a number, a condition) in the files below, makes
each in a copy of the project, and runs the tests of that file. A mutant that no test notices is
listed with its line: it needs a test, or a reason why it makes no difference.
"""

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
STORE = "tests/store/test_run.py tests/store/test_parts.py tests/store/test_damage.py"
STORE += " tests/store/test_s3.py tests/test_default_stores.py"
# file -> the tests that should notice a change
TARGETS = {
    "engine/rules.py": "tests/engine/test_properties.py tests/engine/test_position.py "
    "tests/engine/test_golden.py tests/engine/exact/test_solver.py",
    "engine/exact/proof.py": "tests/engine/exact/test_solver.py tests/engine/exact/test_plain.py "
    "tests/engine/test_golden.py tests/engine/exact/test_book.py "
    "tests/oracle/test_solve_command.py",
    "engine/symmetry.py": "tests/engine/test_symmetry.py tests/engine/test_properties.py",
    "store/run.py": STORE,
    "store/folder.py": STORE,
    "store/lock.py": STORE,
    "store/parts.py": STORE,
    "workers/pool.py": "tests/workers/test_pool.py tests/arena/test_run_command.py",
    "workers/dispatch.py": "tests/workers/test_dispatch.py tests/workers/test_pool.py",
    "workers/executors.py": "tests/workers/test_pool.py tests/arena/test_run_command.py",
    "evo/fitness.py": "tests/evo/test_loop.py tests/evo/test_nsga2.py tests/evo/test_genome.py "
    "tests/evo/test_run_command.py tests/evo/test_champion.py tests/evo/test_plan.py",
    "arena/ratings.py": "tests/arena/test_statistics.py tests/arena/test_run_command.py",
}
COMPARISONS = [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)]
COMPARISONS += [(ast.Is, ast.IsNot)]
OPERATORS = [(ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)]
OPERATORS += [(ast.LShift, ast.RShift), (ast.FloorDiv, ast.Mult), (ast.BitXor, ast.BitOr)]
SWAP = {a: b for pair in [*COMPARISONS, *OPERATORS] for a, b in (pair, pair[::-1])}
SECONDS = 300


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield copies of the node with one change each."""
    other = copy.deepcopy(node)
    if isinstance(other, ast.Compare) and type(other.ops[0]) in SWAP:
        other.ops[0] = SWAP[type(other.ops[0])]()
        yield other
    elif isinstance(other, ast.BinOp) and type(other.op) in SWAP:
        other.op = SWAP[type(other.op)]()
        yield other
    elif isinstance(other, ast.BoolOp):
        other.op = ast.Or() if isinstance(other.op, ast.And) else ast.And()
        yield other
    elif isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.Not):
        yield other.operand
    elif isinstance(other, ast.Constant) and isinstance(other.value, bool):
        yield ast.Constant(not other.value)
    elif isinstance(other, ast.Constant) and type(other.value) is int:
        yield ast.Constant(other.value + 1)


def mutants(file: str) -> list[tuple[int, str, str]]:
    """Return (line number, line, changed line) of every change within one line."""
    lines = (ROOT / file).read_text().splitlines()
    tree = ast.parse("\n".join(lines))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    found = []
    for node in ast.walk(tree):
        if id(node) not in inside or node.__dict__.get("lineno") != node.__dict__.get("end_lineno"):
            continue
        for other in changes(node):
            line = lines[node.lineno - 1]
            changed = f"({ast.unparse(other)})"
            after = line[: node.col_offset] + changed + line[node.end_col_offset :]
            found.append((node.lineno, line, after))
    return found


def drawn(count: int, seed: int) -> list[tuple[str, int, str, str]]:
    """Draw (file, line number, line, changed line), about as many from each file."""
    chance, chosen = random.Random(seed), []
    for i, file in enumerate(TARGETS):
        share = count * (i + 1) // len(TARGETS) - count * i // len(TARGETS)
        chosen += [(file, *mutant) for mutant in chance.sample(mutants(file), share)]
    return chosen


def is_noticed(copied: Path, file: str, line: int, after: str) -> bool:
    path = copied / file
    whole = path.read_text()
    lines = whole.splitlines(keepends=True)
    lines[line - 1] = after + "\n"
    path.write_text("".join(lines))
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *TARGETS[file].split()]
    try:
        done = subprocess.run(words, cwd=copied, capture_output=True, timeout=SECONDS)
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(whole)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=66)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    survivors, started = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".git", ".venv", "runs", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT, copied, ignore=ignored)
        chosen = drawn(options.count, options.seed)
        for number, (file, line, before, after) in enumerate(chosen, 1):
            noticed = is_noticed(copied, file, line, after)
            seconds = time.monotonic() - started
            outcome = "noticed" if noticed else "SURVIVES"
            print(f"{number}/{len(chosen)} {outcome}, {seconds:.0f} s: {file}:{line}", flush=True)
            if not noticed:
                survivors.append(f"{file}:{line}\n  - {before.strip()}\n  + {after.strip()}")
    noticed = len(chosen) - len(survivors)
    print(f"\n{noticed} of {len(chosen)} mutants noticed ({100 * noticed / len(chosen):.0f} %)")
    print(*survivors, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
