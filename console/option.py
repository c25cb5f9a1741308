"""Declarations of options: default, meaning and valid values. Commands (config.py) and players
(agents/player.py) use them for parsing, checks, help and documentation."""

from collections.abc import Sequence
from dataclasses import dataclass
from sys import float_info
from typing import Any

YES_OR_NO = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Option:
    """One option. `kind` is the type of the default unless stated; the default may be None."""

    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: Sequence | None = None
    even: bool = False
    kind: type = str
    metavar: str | None = None

    def __post_init__(self) -> None:
        if self.default is not None:
            self.set_kind(type(self.default))

    def set_kind(self, *kinds: type) -> None:
        """Take the kind, unless it is stated, from the types of the values."""
        number = next((kind for kind in kinds if kind in (int, float, bool)), str)
        if self.kind is str:
            object.__setattr__(self, "kind", number)

    def parse(self, text: str) -> Any:
        """Return the value of a text; raise ValueError with the valid values."""
        try:
            value = YES_OR_NO[text.lower()] if self.kind is bool else self.kind(text)
        except (KeyError, ValueError):
            raise ValueError(f"give {self._expected}") from None
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """Raise ValueError with the valid values if the value is invalid."""
        if value is None and self.default is None:
            return
        if isinstance(value, bool) != (self.kind is bool) or not self._is_of_kind(value):
            raise ValueError(f"give {self._expected}")
        if self.choices is not None and value not in self.choices:
            raise ValueError(f"give {self._expected}")
        too_little = self.least is not None and value < self.least
        too_much = self.most is not None and value > self.most
        if too_little or too_much or (self.even and value % 2):
            raise ValueError(f"give {self.range}")

    def _is_of_kind(self, value: Any) -> bool:
        if self.kind is float:
            # a whole number may be too large for a float
            return isinstance(value, int | float) and abs(value) <= float_info.max
        return isinstance(value, self.kind)

    @property
    def _expected(self) -> str:
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        return KINDS.get(self.kind, "a word")

    @property
    def range(self) -> str:
        """The range in words: `an even number, 2 or more`."""
        limits = ""
        if self.least is not None and self.most is not None:
            limits = f"{self.least:.12g} to {self.most:.12g}"
        elif self.least is not None:
            limits = f"{self.least:.12g} or more"
        elif self.most is not None:
            limits = f"{self.most:.12g} or less"
        words = ["an even number" if self.even else "", limits]
        return ", ".join(filter(None, words))

    @property
    def example(self) -> str:
        """A valid value for messages."""
        has_default = self.default not in (None, "")
        return self.text(self.default) if has_default else (self.metavar or "VALUE")

    def text(self, value: Any) -> str:
        """Return the value as a user types it."""
        return str(value).lower() if isinstance(value, bool) else str(value)
