"""What the metadata of a run may say, by kind of run: the keys that readers go by."""

from collections.abc import Callable
from typing import Any

# characters of a name or a spec
MOST_TEXT = 10_000
# Sums of some millions of such counts fit into 64 bits.
MOST_COUNT = 10**12
# players or islands; readers do work for each of them, or for each pair
MOST_LISTED = 1000


class Unfit(ValueError):
    """A table or metadata that no version of this project writes."""


Fits = Callable[[Any], bool]


def text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT


def count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_COUNT


def few(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_LISTED


def whole(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**64


def real(value: Any) -> bool:
    """Finite; NaN is not smaller than anything."""
    return type(value) in (int, float) and abs(value) < 1e300


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def maybe(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def each(fits: Fits) -> Fits:
    """A list of few."""
    return lambda value: (
        isinstance(value, list) and len(value) <= MOST_LISTED and all(map(fits, value))
    )


def three(fits: Fits) -> Fits:
    return lambda value: isinstance(value, list) and len(value) == 3 and all(map(fits, value))


def named(fits: Fits) -> Fits:
    """A dictionary of few."""
    return lambda value: isinstance(value, dict) and each(fits)(list(value.values()))


# wins, draws, losses by opponent; None before there was a champion
claim = maybe(each(three(count)))
# A key that ends in `!` must be there; readers ask for others themselves.
ABOUT = {"kind!": text, "config!": named(lambda _: True), "measured!": named(lambda _: True)}
CONFIGS: dict[str, dict[str, Fits]] = {
    "tournament": {
        "players": each(three(text)),
        "games": count,
        "seed": whole,
        "sprt": maybe(text),
    },
    "accuracy": {"players": each(three(text))},
    "evolution": {
        "genome": text,
        "strategy": text,
        "population": count,
        "offspring": count,
        "games": count,
        "seed": whole,
        "islands": few,
        "epoch": maybe(count),
        "minds": named(text),
        "repeats": each(flag),
        "fitness": text,
        "compare": text,
        "genes": each(text),
    },
    "self-play": {"learner": text, "round": count, "mix": named(real), "minds": named(text)},
    "dataset": {"seed!": whole, "positions!": count},
    "turns": {"seed!": whole, "positions!": count},
    "reward": {"seed": whole, "method": text, "dataset": named(lambda _: True)},
}
PLAYED = {"games": count, "games_per_second": real, "best": real, "claim": claim}
MEASURED: dict[tuple[str, str], dict[str, Fits]] = {
    ("evolution", "generation"): PLAYED,
    ("evolution", "epoch"): PLAYED,
    ("evolution", "mind"): {
        "holds": text,
        "made_by": text,
        "claim": claim,
        # by seat
        "fresh": named(lambda one: each(three(count))(one) and len(one) == 2),
    },
    ("self-play", "mind"): {"holds": text},
    ("self-play", "round"): {
        "games": count,
        "seconds": real,
        "explore": real,
        "met_once": real,
        "exact": real,
        "memory": count,
        "positions": count,
        "against": text,
        "wins": count,
        "draws": count,
        "losses": count,
    },
    ("reward", "mind"): {"holds": text},
    ("reward", "pieces"): {"placed": few, "judged": named(named(maybe(real)))},
    ("net", "mind"): {"holds": text},
}


def check_about(step: str, about: dict[str, Any]) -> None:
    """Raise Unfit if the metadata of a step is not what this project writes."""
    _check("", about, ABOUT)
    kind, name = about["kind"], step.partition("-")[0]
    _check("config ", about["config"], CONFIGS.get(kind, {}))
    _check("measured ", about["measured"], MEASURED.get((kind, name), {}))


def _check(where: str, values: dict[str, Any], shape: dict[str, Fits]) -> None:
    for key, fits in shape.items():
        name = key.rstrip("!")
        if name in values and not fits(values[name]):
            raise Unfit(f"its {where}{name} is {_shown(values[name])}")
        if name not in values and name != key:
            raise Unfit(f"its {where}{name} is missing")


def _shown(value: Any) -> str:
    try:
        shown = repr(value)
    except (ValueError, RecursionError):
        # a number of thousands of digits, or lists in lists
        shown = type(value).__name__
    return shown if len(shown) <= 60 else f"{shown[:60]}..."
