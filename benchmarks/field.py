"""Every player's accuracy against its time: right turns by stage, microseconds a turn.

    python -m benchmarks.field                                  every player, minutes
    python -m benchmarks.field sprint bounded bounded:nodes=1000 --out field.html

A turn is a cell and a piece; it is right if both together keep the exact value. The positions are
those of the judge set (1,000 for each of 5 to 12 pieces, something at stake in each), which nobody
was selected or tuned by. Time is CPU time of one thread, in the same run; of players that are no
compiled ones it is wall time. A player that takes long is asked fewer positions of a stage: `of`
says how many. The front: who is beaten by nobody that takes as little time.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.player import Player
from arena.entrants import Entrants
from arena.match import Batch, Side
from arena.statistics import wilson
from console.command import run_command
from console.config import check_out, option
from console.progress import Progress
from console.table import print_table
from engine.jit.interruptible import Calls
from oracle import testset
from oracle.measure_accuracy import judge
from oracle.right_turns import as_questions, right_turns
from oracle.testset import JUDGESET, STAGES, TESTSET, Question
from web.pages.page import Page, Section, write_page
from web.pages.tournament_figures import Dot, field_figure, front

SETS = {"judge": JUDGESET, "test": TESTSET}
TRIAL = 0.02  # of the seconds, to learn a player's pace
FEW = 1000  # of a stage; who was asked fewer is marked
SEED = 1


@dataclass(kw_only=True)
class FieldConfig(Entrants):
    set: str = option("judge", "which frozen positions", choices=tuple(SETS))
    positions: int = option(FEW, "of each stage, at most", least=1)
    seconds: float = option(
        20.0, "of a player and a stage: a slow one is asked fewer positions", least=0.001
    )
    out: str | None = option(None, "draw accuracy against time into this HTML file", metavar="FILE")
    json: bool = option(False, "print one JSON object instead of a table")

    def check(self) -> None:
        self.all = self.all or not self.players
        super().check()
        if self.out is not None:
            check_out(self.out)


class Stage(NamedTuple):
    """Turns of a player in positions of one stage."""

    right: int
    of: int
    seconds: float

    @property
    def share(self) -> float:
        return self.right / self.of

    @property
    def microseconds(self) -> float:
        return 1e6 * self.seconds / self.of


class Measured(NamedTuple):
    """A player: its stages by pieces on the board."""

    player: str
    stages: dict[int, Stage]

    @property
    def share(self) -> float:
        """The mean of the stages."""
        return float(np.mean([stage.share for stage in self.stages.values()]))

    @property
    def interval(self) -> tuple[float, float]:
        """95 %: as many positions as would tell the mean as surely, if all stages were alike."""
        trials = len(self.stages) ** 2 / sum(1 / stage.of for stage in self.stages.values())
        return wilson(self.share * trials, round(trials))

    @property
    def microseconds(self) -> float:
        return float(np.mean([stage.microseconds for stage in self.stages.values()]))


def count_compiled(player: Player, questions: Sequence[Question]) -> Callable[[int, int], int]:
    """What counts the right turns of so many positions from a first one on. With a memory of its
    own: a solver's remembers what it has found out."""
    side, asked = Side.of(player), as_questions(questions)
    side = side._replace(mind=side.mind._replace(memory=side.mind.memory.copy()))
    parameters = player.mind.parameters[np.newaxis]

    def count(first: int, size: int) -> int:
        return int(right_turns(side, parameters, asked, Batch(SEED, first, size))[0, 0])

    return count


def count_in_python(player: Player, questions: Sequence[Question]) -> Callable[[int, int], int]:
    ask = Calls(player.compiled)

    def count(first: int, size: int) -> int:
        asked = enumerate(questions[first : first + size], first)
        return sum(judge(player, question, index, ask)["turn"] for index, question in asked)

    return count


