"""The self-play loop: play a round on workers, update the state, store it, repeat.

    learner.py     the learner: summarise(games), update(state, summaries), player(state, ...)
    rounds.py      the games of a round as tasks of the workers

All games of a round are played with the state of the round before, so they do not depend on the
speed of workers. A run goes on where it was stopped.
"""

import resource
import time
from typing import Any, NamedTuple

import pyarrow as pa

import agents
from agents.player import Player
from console.progress import Progress
from oracle import curve
from selfplay.config import LearnConfig
from selfplay.learner import Learner
from selfplay.rounds import TEST, Rounds
from selfplay.steps import (
    MIND,
    ROUND,
    check,
    delete_it,
    if_damaged,
    learning_curve,
    round_step,
    rounds_of,
)
from store import Run
from store.parts import Parts
from workers.pool import Workers


class Learned(NamedTuple):
    """Result of a run."""

    address: str
    spec: str  # of the player that has learned
    games: int
    rounds: list[dict]  # rows of the learning curve, numbers only


def learn(learner: str = "rl", **options: Any) -> Player:
    """Learn from self-play: the options of `python -m selfplay.run`. Returns the player."""
    return agents.make(learn_rounds(LearnConfig(learner=learner, **options)).spec)


def learn_rounds(config: LearnConfig) -> Learned:
    """Play rounds until there are as many as the configuration says; then store the player."""
    stored, command = Run(str(config.store)), config.command(config.games)
    check(stored, stored.steps(MIND), delete_it(stored, command))
    rounds_of(stored, command)
    learner = config.learner_class(config.seed, config.size)
    with (
        Run(stored.address, "self-play", config.kept()) as run,
        Parts(run, lambda summary: summary) as parts,
    ):
        if len(run.steps(ROUND)) < config.rounds:
            play_rounds(config, learner, run, parts)
        rounds = learning_curve(run)
        games = config.round * len(rounds)
        mind, about = learner.mind(read_state(run, command))
        run.write(MIND, mind, about | {"made_by": f"python -m {config.command(games)}"})
    return Learned(run.address, learner.spec(run.address), games, rounds)


def play_rounds(config: LearnConfig, learner: Learner, run: Run, parts: Parts) -> None:
    """Play the missing rounds; each is committed when it is done."""
    with Workers.of(config) as workers:
        rounds = Rounds(workers, learner, run.address, config.round)
        first, games = len(run.steps(ROUND)), rounds.total
        state = read_state(run, config.command(config.games)) if first else None
        with Progress("self-play", "games", config.rounds * games, first * games) as progress:
            for number in range(first, config.rounds):
                started = time.monotonic()
                summaries = rounds.play(number, state, parts, progress)
                state = learner.update(state, summaries)
                speed = {"games": games, "seconds": round(time.monotonic() - started, 3)}
                figures = measure(config, rounds, number, state)
                progress.more = progress_text(config, figures)
                if config.curve:
                    add_to_curve(config, rounds, run, number, state)
                run.write(round_step(number), state, speed | figures)
                parts.drop(round_step(number))


def read_state(run: Run, command: str) -> pa.Table:
    """Return the state after the last round. `command`: what made the run."""
    with if_damaged(delete_it(run, command)):
        return run.read(run.steps(ROUND)[-1]).replace_schema_metadata()


def measure(config: LearnConfig, rounds: Rounds, number: int, state: pa.Table) -> dict[str, Any]:
    """Return what the run keeps of a round beside its state."""
    score, tests = rounds.test(number, state, config.tests)
    measured = {"explore": rounds.learner.exploration(number), "memory": memory_in_use()}
    return measured | score | rounds.learner.figures(state, tests)


def progress_text(config: LearnConfig, figures: dict[str, Any]) -> str:
    share = 100 * figures["wins"] / config.tests
    return f"{share:.1f} % against {TEST}, {figures['positions']:,} positions"


def add_to_curve(
    config: LearnConfig, rounds: Rounds, run: Run, number: int, state: pa.Table
) -> None:
    """Store a point of the learning curve, unless it is there."""
    step = curve.step_of(number)
    if not run.has(step):
        player = rounds.learner.named_player(state, run.address)
        run.write(step, curve.measure(rounds.workers, player, config.seed, number))


def memory_in_use() -> int:
    """MiB of this process alone; where the system does not tell, the most that it ever had."""
    try:
        with open("/proc/self/status") as status:
            return int(status.read().partition("RssAnon:")[2].split()[0]) // 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
