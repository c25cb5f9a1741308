"""The self-play loop: play a round on workers, update the state, store it, repeat.

    learner.py     the learner: summarise(games), update(state, summaries), player(state, ...)
    rounds.py      the games of a round as tasks of the workers

All games of a round are played with the state after the round before, so they do not depend on the
speed of workers. A run resumes where it was stopped.
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
from selfplay.steps import ROUND, check_run, learning_curve, read_state, round_step
from store import Run
from store.kinds import MIND, PLANNED
from store.parts import Parts
from workers.pool import Workers


class LearnResult(NamedTuple):
    """The result of a run. `spec`: its player. `rounds`: rows of the learning curve."""

    address: str
    spec: str
    games: int
    rounds: list[dict]


def learn(learner: str = "rl", **options: Any) -> Player:
    """Learn from self-play and return the player. Options are those of `python -m selfplay.run`."""
    return agents.make(learn_rounds(LearnConfig(learner=learner, **options)).spec)


def learn_rounds(config: LearnConfig) -> LearnResult:
    """Play rounds until there are as many as the configuration says, then store the player."""
    stored, command = Run(str(config.store)), config.command(config.games)
    check_run(stored, command)
    learner = config.learner_class(config.seed, config.size)
    with Run(stored.address, "self-play", config.kept()) as run, Parts(run) as parts:
        if len(run.steps(ROUND)) < config.rounds:
            play_rounds(config, learner, run, parts)
        rounds = learning_curve(run)
        games = config.round * len(rounds)
        mind, about = learner.mind(read_state(run, command))
        run.write(MIND, mind, about | {"made_by": f"python -m {config.command(games)}"})
    return LearnResult(run.address, learner.spec(run.address), games, rounds)


def play_rounds(config: LearnConfig, learner: Learner, run: Run, parts: Parts) -> None:
    """Play the missing rounds and commit each."""
    with Workers.of(config) as workers:
        rounds = Rounds(workers, learner, run.address, config.round)
        first, games = len(run.steps(ROUND)), rounds.total
        points = curve.Curve(run, "round")
        state = read_state(run, config.command(config.games)) if first else None
        with Progress("self-play", "games", config.rounds * games, first * games) as progress:
            for number in range(first, config.rounds):
                started = time.monotonic()
                summaries = rounds.play(number, state, parts, progress)
                state = learner.update(state, summaries)
                seconds = round(time.monotonic() - started, 3)
                figures = measure(config, rounds, number, state)
                strength = f"{100 * figures['wins'] / config.tests:.1f} % against {TEST}"
                if config.curve:
                    player = learner.named_player(state, run.address)
                    if point := points.add(workers, player, config.seed, number):
                        right, of = point.right
                        strength = f"{100 * right / of:.1f} % right turns"
                progress.more = f"{strength}, {figures['positions']:,} positions"
                measured = {"games": games, "seconds": seconds, PLANNED: config.rounds} | figures
                column = pa.repeat(pa.scalar(number, pa.int32()), len(state))
                run.write(round_step(number), state.append_column("round", column), measured)
                parts.drop(round_step(number))


def measure(config: LearnConfig, rounds: Rounds, number: int, state: pa.Table) -> dict[str, Any]:
    """Play test games and return the figures of a round."""
    score, tests = rounds.test(number, state, config.tests)
    figures = {"explore": rounds.learner.exploration(number), "memory": memory_in_use()}
    return figures | score | rounds.learner.figures(state, tests)


def memory_in_use() -> int:
    """Return the private memory of this process in MiB; without /proc, its peak."""
    try:
        with open("/proc/self/status") as status:
            return int(status.read().partition("RssAnon:")[2].split()[0]) // 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
