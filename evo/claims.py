"""What champions may claim: how they did in games that came after they had been chosen.

The games that choose a champion flatter it: of many, the luckiest is taken. Those of the next
generation do not know of the choice. They are kept with every generation, and the claim is that of
the later half of the run, whoever was champion then (progressive validation). It leaves out what
the last steps have brought; it takes nothing for strength that was luck.
"""

from collections.abc import Iterable

import numpy as np

# counts[opponent; wins, draws, losses] of a generation; None: nobody had been chosen before it
Claim = list[list[int]] | None


def together(claims: Iterable[Claim], repeats: np.ndarray) -> Claim:
    """Where nobody uses chance the same two games would count again and again: there the last word
    is taken."""
    told = [one for one in claims if one is not None]
    return np.where(repeats[:, None], told[-1], np.sum(told, axis=0)).tolist() if told else None


class Claims:
    """Of a run, generation by generation. Sums are kept, so that of a long run the later half is
    known at once."""

    def __init__(self, repeats: np.ndarray, claims: Iterable[Claim] = ()):
        self.repeats, self.last = repeats, np.zeros((len(repeats), 3), int)
        # of all before each generation
        self.sums = [self.last]
        for claim in claims:
            self.append(claim)

    def append(self, claim: Claim) -> None:
        self.last = self.last if claim is None else np.array(claim)
        self.sums.append(self.sums[-1] + (0 if claim is None else self.last))

    def recent(self) -> np.ndarray | None:
        """Counts[opponent; wins, draws, losses] of the later half, if there are any."""
        counts = self.sums[-1] - self.sums[(len(self.sums) - 1) // 2]
        return np.where(self.repeats[:, None], self.last, counts) if counts.any() else None
