"""An option, said once: its default, what it means, and what it may be.

Commands (config.py) and players (agents/player.py) declare their options with it. From the
declaration come parsing, the check of what was given, the help and the documentation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from sys import float_info
from typing import Any

YES_OR_NO = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Option:
    """One option. `kind` is the type of the default unless it is given; None is a default, too."""

    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: Sequence | None = None
    even: bool = False
    kind: type = str
    metavar: str | None = None

    def __post_init__(self) -> None:
        if self.default is not None and self.kind is str:
            object.__setattr__(self, "kind", type(self.default))

    def parse(self, text: str) -> Any:
        """The value that a text means; ValueError says what is expected."""
        try:
            value = YES_OR_NO[text.lower()] if self.kind is bool else self.kind(text)
        except (KeyError, ValueError):
            raise ValueError(f"give {self._what}") from None
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """ValueError says what is expected, if it is not this."""
        if value is None and self.default is None:
            return
        if isinstance(value, bool) != (self.kind is bool) or not self._is_of_kind(value):
            raise ValueError(f"give {self._what}")
        if self.choices is not None and value not in self.choices:
            raise ValueError(f"give {self._what}")
        too_little = self.least is not None and value < self.least
        too_much = self.most is not None and value > self.most
        if too_little or too_much or (self.even and value % 2):
            raise ValueError(f"give {self.range}")

    def _is_of_kind(self, value: Any) -> bool:
        if self.kind is float:
            # a whole number may be too large to be a float
            return isinstance(value, int | float) and abs(value) <= float_info.max
        return isinstance(value, self.kind)

    @property
    def _what(self) -> str:
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        return KINDS.get(self.kind, "a word")

    @property
    def range(self) -> str:
        """In words: `an even number, 2 or more`."""
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
        """A value that may be given."""
        return (
            self.text(self.default) if self.default not in (None, "") else (self.metavar or "VALUE")
        )

    def text(self, value: Any) -> str:
        """The value as it is typed."""
        return str(value).lower() if isinstance(value, bool) else str(value)
