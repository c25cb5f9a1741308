"""Unbiased results of champions: those of games played after they were chosen.

The games that choose a champion flatter it, because the luckiest of many is taken. The games of the
next generation do not depend on the choice. They are stored with every generation, and a run claims
those of its later half, whichever individual was champion then (progressive validation). The claim
leaves out the progress of the last steps, but never mistakes luck for strength.
"""

from collections.abc import Iterable

import numpy as np

# [opponent; wins, draws, losses] of a generation; None if there was no champion before it
Claim = list[list[int]] | None


def add_claims(claims: Iterable[Claim], repeats: np.ndarray) -> Claim:
    """Return the sum; where the same two games repeat, the last claim instead."""
    present = [claim for claim in claims if claim is not None]
    if not present:
        return None
    return np.where(repeats[:, None], present[-1], np.sum(present, axis=0)).tolist()


class Claims:
    """The claims of all generations. `repeats`: see Scoring."""

    def __init__(self, repeats: np.ndarray, claims: Iterable[Claim] = ()):
        self.repeats, self.claims = repeats, list(claims)

    def append(self, claim: Claim) -> None:
        self.claims.append(claim)

    def recent(self) -> np.ndarray | None:
        """Return [opponent; wins, draws, losses] of the later half, None if it has no games."""
        counts = np.array(add_claims(self.claims[len(self.claims) // 2 :], self.repeats) or 0)
        return counts if counts.any() else None
