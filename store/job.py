"""Configurations of commands whose result is a run."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, ClassVar

from console.config import Config, Work, option
from console.errors import BadInput
from store.run import config_at

DIGITS = 6  # of the digest in a run's name


class Stored(Config):
    """A configuration whose result is stored in a run. The default configuration has a short name,
    `runs/evo-ga-0`, unless it is taken by a run of another configuration; any other has a digest
    appended. So a command finds its own run again and no other."""

    # fields beside the seed that the name contains
    in_name: ClassVar[tuple[str, ...]] = ()

    seed: int = option(0, "the same seed gives the same result")
    store: str | None = option(
        None,
        "folder or s3:// address of the run (default: in runs/, named after the options)",
        kept=False,
        metavar="RUN",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.store == "":
            raise BadInput("--store '': give a folder or an s3:// address")
        self.store = self.store or self._default_store()

    def what(self) -> str:
        """Return the first part of the default store's name."""
        return "run"

    def _default_store(self) -> str:
        short = f"runs/{self.what()}-{self.seed}"
        text = json.dumps(self.kept(), sort_keys=True, default=str)
        own = f"{short}-{hashlib.sha256(text.encode()).hexdigest()[:DIGITS]}"
        if not self.is_default():
            return own
        # defaults may have changed since the run of the short name was made
        return own if self._is_of(own) or self._is_of(short) is False else short

    def _is_of(self, address: str) -> bool | None:
        """Return whether a stored run is of this configuration; None if there is no run."""
        stored = config_at(address)
        if stored is None:
            return None
        now = json.loads(json.dumps(self.kept(), default=str))
        # None: a default that follows from other fields
        return all(value in (None, stored.get(name)) for name, value in now.items())

    def is_default(self) -> bool:
        """Return whether all fields that the name does not contain have their defaults."""
        same = {name: getattr(self, name) for name in ("seed", *self.in_name)}
        default = Config.kept(type(self)(**same, store="-"))
        return all(getattr(self, name) in (None, value) for name, value in default.items())


class Job(Stored, Work):
    """Work of several processes whose result is stored in a run."""


def defaults_text(values: Mapping[str, Any], unit: str = "") -> str:
    """Return `default 100; evolved 20, beam 12` for values by name: the first one's is the default,
    then those that differ."""
    texts = {
        name: (f"{value:g}" if isinstance(value, float) else f"{value}") + unit
        for name, value in values.items()
    }
    default, *_ = texts.values()
    others = ", ".join(f"{name} {text}" for name, text in texts.items() if text != default)
    return f"default {default}" + (f"; {others}" if others else "")
