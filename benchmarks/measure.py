"""Tools shared by the benchmarks: the rate of a piece of work, and shares as text."""

import time
from collections.abc import Callable

TRIES = 3


def best_rate(work: Callable[[int], object], seconds: float = 0.5) -> float:
    """Return the units of work per CPU second, the best of some tries. `work(amount)` does that
    many units; the amount is doubled until a try takes about `seconds`."""

    def rate(amount: int) -> float:
        started = time.process_time()
        work(amount)
        return amount / max(time.process_time() - started, 1e-9)

    amount = 1
    rate(amount)
    while amount / rate(amount) < seconds / 2:
        amount *= 2
    return max(rate(amount) for _ in range(TRIES))


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"


def interval(ends: tuple[float, float], digits: int = 1) -> str:
    """Format an interval of shares in percent."""
    return " .. ".join(percent(end, digits) for end in ends)
