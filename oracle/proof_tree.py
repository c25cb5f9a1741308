"""The first plies of the proof of the empty board, from which the driver derives the questions that
workers answer (docs/architecture.md, "The exact search").

Nearly all positions of three pieces are draws. So the question whether a side can win needs all of
its children, which are asked at the same time; whether it can at least draw is nearly always
settled by its first child, and the next one is asked only if that one fails.
"""

from functools import cache

import numpy as np

from engine.exact.proof import ordered_children
from engine.exact.solver_memory import make_memory
from engine.symmetry import from_key

PARTS_AT = 3  # pieces on the board in the workers' questions: some hundred questions of 0.1 s
LEAST_TABLE = 0.0625  # MiB, of a table that is not used

# (canonical key, can the player to place win? else: at least draw?)
Question = tuple[int, bool]


class ProofTree:
    """The answers so far, and the questions that they leave open."""

    def __init__(self, roots: list[Question], parts_at: int = PARTS_AT):
        self.roots, self.parts_at = roots, parts_at
        self.answers: dict[Question, bool] = {}

    def wanted(self) -> list[Question]:
        """Return the open questions in the order of one core; none once the roots are answered."""
        wanted: dict[Question, None] = {}
        for root in self.roots:
            self._answer(root, wanted)
        return list(wanted)

    def _answer(self, question: Question, wanted: dict[Question, None]) -> bool | None:
        """Return the answer, or None and add the open questions that it needs to `wanted`."""
        if question in self.answers:
            return self.answers[question]
        key, win = question
        if from_key(key, True).placed >= self.parts_at:
            wanted[question] = None
            return None
        keys = children_of(key, win)
        children = [(child, not win) for child in keys or []]
        needed, open_ = dict[Question, None](), False
        # an answer that settles the question makes the children before it needless
        yes = keys is None or any(self.answers.get(child) is False for child in children)
        for child in children if not yes else []:
            answer = self._answer(child, needed)
            yes = answer is False
            open_ = open_ or answer is None
            if yes or (open_ and not win):
                break
        if yes or not open_:
            self.answers[question] = yes
            return yes
        wanted |= needed
        return None


@cache
def children_of(key: int, win: bool) -> list[int] | None:
    """Return the keys of the children in search order; None if no search is needed."""
    children = np.zeros(256, np.uint64)
    count = ordered_children(key, win, children, make_memory(LEAST_TABLE))
    return None if count < 0 else list(dict.fromkeys(children[:count].tolist()))
