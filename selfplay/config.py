"""What a run of self-play is asked to do: the options of `python -m selfplay.run`, the arguments of
`selfplay.learn`, and the configuration that a run keeps."""

from dataclasses import dataclass
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
from store.job import Job

COUNT: dict[str, Any] = {"kind": int, "least": 20, "metavar": "N"}


def of_each(name: str) -> str:
    """`1000000 for rl, 4000 for beam`."""
    return ", ".join(f"{getattr(one, name)} for {one.name}" for one in LEARNERS.values())


@dataclass(kw_only=True)
class LearnConfig(Job):
    """Which learner, and how many games. More games extend a run."""

    in_name = ("learner",)

    learner: str = option("rl", f"{' or '.join(LEARNERS)}, or path/to/file.py:Class")
    games: int = option(
        None, f"in all (default {of_each('games')}); more of them extend a run", kept=False, **COUNT
    )
    round: int = option(
        None, f"games of a round (default {of_each('round')}, at most a quarter of all)", **COUNT
    )
    size: int = option(200_000, "positions that are kept, the most visited ones", least=1)
    tests: int = option(2000, f"games against {TEST} after each round, to see it learn", least=2)
    curve: bool = option(True, "do not measure the learning curve on the way", kept=False)

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
        """Module and options that make the same table of this many games."""
        names = ("round", "size", "tests", "seed")
        options = "".join(f" --{name} {getattr(self, name)}" for name in names)
        return f"selfplay.run --learner {self.learner} --games {games}{options}"
