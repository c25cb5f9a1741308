"""The recorded games of a run (steps `games-0000`, ...) as texts, with who played them."""

from collections.abc import Iterator

from console.errors import BadInput
from console.typed import command_line
from engine.game_text import DRAW, FIRST_WINS, SECOND_WINS, GameText
from store.run import Run

GAMES, MATCH = "games", "match"


def game_steps(run: Run, name: str = GAMES) -> list[str]:
    """The steps called `name` or `name-...` that hold games of a match that is complete."""
    there = run.steps()
    steps = [s for s in there if s.startswith(GAMES) and (s == name or s.startswith(f"{name}-"))]
    return [step for step in steps if match_step(step) in there]


def not_recorded(run: Run, name: str = GAMES) -> BadInput:
    """That there are none, and what to do."""
    steps = game_steps(run)
    if steps:
        there = f"{steps[0]} to {steps[-1]}" if len(steps) > 1 else steps[0]
        return BadInput(f"{run.address}: has no games called {name!r}; it has {there}")
    # a run that is there keeps what it was made with
    store = () if run.steps() else ("--store", run.address)
    play = command_line("arena.run", "A", "B", "--record", *store)
    return BadInput(f"{run.address}: holds no recorded games; play with: {play}")


def match_step(step: str) -> str:
    """The match whose games a step holds."""
    return step.replace(GAMES, MATCH)


def read_recorded(run: Run, step: str) -> Iterator[GameText]:
    """The games of a step, in order. `match` is the number in the step's name, `game` counts from
    1."""
    names = run.read(match_step(step)).to_pydict()
    labels = names["first"][0], names["second"][0]
    seed = run.about(step)["config"]["seed"]
    for row in run.read(step).to_pylist():
        # in the other seat, the match's first player places first
        first, second = labels if row["seat"] == 0 else labels[::-1]
        for_first = row["result"] if row["seat"] == 0 else -row["result"]
        result = {1: FIRST_WINS, 0: DRAW, -1: SECOND_WINS}[for_first]
        numbers = {"match": row["match"], "game": row["game"] + 1, "seed": seed}
        headers = {"first": first, "second": second, **numbers, "result": result}
        yield GameText({key: str(value) for key, value in headers.items()}, row["moves"])