def measure_stage(player: Player, questions: Sequence[Question], seconds: float) -> Stage:
    """As many positions as the seconds allow, by the pace of a trial, which does not count: what is
    compiled or read at the first use is in it. The rest is one call: each costs a millisecond."""
    counter = count_compiled if player.compiled else count_in_python
    clock = time.process_time if player.compiled else time.perf_counter
    trial, first, size, spent = counter(player, questions), 0, 1, 0.0
    trial(0, 1)
    # other positions every time: what is known already takes no time
    while first + size <= len(questions):
        started = clock()
        trial(first, size)
        spent = clock() - started
        first += size
        if spent > TRIAL * seconds:
            break
        size *= 2
    # the last block of the trial was half of all that were asked
    pace = max(spent, 1e-9) / max(1, (first + 1) // 2)
    size, count = min(len(questions), max(1, int(seconds / pace))), counter(player, questions)
    started = clock()
    right = count(0, size)
    return Stage(right, size, clock() - started)


def measure(config: FieldConfig) -> list[Measured]:
    questions = testset.read(SETS[config.set])
    field = []
    with Progress("field", "stages", len(config.entrants) * len(STAGES)) as progress:
        for player in config.entrants:
            stages = {}
            for placed in STAGES:
                asked = [one for one in questions if one.position.placed == placed]
                asked = asked[: config.positions]
                stages[placed] = measure_stage(player, asked, config.seconds)
                progress.add(1)
            field.append(Measured(player.label, stages))
    return field


def front_of(field: list[Measured]) -> list[Measured]:
    """The quickest first: each is right more often than all that take no more time."""
    return [field[i] for i in front([(one.microseconds, one.share) for one in field])]


def text_rows(field: list[Measured]) -> list[list[str]]:
    """Percent, half of its interval, microseconds; the best first."""
    best = {one.player for one in front_of(field)}
    head = ["player", "front", "us", "right", "95 %", *(f"{stage} pieces" for stage in STAGES)]
    rows = [head]
    for one in sorted(field, key=lambda one: -one.share):
        low, high = one.interval
        row = [one.player, "*" if one.player in best else "", f"{one.microseconds:,.1f}"]
        row += [f"{100 * one.share:.1f}", f"{100 * low:.1f} .. {100 * high:.1f}"]
        rows.append(row + [stage_text(stage) for stage in one.stages.values()])
    return rows


def stage_text(stage: Stage) -> str:
    low, high = wilson(stage.right, stage.of)
    time = f"{stage.microseconds:,.0f}" if stage.microseconds >= 10 else f"{stage.microseconds:.1f}"
    few = f" of {stage.of}" if stage.of < FEW else ""
    return f"{100 * stage.share:.1f} +-{50 * (high - low):.1f} / {time}{few}"


def as_json(field: list[Measured], config: FieldConfig) -> dict:
    best = {one.player for one in front_of(field)}
    return {
        "set": config.set,
        "players": [
            {
                "player": one.player,
                "front": one.player in best,
                "share": one.share,
                "interval": one.interval,
                "microseconds": one.microseconds,
                "stages": {
                    placed: stage._asdict() | {"interval": wilson(stage.right, stage.of)}
                    for placed, stage in one.stages.items()
                },
            }
            for one in field
        ],
    }


def dot_of(one: Measured) -> Dot:
    low, high = one.interval
    return Dot(one.player, one.microseconds, 100 * one.share, 100 * low, 100 * high)


def measure_and_print(config: FieldConfig) -> None:
    field = measure(config)
    if config.json:
        print(json.dumps(as_json(field, config)))
    else:
        title = "right turns in percent / microseconds a turn; *: on the front"
        print_table(text_rows(field), title)
    if config.out is not None:
        about = (
            f"{len(field)} players on the {config.set} set, {config.positions} positions a stage"
        )
        figure = field_figure([dot_of(one) for one in field], "a turn")
        section = Section("Right turns against time", text_rows(field), figure)
        write_page(Path(config.out), Page("The field", about, [section]).as_html())


main = partial(run_command, "benchmarks.field", __doc__, FieldConfig, measure_and_print)

if __name__ == "__main__":
    sys.exit(main())
