"""The options of `python -m selfplay.run`, which are the arguments of `selfplay.learn` and the
configuration that a run stores."""

from functools import cached_property
from typing import Any

import agents
from console.config import option
from console.errors import BadInput
from selfplay.learner import ITSELF, Learner
from selfplay.learners import LEARNERS, find_learner
from selfplay.rounds import TEST
from selfplay.steps import rounds_of
from store import Run
from store.job import Job, defaults_text

COUNT: dict[str, Any] = {"least": 20, "metavar": "N"}


def by_learner(name: str, help: str, **limits: Any) -> Any:
    """Return an option whose default is an attribute of the learner."""
    values = {learner.name: getattr(learner, name) for learner in LEARNERS.values()}
    return option(None, f"{help} ({defaults_text(values)})", **limits, **COUNT)


class LearnConfig(Job):
    """Which learner, and how many games. More games extend a run."""

    in_name = ("learner",)

    learner: str = option("rl", f"{', '.join(LEARNERS)}, or path/to/file.py:Class")
    games: int = by_learner("games", "games in all, with those of earlier commands", kept=False)
    round: int = by_learner("round", "games of a round; by default at most a quarter of all")
    size: int = option(200_000, "positions to keep, the most visited first", least=1, metavar="N")
    tests: int = option(2000, f"test games against {TEST} after each round", least=2, metavar="N")
    curve: bool = option(True, "do not measure the learning curve", kept=False)

    def check(self) -> None:
        if self.games is None:
            self.games = self.learner_class.games
        if self.round is not None and self.round > self.games:
            more = f"more than the {self.games} games of the run: give fewer, or more --games"
            raise BadInput(f"--round {self.round}: {more}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.round is None:
            # a command that extends a run need not repeat the size of its rounds
            rounds = rounds_of(Run(str(self.store)))
            default = min(self.learner_class.round, max(20, self.games // 4))
            self.round = rounds[0]["config"].get("round", default) if rounds else default

    def what(self) -> str:
        return f"selfplay-{self.learner.rpartition(':')[2]}"

    @cached_property
    def learner_class(self) -> type[Learner]:
        try:
            return find_learner(self.learner)
        except ValueError as error:
            raise BadInput(f"--learner {self.learner}: {error}") from None

    @property
    def rounds(self) -> int:
        return max(1, round(self.games / self.round))

    def kept(self) -> dict[str, Any]:
        mix, source = self.learner_class.mix, self.learner_class.source
        minds = {name: agents.make(name).digest for name in mix if name != ITSELF}
        own = {"source": source.digest} if source else {}
        return super().kept() | {"mix": dict(mix), "minds": minds} | own

    def command(self, games: int) -> str:
        """Return module and options of the command that makes a run of this many games."""
        names = ("round", "size", "tests", "seed")
        options = "".join(f" --{name} {getattr(self, name)}" for name in names)
        return f"selfplay.run --learner {self.learner} --games {games}{options}"
