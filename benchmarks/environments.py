"""Do the environments play the game, and how fast? Recorded games of the match loop go through
every face and must end as they did; then steps/s of one core, PettingZoo's connect_four beside,
if pygame is installed, which that needs."""

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import agents
from agents.player import Player
from arena.match import play_match
from benchmarks.measure import Figures, best_rate
from console.command import run_command
from console.config import Config, option
from console.errors import BadInput
from engine.lines import CELLS
from engine.position import NONE

BOARDS = 4096
CONNECT_FOUR = "pettingzoo.classic.connect_four.connect_four"
# The actions of a game, and its result for whoever gives first.
Recorded = tuple[list[int], int]


@dataclass(kw_only=True)
class EnvironmentsConfig(Config):
    games: int = option(10_000, "random games through each face", least=1)
    seed: int = option(1, "which games")


def recorded_games(config: EnvironmentsConfig) -> list[Recorded]:
    """Of the match loop, which knows nothing of environments."""
    players = agents.make("random"), agents.make("random")
    played = play_match(*players, config.seed, config.games, record=True)
    assert played.moves is not None and played.results is not None
    games = []
    for index, moves in enumerate(played.moves):
        actions = moves + np.tile([CELLS, 0], len(moves) // 2)
        result = int(played.results[index]) * (1 if index % 2 == 0 else -1)
        games.append((actions[moves != NONE].tolist(), result))
    return games


class Script(Player):
    """Plays what it was told to."""

    compiled = False
    actions: Iterator[int] = iter(())

    def place(self, position: Any, rng: Any = None) -> int:
        return next(self.actions)

    def give(self, position: Any, rng: Any = None) -> int:
        return next(self.actions) - CELLS


def through_pettingzoo(games: list[Recorded]) -> int:
    """How many end as they did, all of their actions legal on the way."""
    from envs import quarto_v0

    env, equal = quarto_v0.env(), 0
    for actions, result in games:
        env.reset()
        legal = True
        for action in actions:
            legal &= bool(env.last()[0]["action_mask"][action])
            env.step(action)
        rewards = {"player_0": result, "player_1": -result}
        equal += legal and all(env.terminations.values()) and env.rewards == rewards
    return equal


def through_gymnasium(games: list[Recorded]) -> int:
    from envs.gym import QuartoEnv

    script, equal = Script(), 0
    env = QuartoEnv(script, seat=0)
    for actions, result in games:
        # the learner gives; the script places and gives; the learner places and gives ...
        mine = [action for i, action in enumerate(actions) if (i + 1) // 2 % 2 == 0]
        script.actions = iter([action for i, action in enumerate(actions) if (i + 1) // 2 % 2])
        env.reset()
        for action in mine:
            _, reward, over, _, _ = env.step(action)
        equal += over and reward == result and env.actions == actions
    return equal


def through_openspiel(games: list[Recorded]) -> int:
    import pyspiel

    game, equal = pyspiel.load_game("python_quarto"), 0
    for actions, result in games:
        state = game.new_initial_state()
        legal = True
        for action in actions:
            legal &= action in state.legal_actions()
            state.apply_action(action)
        equal += legal and state.is_terminal() and state.returns() == [result, -result]
    return equal


def through_boards(games: list[Recorded]) -> int:
    """All at once; who has finished goes on with the first legal action."""
    from envs.vector import Boards

    boards, equal = Boards(len(games)), 0
    for step in range(max(len(actions) for actions, _ in games)):
        chosen, players = boards.masks.argmax(axis=1), boards.players.copy()
        for i, (actions, _) in enumerate(games):
            if step < len(actions):
                chosen[i] = actions[step]
        rewards, dones = boards.step(chosen)
        for i, (actions, result) in enumerate(games):
            if step == len(actions) - 1:
                equal += bool(dones[i]) and rewards[i] * (1 - 2 * players[i]) == result
    return equal


def play_pettingzoo(env: Any, steps: int) -> None:
    env.reset()
    for _ in range(steps):
        observation, _, over, truncated, _ = env.last()
        if over or truncated:
            env.reset()
            continue
        env.step(random.choice(np.flatnonzero(observation["action_mask"])))


def pettingzoo_rate(module: str, name: str) -> float | None:
    """Thousand steps/s; None where the module cannot be imported."""
    try:
        env = getattr(importlib.import_module(module), name)()
    except ImportError:
        return None
    return best_rate(partial(play_pettingzoo, env)) / 1e3


def play_gymnasium(env: Any, steps: int) -> None:
    _, info = env.reset()
    for _ in range(steps):
        action = random.choice(np.flatnonzero(info["action_mask"]))
        _, _, over, _, info = env.step(action)
        if over:
            _, info = env.reset()


def play_openspiel(game: Any, steps: int) -> None:
    state = game.new_initial_state()
    for _ in range(steps):
        state.apply_action(random.choice(state.legal_actions()))
        if state.is_terminal():
            state = game.new_initial_state()


def play_boards(boards: Any, steps: int) -> None:
    for _ in range(max(1, steps // boards.n)):
        boards.step(boards.random_actions())


FACES: dict[str, Callable[[list[Recorded]], int]] = {
    "PettingZoo, wrapped": through_pettingzoo,
    "Gymnasium": through_gymnasium,
    "OpenSpiel": through_openspiel,
    "boards": through_boards,
}


def measure_rates(figures: Figures) -> None:
    """Random play, a step is one decision; the yardstick is connect_four through the same loop."""
    import pyspiel

    from envs.gym import QuartoEnv
    from envs.vector import Boards

    for name in ("env", "raw_env"):
        here, there = (pettingzoo_rate(module, name) for module in ("envs.quarto_v0", CONNECT_FOUR))
        figures.compare(f"PettingZoo, {name}", here or 0, there, "k/s", ">= 1")
    rate = best_rate(partial(play_gymnasium, QuartoEnv("random")))
    figures.add("Gymnasium, steps of the learner", f"{rate / 1e3:,.0f} k/s")
    rate = best_rate(partial(play_openspiel, pyspiel.load_game("python_quarto")))
    figures.add("OpenSpiel, without observations", f"{rate / 1e3:,.0f} k/s")
    boards = Boards(BOARDS)
    rate = BOARDS * best_rate(lambda calls: play_boards(boards, calls * BOARDS))
    figures.add(f"{BOARDS} boards a call, actions drawn", f"{rate / 1e6:,.1f} M/s", ">= 10 M/s")


def measure(config: EnvironmentsConfig) -> None:
    try:
        for face in ("envs.quarto_v0", "envs.gym", "envs.openspiel"):
            importlib.import_module(face)
    except ImportError as error:
        raise BadInput(str(error)) from None
    figures = Figures()
    games = recorded_games(config)
    for name, through in FACES.items():
        equal = through(games)
        figures.add(f"{name}: games that end as recorded", f"{equal} of {len(games)}", "all")
    measure_rates(figures)


main = partial(run_command, "benchmarks.environments", __doc__, EnvironmentsConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
