"""Solve positions, or prove the value of the empty board, on all cores.

    python -m oracle.solve                      prove the value of the empty board, by search alone
    python -m oracle.solve < positions.txt      the value of positions, one a line

Positions, options and output are those of `python -m engine.solve`, which does the same on one
core. Answers are printed in the order of the positions.
"""

import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from itertools import islice
from typing import Any

from console.command import command
from console.config import Work
from console.errors import BadInput
from console.progress import Progress
from engine import solve as one_core
from engine.exact.solver import Solver
from engine.position import Position
from engine.solve import PositionReader, SolveOptions
from engine.symmetry import canonical_key, from_key
from oracle.proof_tree import ProofTree, Question
from workers.pool import Workers
from workers.ranges import Pace
from workers.task import Task

AT_MOST = 4  # times its planned duration after which a task leaves the rest to another one

solver_of = cache(Solver)  # one for each worker
Numbered = tuple[int, Position]


class SolveOnAllCores(SolveOptions, Work):
    def for_workers(self) -> SolveOptions:
        """Return the options that workers need."""
        values = {one.name: getattr(self, one.name) for one in fields(SolveOptions)}
        return SolveOptions(**values | {"positions": []})


def ask(question: Question, table_mib: float) -> tuple[bool, int]:
    """Return (answer, nodes) of a question of the proof, in a worker."""
    key, win = question
    solver = solver_of(table_mib, False)
    before = solver.nodes
    return solver.can(from_key(key, True), win), solver.nodes - before


class Questions(Iterator[Task]):
    """Tasks for the open questions of a proof, as the answers so far leave them."""

    def __init__(self, tree: ProofTree, table_mib: float):
        self.tree, self.table_mib = tree, table_mib
        self.asked = set[Question]()

    def __next__(self) -> Task:
        for question in self.tree.wanted():
            if question not in self.asked:
                self.asked.add(question)
                return Task(question, ask, (question, self.table_mib))
        raise StopIteration


def prove(workers: Workers, table_mib: float = one_core.DEFAULT_TABLE) -> dict[str, Any]:
    """Return the value of the empty board, and the nodes of all workers."""
    started, nodes = time.perf_counter(), 0
    # all first pieces are equivalent
    key = canonical_key(Position.start().give(0))
    draw, win = (key, False), (key, True)
    tree = ProofTree([draw, win])
    expected = one_core.PROOF_NODES if table_mib == one_core.DEFAULT_TABLE else None
    with Progress("proving", "nodes", expected) as progress:
        for question, (yes, more) in workers.run(Questions(tree, table_mib)):
            tree.answers[question] = yes
            nodes += more
            progress.show(nodes)
            if not tree.wanted():
                break
    # for the player who gives the first piece
    value = -1 if tree.answers[win] else 0 if tree.answers[draw] else 1
    seconds = round(time.perf_counter() - started, 6)
    text = Position.start().to_text()
    return {"position": text, "value": value, "nodes": nodes, "seconds": seconds}


def solve_some(
    positions: list[Position], options: SolveOptions, seconds: float
) -> tuple[list[dict[str, Any]], float]:
    """Solve positions in a worker until the time is up. Return (answers so far, seconds)."""
    started, answers = time.monotonic(), list[dict[str, Any]]()
    for position in positions:
        answers.append(one_core.answer(solver_of(options.table, options.book), position, options))
        if time.monotonic() - started > seconds:
            break
    return answers, time.monotonic() - started


class Batches(Iterator[Task]):
    """Tasks of as many positions as fill the planned duration of a task."""

    def __init__(self, positions: Iterator[Position], options: SolveOptions, workers: Workers):
        self.source, self.options, self.workers = enumerate(positions), options, workers
        self.unsolved, self.pace = deque[Numbered](), Pace(1)

    def __next__(self) -> Task:
        count = self.pace.games
        batch = [self.unsolved.popleft() for _ in range(min(count, len(self.unsolved)))]
        batch = batch or list(islice(self.source, count))
        if not batch:
            raise StopIteration
        seconds = AT_MOST * self.workers.item_seconds
        return Task(tuple(batch), solve_some, ([p for _, p in batch], self.options, seconds))

    def learn(self, batch: tuple[Numbered, ...], done: int, seconds: float) -> None:
        """Requeue the unsolved rest of a task, and adapt the size of tasks to its speed."""
        self.unsolved.extendleft(reversed(batch[done:]))
        self.pace.learn(len(batch), seconds * len(batch) / done, self.workers.item_seconds)


def solve_given(
    positions: Iterator[Position], options: SolveOptions, workers: Workers
) -> Iterator[dict]:
    """Yield the answers in the order of the positions."""
    batches, answers, following = Batches(positions, options, workers), dict[int, dict](), 0
    with Progress("solving", "positions") as progress:
        for batch, (solved, seconds) in workers.run(batches):
            batches.learn(batch, len(solved), seconds)
            answers |= {number: one for (number, _), one in zip(batch, solved, strict=False)}
            progress.add(len(solved))
            while following in answers:
                yield answers.pop(following)
                following += 1


def solve_all(config: SolveOnAllCores) -> int:
    # raises BadInput if --table is invalid
    config.solver(book=False)
    positions = PositionReader(config.positions)
    with Workers.of(config) as workers:
        for result in solve_given(iter(positions), config.for_workers(), workers):
            one_core.print_answer(result, config.json)
        if not positions.count:
            if config.moves or config.distance or config.line:
                raise BadInput("no position: of the empty board its value alone is proved")
            print(one_core.PROVING, file=sys.stderr, flush=True)
            one_core.print_proof(prove(workers, config.table), config.json)
    return 2 if positions.bad else 0


main = command("oracle.solve", __name__, __doc__, SolveOnAllCores, solve_all)
