"""The proof of the empty board in parts: its first plies, as the driver of many workers sees them.

The two questions about the empty board (engine/exact/proof.py) lead to questions about positions of
three pieces: those are the workers'. What follows from their answers is the driver's. Nearly all of
these positions are draws, so a question whether one side can win is expected to be denied and needs
all of its children, at the same time; a question whether it can at least draw is expected to be
affirmed by its first child, and the next is asked only if that one fails.
"""

from functools import cache

import numpy as np

from engine.exact.proof import ordered_children
from engine.exact.solver_memory import make_memory
from engine.symmetry import from_key

# Pieces on the board of what a worker is asked: some hundred questions of 0.1 s.
PARTS_AT = 3
# Of a table for one who never searches.
LEAST_TABLE = 0.0625

# (canonical key, can whoever holds the piece win? else: at least draw?)
Question = tuple[int, bool]


class ProofTree:
    """What is known and what is wanted, from the first plies on."""

    def __init__(self, roots: list[Question], parts_at: int = PARTS_AT):
        self.roots, self.parts_at = roots, parts_at
        self.answers: dict[Question, bool] = {}

    def wanted(self) -> list[Question]:
        """What is to be asked now, each once, in the order in which one core would; nothing when
        the roots are answered."""
        wanted: dict[Question, None] = {}
        for root in self.roots:
            self._answer(root, wanted)
        return list(wanted)

    def _answer(self, question: Question, wanted: dict[Question, None]) -> bool | None:
        """What is known; None if something is still wanted for it."""
        if question in self.answers:
            return self.answers[question]
        key, win = question
        if from_key(key, True).placed >= self.parts_at:
            wanted[question] = None
            return None
        keys = children_of(key, win)
        children = [(child, not win) for child in keys or []]
        needed, open_ = dict[Question, None](), False
        # what is known already saves whatever stands before it
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
    """Keys, each once, in the order of the search; None: one of them plainly settles it."""
    children = np.zeros(256, np.uint64)
    count = ordered_children(key, win, children, make_memory(LEAST_TABLE))
    return None if count < 0 else list(dict.fromkeys(children[:count].tolist()))
