"""The number of right turns of a compiled player, by the oracle, for many minds in one compiled
call."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from agents.mind import Mind
from arena.match import BATCH, SIDE, STOP, Batch, Side, run_kernel
from engine.jit.kernel import by_reference, kernel, types
from engine.position import Position
from engine.rng import purpose, stream
from engine.rules import place
from oracle.testset import STAGES, Question, questions_of
from oracle.turn_values import NOT_LEGAL, TURNS

TURN = np.uint64(purpose("right turns"))
ROWS = types.int64[:, ::1]
# a position and the value of every turn in it
QUESTION = np.dtype([("position", np.int64, 5), ("turns", np.int8, TURNS)])


@kernel(types.void(SIDE, types.float64[:, ::1], ROWS, types.int8[:, ::1], BATCH, ROWS, STOP))
def count_right_turns(side, parameters, positions, turns, batch, counts, stop):
    """Count into counts[row; right, wrong] for each row of parameters in a batch of questions."""
    decide_cell, decide_piece = side.place, side.give
    rng = by_reference(np.uint64(0))
    for i in range(len(parameters)):
        mind = by_reference(Mind(parameters[i], side.mind.memory))
        for j in range(batch.first, batch.first + batch.games):
            if stop[0]:
                return
            rng[0] = stream(batch.seed, TURN, np.uint64(j))
            p = positions[j]
            position = Position(p[0], p[1], p[2], p[3], p[4])
            cell = decide_cell(position, mind, rng)
            right = False
            if 0 <= cell < 16 and not position.occupied >> cell & 1:
                after = place(position, cell)
                piece = decide_piece(after, mind, rng) if after.pool else 0
                value = turns[j, 16 * cell + piece] if 0 <= piece < 16 else NOT_LEGAL
                right = value == turns[j].max()
            counts[i, 0 if right else 1] += 1


def right_turns(
    side: Side, parameters: np.ndarray, questions: np.ndarray, batch: Batch
) -> np.ndarray:
    """Return counts[row; right, wrong] of each row of parameters in the questions of a batch."""
    counts, stop = np.zeros((len(parameters), 2), np.int64), np.zeros(1, np.int64)
    positions, turns = (np.ascontiguousarray(questions[name]) for name in QUESTION.names or ())
    arguments = side, np.ascontiguousarray(parameters, float), positions, turns, batch, counts, stop
    work = batch.games * len(parameters)
    run_kernel(count_right_turns, (side, side), work, *arguments, stop=lambda: stop.fill(1))
    return counts


@cache
def make_questions(seed: int, each: int) -> np.ndarray:
    """Return `each` questions of every stage. The test set has the questions of seed 1."""
    return as_questions(
        [question for placed in STAGES for question in questions_of(seed, placed, each)]
    )


def as_questions(questions: Sequence[Question]) -> np.ndarray:
    """Return questions in the form that the kernel reads."""
    rows = [(tuple(question.position), question.turns.ravel()) for question in questions]
    return np.array(rows, QUESTION)
