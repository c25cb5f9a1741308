"""Confidence intervals of rates, checked by simulation in the tests."""

import numpy as np

Z95 = 1.959963984540054  # the two-sided 95 % point of the normal distribution


def wilson(successes: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a rate, which is right near 0 and 1, too."""
    if trials == 0:
        return 0.0, 1.0
    centre, half = _centre_and_half(successes / trials, trials, z)
    low = 0.0 if successes <= 0 else float(centre - half)
    return low, 1.0 if successes >= trials else float(centre + half)


def interval_text(successes: float, trials: int, digits: int = 1) -> str:
    """Return the 95 % interval of a rate in percent, like `49.0 .. 51.0`."""
    low, high = wilson(successes, trials)
    return f"{100 * low:.{digits}f} .. {100 * high:.{digits}f}"


def lower_ends(successes: np.ndarray, trials: np.ndarray, z: float = Z95) -> np.ndarray:
    """Return the lower ends of the Wilson intervals of rates of one trial or more."""
    centre, half = _centre_and_half(successes / trials, trials, z)
    return np.where(successes <= 0, 0.0, centre - half)


def _centre_and_half(rate, trials, z: float):
    centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = np.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    return centre, z / (1 + z * z / trials) * spread
