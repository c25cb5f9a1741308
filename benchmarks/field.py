"""Every player's accuracy against its time: right turns by stage, microseconds per turn.

    python -m benchmarks.field                                  every player, minutes
    python -m benchmarks.field sprint bounded bounded:nodes=1000

A turn is a cell and a piece; it is right if both together keep the exact value. The positions are
those of the judge set (1,000 for each of 5 to 12 pieces, with something at stake in each), which no
player was selected or tuned by. Time is CPU time of one thread, wall time for players that are not
compiled. A slow player is asked fewer positions per stage; `of` shows how many. The front: players
that no other beats in at most as much time.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agents.player import Player
from arena.entrants import Entrants
from arena.match import Batch, Side
from arena.statistics import wilson
from benchmarks.measure import interval, percent
from benchmarks.record import Benchmark, Results
from console.command import command
from console.config import option
from console.progress import Progress
from engine.jit.interruptible import Calls
from oracle import testset
from oracle.measure_accuracy import judge
from oracle.right_turns import as_questions, right_turns
from oracle.testset import JUDGESET, STAGES, TESTSET, Question
from web.pages.tournament import front

SETS = {"judge": JUDGESET, "test": TESTSET}
TRIAL = 0.02  # share of the seconds that is spent on learning a player's pace
FULL = 1000  # positions of a stage; a stage with fewer says how many
SEED = 1


class FieldConfig(Entrants, Benchmark):
    set: str = option("judge", "which frozen positions", choices=tuple(SETS))
    positions: int = option(FULL, "positions of each stage, at most", least=1)
    seconds: float = option(
        20.0, "seconds for a player and a stage: a slow one is asked fewer positions", least=0.001
    )

    def check(self) -> None:
        self.all = self.all or not self.players
        super().check()


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

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.right, self.of)


class Measured(NamedTuple):
    """A player and its stages by pieces on the board."""

    player: str
    stages: dict[int, Stage]

    @property
    def share(self) -> float:
        """Mean share of right turns over the stages."""
        return float(np.mean([stage.share for stage in self.stages.values()]))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share, by the effective number of positions."""
        trials = len(self.stages) ** 2 / sum(1 / stage.of for stage in self.stages.values())
        return wilson(self.share * trials, round(trials))

    @property
    def microseconds(self) -> float:
        return float(np.mean([stage.microseconds for stage in self.stages.values()]))


def counter_of(player: Player, questions: Sequence[Question]) -> Callable[[int, int], int]:
    """Return a function that counts the right turns of `size` positions from the first one on. It
    has a memory of its own, since a solver remembers its results."""
    if not player.compiled:
        ask = Calls(player.compiled)

        def count_in_python(first: int, size: int) -> int:
            asked = enumerate(questions[first : first + size], first)
            return sum(judge(player, question, index, ask)["turn"] for index, question in asked)

        return count_in_python
    side, asked = Side.of(player), as_questions(questions)
    side = side._replace(mind=side.mind._replace(memory=side.mind.memory.copy()))
    parameters = player.mind.parameters[np.newaxis]

    def count(first: int, size: int) -> int:
        return int(right_turns(side, parameters, asked, Batch(SEED, first, size))[0, 0])

    return count


def measure_stage(player: Player, questions: Sequence[Question], seconds: float) -> Stage:
    """Ask as many positions as the seconds allow by the pace of a trial. The trial does not count,
    since it includes compiling and loading; the rest is one call, since a call costs 1 ms."""
    clock = time.process_time if player.compiled else time.perf_counter
    trial, first, size, spent = counter_of(player, questions), 0, 1, 0.0
    trial(0, 1)
    # new positions in every block: a remembered one would take no time
    while first + size <= len(questions) and spent <= TRIAL * seconds:
        started = clock()
        trial(first, size)
        spent = clock() - started
        first, size = first + size, 2 * size
    # the last block of the trial was half of all positions that were asked
    pace = max(spent, 1e-9) / max(1, (first + 1) // 2)
    size, count = min(len(questions), max(1, int(seconds / pace))), counter_of(player, questions)
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
                asked = [question for question in questions if question.position.placed == placed]
                asked = asked[: config.positions]
                stages[placed] = measure_stage(player, asked, config.seconds)
                progress.add(1)
            field.append(Measured(player.label, stages))
    return field


def front_of(field: list[Measured]) -> list[Measured]:
    """Return the players on the front, the quickest first."""
    return [field[i] for i in front([(player.microseconds, player.share) for player in field])]


def text_rows(field: list[Measured]) -> list[list[str]]:
    """Return the table, the best player first: percent, half of its interval, microseconds."""
    best = front_of(field)
    rows = [["player", "front", "us", "right", "95 %", *(f"{stage} pieces" for stage in STAGES)]]
    for measured in sorted(field, key=lambda measured: -measured.share):
        row = [measured.player, "*" if measured in best else "", f"{measured.microseconds:,.1f}"]
        row += [percent(measured.share), interval(measured.interval)]
        rows.append(row + [stage_text(stage) for stage in measured.stages.values()])
    return rows


def stage_text(stage: Stage) -> str:
    low, high = stage.interval
    time = f"{stage.microseconds:,.0f}" if stage.microseconds >= 10 else f"{stage.microseconds:.1f}"
    few = f" of {stage.of}" if stage.of < FULL else ""
    return f"{percent(stage.share)} +-{50 * (high - low):.1f} / {time}{few}"


def measure_and_print(config: FieldConfig) -> None:
    with Results("field", config) as results:
        names, *rows = text_rows(measure(config))
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        sides = [1 if name in ("us", "right") else -1 for name in names]
        columns = [(name, s * w) for name, s, w in zip(names, sides, widths, strict=True)]
        title = "right turns in percent / microseconds a turn; *: on the front"
        specs = [player.spec for player in config.entrants]
        table = results.table("right-turns", *columns, title=title, players=specs)
        for row in rows:
            table.row(*row)


main = command("benchmarks.field", __name__, __doc__, FieldConfig, measure_and_print)
