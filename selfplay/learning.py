"""The learning loop: rounds until there are enough, each kept as one Parquet file.

A round plays with the table of the round before, so its games do not depend on who is faster; what
was met is added up, which does not depend on the order. A run goes on where it was stopped.
"""

import resource
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import agents
from agents.player import Player
from arena.statistics import wilson
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from oracle import curve
from selfplay.learner import ITSELF, Learner
from selfplay.learners import LEARNERS, find_learner
from selfplay.rounds import TEST, Rounds
from selfplay.steps import MIND, ROUND, check, delete_it, if_damaged, round_step, rounds_of
from store import Run
from store.job import Job
from store.parts import Parts
from store.run import understood
from workers.pool import Workers

COUNT: dict[str, Any] = {"kind": int, "least": 20, "metavar": "N"}


def of_each(name: str) -> str:
    """`1000000 for rl, 4000 for beam`."""
    return ", ".join(f"{getattr(who, name)} for {who.name}" for who in LEARNERS.values())


@dataclass(kw_only=True)
class LearnConfig(Job):
    """What is learned, and from how many games. More games extend a run."""

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
            self.games = self.who.games
        if self.round is not None and self.round > self.games:
            more = f"more than the {self.games} games of the run: give fewer, or more --games"
            raise BadInput(f"--round {self.round}: {more}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.round is None:
            # who extends a run need not tell the size of its rounds again
            rounds = rounds_of(Run(str(self.store)))
            default = min(self.who.round, max(20, self.games // 4))
            self.round = rounds[0]["config"].get("round", default) if rounds else default

    def what(self) -> str:
        return f"selfplay-{self.learner.rpartition(':')[2]}"

    @cached_property
    def who(self) -> Learner:
        try:
            return find_learner(self.learner)
        except ValueError as error:
            raise BadInput(f"--learner {self.learner}: {error}") from None

    @property
    def rounds(self) -> int:
        return max(1, round(self.games / self.round))

    def kept(self) -> dict[str, Any]:
        others = [name for name in self.who.mix if name != ITSELF]
        minds = {name: agents.make(name).digest for name in others}
        source = {"source": self.who.source.digest} if self.who.source else {}
        return super().kept() | {"mix": dict(self.who.mix), "minds": minds} | source

    def command(self, games: int) -> str:
        """The module and options that make the same table of so many games."""
        names = ("round", "size", "tests", "seed")
        options = "".join(f" --{name} {getattr(self, name)}" for name in names)
        return f"selfplay.run --learner {self.learner} --games {games}{options}"


class Learned(NamedTuple):
    """What came of a run."""

    address: str
    spec: str  # of the player that has learned
    games: int
    rounds: list[dict]  # rows of the learning curve, numbers only


def learn(learner: str = "rl", **options: Any) -> Player:
    """Learn from self-play: the options of `python -m selfplay.run`. Returns the player."""
    return agents.make(learn_rounds(LearnConfig(learner=learner, **options)).spec)


def learn_rounds(config: LearnConfig) -> Learned:
    """Rounds until there are as many as the configuration says; then the player's mind."""
    stored, command = Run(str(config.store)), config.command(config.games)
    check(stored, stored.steps(MIND), delete_it(stored, command))
    rounds_of(stored, command)
    with Run(stored.address, "self-play", config.kept()) as run:
        table = read_known(run, config, command)
        if len(run.steps(ROUND)) < config.rounds:
            table = play_rounds(config, run, table)
        curve = learning_curve(run)
        games = config.round * len(curve)
        mind, more = config.who.mind(table)
        about = {"holds": config.who.holds, "made_by": f"python -m {config.command(games)}"}
        run.write(MIND, mind, about | more)
    return Learned(run.address, config.who.spec(run.address), games, curve)


def read_known(run: Run, config: LearnConfig, command: str) -> Any:
    """What is known after the last round."""
    who = config.who
    steps = run.steps(ROUND)
    with if_damaged(delete_it(run, command)):
        return who.from_arrow(run.read(steps[-1])) if steps else who.nothing(config.seed)


def play_rounds(config: LearnConfig, run: Run, known: Any) -> Any:
    """The rounds that are missing, each committed when it is done."""
    with Workers(config.workers, config.address, config.patience, config.dashboard) as workers:
        rounds = Rounds(workers, config.who, run.address, config.seed, config.round)
        first, each = len(run.steps(ROUND)), sum(rounds.games.values())
        with (
            Progress("self-play", "games", config.rounds * each, first * each) as progress,
            Parts(run, config.who.to_arrow) as parts,
        ):
            for number in range(first, config.rounds):
                started = time.monotonic()
                kept = rounds.play(number, known, parts, progress)
                known = config.who.next(known, kept, config.size, config.seed)
                seconds = time.monotonic() - started
                result = rounds.test(number, known, config.tests)
                share, figures = result["wins"] / config.tests, config.who.figures(known)
                met = f"{figures['positions']:,} positions"
                progress.more = f"{100 * share:.1f} % against {TEST}, {met}"
                measured = {
                    "games": each,
                    "seconds": round(seconds, 3),
                    "explore": config.who.exploration(number),
                    "memory": memory_in_use(),
                    **figures,
                }
                if config.curve and not run.has(curve.step_of(number)):
                    player = config.who.as_player(known, run.address)
                    point = curve.measure(workers, player, config.seed, number)
                    run.write(curve.step_of(number), point)
                run.write(round_step(number), config.who.to_arrow(known), measured | result)
                parts.drop(round_step(number))
    return known


def learning_curve(run: Run) -> list[dict]:
    """One row a round: what was measured, the games so far, and the 95 % interval of the wins."""
    rows, games = [], 0
    with understood(run.address):
        for number, about in enumerate(rounds_of(run), 1):
            row = about["measured"]
            games += row["games"]
            low, high = wilson(row["wins"], row["wins"] + row["draws"] + row["losses"])
            rows.append({"round": number, "games_so_far": games, **row, "low": low, "high": high})
    return rows


def memory_in_use() -> int:
    """MiB of this process alone; where the system does not tell, the most that it ever had."""
    try:
        with open("/proc/self/status") as status:
            return int(status.read().partition("RssAnon:")[2].split()[0]) // 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
