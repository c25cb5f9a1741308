"""What champions may claim: how they did in games that came after they had been chosen.

The games that choose a champion flatter it: of many, the luckiest is taken. Those of the next
generation do not know of the choice. They are kept with every generation, and the claim is that of
the later half of the run, whoever was champion then (progressive validation). It leaves out what
the last steps have brought; it takes nothing for strength that was luck.
"""

from collections.abc import Iterable, Sequence

import numpy as np

# counts[opponent; wins, draws, losses] of a generation; None: nobody had been chosen before it
Claim = list[list[int]] | None


def together(claims: Iterable[Claim], repeats: np.ndarray) -> Claim:
    """Where nobody uses chance the same two games would count again and again: there the last word
    is taken."""
    told = [one for one in claims if one is not None]
    return np.where(repeats[:, None], told[-1], np.sum(told, axis=0)).tolist() if told else None


def recent(claims: Sequence[Claim], repeats: np.ndarray) -> np.ndarray | None:
    """Counts[opponent; wins, draws, losses] of the later half, if there are any."""
    claim = together(claims[len(claims) // 2 :], repeats)
    return None if claim is None else np.array(claim)
