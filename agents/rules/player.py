"""The player rules: a strategy that a person can read, compiled."""

import zlib
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.learned import RUN, LearnedParts, Table, read_shipped
from agents.mind import Mind, make_mind
from agents.outcomes import table_words
from agents.player import Player
from agents.rules.decide import WORDS, list_preferred, play_rules
from agents.rules.english import explain
from agents.rules.language import EXCEPTIONS, KEY, NO_SEARCH, SEARCH, Strategy
from agents.whole_turn import TURNS
from console.option import Option
from engine.exact.solver_memory import make_memory
from engine.position import Position

SHIPPED = Path(__file__).with_name("strategies.parquet")
HOLDS = "strategy"
PROGRAM = "gene_program"  # the column of a front that holds the texts
MOST_SIZE = 12


@cache
def shipped_strategies() -> dict[int, Strategy]:
    """Return the most accurate strategy that ships of each number of rules."""
    front = read_shipped(SHIPPED)
    texts, accuracies = front[PROGRAM].to_pylist(), front["accuracy"].to_pylist()
    by_accuracy = sorted(zip(accuracies, texts, strict=True))
    strategies = [Strategy.parse(text) for _, text in by_accuracy]
    return {strategy.size: strategy for strategy in strategies if strategy.size}


def strategy_of_size(size: int) -> Strategy:
    """Return the most accurate strategy that ships of at most this many rules."""
    shipped = shipped_strategies()
    if size < min(shipped):
        raise ValueError(f"rules: size={size}: the smallest strategy has {min(shipped)} rules")
    return shipped[max(number for number in shipped if number <= size)]


def read_program(table: Table) -> Strategy:
    """Return the strategy that a run's step `mind` holds."""
    return Strategy.parse(str(table["value"][0].as_py()))


def read_strategy(path: str) -> Strategy:
    """Return the strategy of a file; raise ValueError that names it."""
    try:
        return Strategy.parse(Path(path).read_text())
    except (OSError, ValueError) as error:
        raise ValueError(f"rules: strategy={path}: {error}") from None


def read_exceptions(path: str) -> np.ndarray:
    """Return the columns `key` and `after` of a file; raise ValueError that names it."""
    from store import StoreError, read_table

    try:
        table = read_table(path)
        columns = [table[name].to_numpy().astype(np.uint64) for name in ("key", "after")]
    except (OSError, StoreError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"rules: exceptions={path}: {error}") from None
    return np.stack(columns, axis=1)


def rules_mind(
    strategy: Strategy, exceptions: np.ndarray | None = None, search: int = NO_SEARCH
) -> Mind:
    """Return the mind of a strategy. `exceptions`: rows of canonical keys, of a position and of the
    one to hand over there, whatever the rules say; uint64."""
    parameters, memory = strategy.compile(), make_memory(0.0625)
    parameters[SEARCH] = search
    parameters[KEY] += search - NO_SEARCH
    if exceptions is not None:
        parameters[EXCEPTIONS] = memory.size
        parameters[KEY] += zlib.crc32(exceptions.tobytes())
        memory = np.concatenate([memory, table_words(*map(np.ascontiguousarray, exceptions.T))])
    return make_mind(parameters, memory)


class Rules(Player):
    """Ours. A strategy that evolution found and a person can play: takes wins, gives safe pieces,
    and chooses among the safe turns by a short list of rules, each about something to count on the
    board. `python -m agents rules:size=2` prints it in English. Up to four pieces, and where its
    rules are silent, every safe turn is as good; its first moves are random."""

    name = "rules"
    options: ClassVar = {
        "size": Option(MOST_SIZE, "rules at most: the best shipped strategy", least=1),
        "strategy": Option("", "a file with a strategy, instead", metavar="FILE"),
        "exceptions": Option("", "a file with turns that overrule the rules", metavar="FILE"),
        "search": Option(
            NO_SEARCH,
            "pieces on the board from which on the exact search decides",
            least=9,
            most=16,
        ),
        "run": RUN,
    }
    place_kernel = give_kernel = play_rules

    @property
    def strategy(self) -> Strategy:
        if self.settings["strategy"]:
            return read_strategy(self.settings["strategy"])
        if self.settings["run"]:
            learned = LearnedParts(self.name, self.settings["run"], {HOLDS: SHIPPED})
            return learned.read(HOLDS, read_program)
        return strategy_of_size(self.settings["size"])

    @property
    def least_parameters(self) -> int:
        # of the empty strategy; longer programs say where they end
        return len(Strategy.of({}).compile())

    def explain(self) -> str:
        return explain(self.strategy)

    def preferred(self, position: Position) -> list[int]:
        """Return the safe turns, cell * 16 + piece, that the strategy prefers, in ascending order;
        it plays one of them. The position is quiet and has a piece in hand."""
        turns = np.empty((TURNS, WORDS + 1), np.uint64)
        return sorted(turns[: list_preferred(position, self.mind, turns), WORDS].tolist())

    def make_mind(self) -> Mind:
        path = self.settings["exceptions"]
        exceptions = read_exceptions(path) if path else None
        mind = rules_mind(self.strategy, exceptions, self.settings["search"])
        if path:
            self.learned = mind.memory
        return mind
