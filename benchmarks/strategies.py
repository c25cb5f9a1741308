"""The strategies that ship, judged: right turns by stage, what each rule adds, and folk rules.

    python -m benchmarks.strategies

Positions are those of the judge set, which no strategy was selected by. A number after +- is half
of the 95 % interval. A parity rule of the web hands a piece over if the number of pieces that
complete no line is then even (or odd); the other folk rules are written in the same language."""

import numpy as np

from agents.rules.english import count_words
from agents.rules.language import Strategy
from agents.rules.player import shipped_strategies, strategy_of_size
from agents.rules.quantities import SAFE
from agents.rules.table import Table, count_right, make_table
from arena.statistics import wilson
from benchmarks.measure import interval, percent
from benchmarks.record import Benchmark, Results
from console.command import command
from oracle.right_turns import as_questions
from oracle.testset import JUDGESET, STAGES, read

FOLK = {
    "any safe turn": "",
    "fewest replies": "5+: fewest turns",
    "fewest lines of three (Quarticity, report 002)": "5+: fewest unlike3",
    "most lines of three": "5+: most unlike3",
    "fewest pieces that complete a line": "5+: most safe",
    "most pieces that complete a line (frontiers)": "5+: fewest safe",
}
ABLATED = 3  # rules of the strategy that is judged without each of them


class StrategiesConfig(Benchmark):
    pass


def right_by_stage(strategy: Strategy, table: Table) -> np.ndarray:
    """Return [stage; right, wrong]."""
    counts = np.zeros((len(STAGES), 1, 2), np.int64)
    size = len(table.stage) // len(STAGES)
    for i, part in enumerate(counts):
        count_right(np.array([strategy.compile()]), table, i * size, (i + 1) * size, part)
    return counts[:, 0]


def parity_by_stage(table: Table, odd: int) -> np.ndarray:
    """Return [stage; right, wrong] of the first turn that leaves an even, or odd, number of pieces
    that complete no line."""
    counts = np.zeros((len(STAGES), 2), np.int64)
    for i, stage in enumerate(table.stage):
        turns = slice(table.first_turn[i], table.first_turn[i + 1])
        chosen = np.argmax(table.turns[turns, SAFE] % 2 == odd)
        counts[stage - STAGES[0], 1 - table.right[turns][chosen]] += 1
    return counts


def cells_of(counts: np.ndarray) -> list[str]:
    """Return the mean share of right turns and its interval, then the share of every stage."""
    ends = [wilson(right, right + wrong) for right, wrong in counts.tolist()]
    share = float((counts[:, 0] / counts.sum(axis=1)).mean())
    shares = [
        f"{percent(right / (right + wrong))} +-{50 * (high - low):.1f}"
        for (right, wrong), (low, high) in zip(counts.tolist(), ends, strict=True)
    ]
    return [percent(share), interval(wilson(share * counts.sum(), int(counts.sum()))), *shares]


def without_rules(strategy: Strategy) -> list[tuple[str, Strategy]]:
    """Return the strategy without each of its rules, and the name of the rule."""
    shorter = []
    for block, stages in strategy.blocks().items():
        for i, rule in enumerate(block):
            rest = block[:i] + block[i + 1 :]
            rules = {s: b for b, numbers in strategy.blocks().items() for s in numbers}
            rules |= dict.fromkeys(stages, rest)
            shorter.append((f"{stages[0]} to {stages[-1]}: {rule}", Strategy.of(rules)))
    return shorter


def measure(config: StrategiesConfig) -> None:
    table = make_table(as_questions(read(JUDGESET)))
    stages = [(f"{stage} pieces", 12) for stage in STAGES]
    columns = (("right", 6), ("95 %", -12), *stages)
    with Results("strategies", config) as results:
        shipped = shipped_strategies()
        specs = [f"rules:size={size}" for size in sorted(shipped)]
        title = "right turns in percent, by the number of rules"
        rows = results.table(
            "shipped", ("rules", 5), ("words", 5), *columns, title=title, players=specs
        )
        for size, strategy in sorted(shipped.items()):
            counts = right_by_stage(strategy, table)
            rows.row(str(size), str(count_words(strategy)), *cells_of(counts))
        print()
        title = f"rules:size={ABLATED} without one rule"
        rows = results.table("without", ("without", -48), *columns, title=title)
        for name, strategy in without_rules(strategy_of_size(ABLATED)):
            rows.row(name, *cells_of(right_by_stage(strategy, table)))
        print()
        rows = results.table("folk", ("folk rule", -48), *columns, title="folk rules")
        for name, text in FOLK.items():
            rows.row(name, *cells_of(right_by_stage(Strategy.parse(text), table)))
        for odd, name in enumerate(("even", "odd")):
            title = f"{name} number of pieces that complete no line"
            rows.row(title, *cells_of(parity_by_stage(table, odd)))


main = command("benchmarks.strategies", __name__, __doc__, StrategiesConfig, measure)
