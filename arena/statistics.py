"""How sure a rate is. Pure functions, checked by simulation in the tests."""

from math import sqrt

Z95 = 1.959963984540054  # the two-sided 95 % point of the normal distribution


def wilson(successes: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a rate: right also near 0 and 1, where the plain one is not."""
    if trials == 0:
        return 0.0, 1.0
    rate = successes / trials
    centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)
