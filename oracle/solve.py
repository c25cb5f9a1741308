"""Exact values of Quarto positions, on all cores.

    python -m oracle.solve                      prove the value of the empty board, by search alone
    python -m oracle.solve < positions.txt      the value of positions, one a line

Positions, options and what is printed are those of `python -m engine.solve`, which does the same on
one core. Answers come in the order of the positions, whoever found them.
"""

import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import islice
from typing import Any

from console.command import run_command
from console.config import Work
from console.errors import BadInput
from console.progress import Progress
from engine.exact.solver import Solver
from engine.position import Position
from engine.solve import (
    DEFAULT_TABLE,
    PROOF_NODES,
    PROVING,
    PositionReader,
    SolveOptions,
    answer,
    print_answer,
    print_proof,
)
from engine.symmetry import canonical_key, from_key
from oracle.proof_tree import ProofTree, Question
from workers.pool import Workers
from workers.ranges import Pace
from workers.task import Task

# A task ends after so many times the seconds that it should take; the rest is another's.
AT_MOST = 4


@dataclass(kw_only=True)
class SolveOnAllCores(SolveOptions, Work):
    """What engine.solve is asked, and who does the work."""

    def told(self) -> SolveOptions:
        """What workers must know of it."""
        named = {one.name: getattr(self, one.name) for one in fields(SolveOptions)}
        return SolveOptions(**named | {"positions": []})


@cache
def solver_of(table_mib: float, book: bool) -> Solver:
    """A worker's own."""
    return Solver(table_mib, book)


def ask(question: Question, table_mib: float) -> tuple[bool, int]:
    """What a worker does for the proof: (the answer, nodes)."""
    key, win = question
    solver = solver_of(table_mib, False)
    before = solver.nodes
    return solver.can(from_key(key, True), win), solver.nodes - before


class Questions:
    """Tasks: what the proof wants to know next, by what is known when somebody is free."""

    def __init__(self, tree: ProofTree, table_mib: float):
        self.tree, self.table_mib = tree, table_mib
        self.asked = set[Question]()

    def __iter__(self) -> "Questions":
        return self

    def __next__(self) -> Task:
        for question in self.tree.wanted():
            if question not in self.asked:
                self.asked.add(question)
                return Task(question, ask, (question, self.table_mib))
        raise StopIteration


def prove(workers: Workers, table_mib: float = DEFAULT_TABLE) -> dict[str, Any]:
    """The empty board: its value, and the nodes of all workers."""
    started, nodes = time.perf_counter(), 0
    # all first pieces are alike
    key = canonical_key(Position.start().give(0))
    draw, win = (key, False), (key, True)
    tree = ProofTree([draw, win])
    expected = PROOF_NODES if table_mib == DEFAULT_TABLE else None
    with Progress("proving", "nodes", expected) as progress:
        results: Iterator[Any] = workers.run(Questions(tree, table_mib))
        for question, (yes, more) in results:
            tree.answers[question] = yes
            nodes += more
            progress.show(nodes)
            if not tree.wanted():
                break
    # for whoever gives the first piece
    value = -1 if tree.answers[win] else 0 if tree.answers[draw] else 1
    seconds = round(time.perf_counter() - started, 6)
    text = Position.start().to_text()
    return {"position": text, "value": value, "nodes": nodes, "seconds": seconds}


def solve_some(
    positions: list[Position], told: SolveOptions, seconds: float
) -> tuple[list[dict[str, Any]], float]:
    """What a worker does with positions: (what is told of the first ones, seconds); no more when
    the time is up."""
    started, answers = time.monotonic(), list[dict[str, Any]]()
    solver = solver_of(told.table, told.book)
    for position in positions:
        answers.append(answer(solver, position, told))
        if time.monotonic() - started > seconds:
            break
    return answers, time.monotonic() - started


class Given:
    """Tasks: as many of the given positions as take the time of a task."""

    def __init__(self, positions: Iterator[Position], told: SolveOptions, workers: Workers):
        self.source, self.told, self.workers = enumerate(positions), told, workers
        self.again = deque[tuple[int, Position]]()
        self.pace = Pace(1)

    def __iter__(self) -> "Given":
        return self

    def __next__(self) -> Task:
        count, again = self.pace.games, self.again
        some = [again.popleft() for _ in range(min(count, len(again)))]
        some = some or list(islice(self.source, count))
        if not some:
            raise StopIteration
        positions = [position for _, position in some]
        seconds = AT_MOST * self.workers.item_seconds
        return Task(tuple(some), solve_some, (positions, self.told, seconds))

    def learn(self, some: tuple[tuple[int, Position], ...], done: int, seconds: float) -> None:
        """So many of a task were done in time."""
        self.again.extendleft(reversed(some[done:]))
        self.pace.learn(len(some), seconds * len(some) / done, self.workers.item_seconds)


def solve_given(
    positions: Iterator[Position], told: SolveOptions, workers: Workers
) -> Iterator[dict]:
    """What is told of each, in their order."""
    given, answers, next_one = Given(positions, told, workers), dict[int, dict](), 0
    with Progress("solving", "positions") as progress:
        results: Iterator[Any] = workers.run(given)
        for some, (found, seconds) in results:
            given.learn(some, len(found), seconds)
            answers |= {number: one for (number, _), one in zip(some, found, strict=False)}
            progress.add(len(found))
            while next_one in answers:
                yield answers.pop(next_one)
                next_one += 1


def solve_all(config: SolveOnAllCores) -> int:
    # says what is wrong with --table
    config.solver(book=False)
    positions = PositionReader(config.positions)
    with Workers.of(config) as workers:
        for result in solve_given(iter(positions), config.told(), workers):
            print_answer(result, config.json)
        if not positions.count:
            if config.moves or config.distance or config.line:
                raise BadInput("no position: of the empty board its value alone is proved")
            print(PROVING, file=sys.stderr, flush=True)
            print_proof(prove(workers, config.table), config.json)
    return 2 if positions.bad else 0


def main(arguments: list[str] | None = None) -> int:
    return run_command("oracle.solve", __doc__, SolveOnAllCores, solve_all, arguments)


if __name__ == "__main__":
    sys.exit(main())
