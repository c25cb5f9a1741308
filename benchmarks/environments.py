"""The speed of the environments: steps per CPU second of random play on one core, beside
PettingZoo's connect_four if pygame is installed, which that needs."""

import importlib
import random
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import best_rate
from benchmarks.record import Benchmark, Figures, Results
from console.command import command
from console.errors import BadInput

CONNECT_FOUR = "pettingzoo.classic.connect_four.connect_four"
BOARDS = 4096  # boards that step at once


def play_pettingzoo(env: Any, steps: int) -> None:
    env.reset()
    for _ in range(steps):
        observation, _, over, truncated, _ = env.last()
        if over or truncated:
            env.reset()
            continue
        env.step(random.choice(np.flatnonzero(observation["action_mask"])))


def pettingzoo_rate(module: str, name: str) -> float | None:
    """Return thousands of steps per second; None if the module cannot be imported."""
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


def play_boards(boards: Any, calls: int) -> None:
    for _ in range(calls):
        boards.step(boards.random_actions())


def measure(config: Benchmark) -> None:
    with Results("environments", config) as results:
        measure_faces(results.figures())


def measure_faces(figures: Figures) -> None:
    try:
        for face in ("envs.quarto_v0", "envs.gym", "envs.openspiel"):
            importlib.import_module(face)
    except ImportError as error:
        raise BadInput(str(error)) from None
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
    rate = BOARDS * best_rate(partial(play_boards, Boards(BOARDS)))
    what = f"{BOARDS} boards a call, actions drawn"
    figures.add(what, f"{rate / 1e6:,.1f} M/s", ">= 10 M/s")


main = command("benchmarks.environments", __name__, __doc__, Benchmark, measure)
