"""Minds as they are stored. A run of evolution, self-play or fitting ends with the step `mind`: a
table whose metadata says what it `holds`, for instance the `beam genes`. A player is made of parts;
those that its option `run` does not hold come from the files that ship."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from console.option import Option

if TYPE_CHECKING:
    import pyarrow as pa

# importing pyarrow takes long, and most commands do without
Table: TypeAlias = "pa.Table"
STEP = "mind"
RUN = Option("", "a run whose learned parts to use; join several by +", metavar="RUN")


class LearnedParts:
    """The tables that a player is made of. `parts`: what they hold, and the files that ship."""

    def __init__(self, player: str, runs: str, parts: dict[str, Path]):
        """Read the runs; raise ValueError if one holds something else."""
        self.files = parts
        self.tables = dict(map(read_mind, filter(None, runs.split("+"))))
        for holds in self.tables:
            if holds not in parts:
                made_of = f"{player} is made of {', '.join(parts)}"
                raise ValueError(f"{player}: run={runs} holds the {holds}; {made_of}")

    def read(self, holds: str, convert: Callable[[Table], Any]) -> Any:
        """Return a part, converted; parts that ship are converted once per process."""
        if holds not in self.tables:
            return _shipped_part(self.files[holds], convert)
        try:
            return convert(self.tables[holds])
        except (LookupError, TypeError, ArithmeticError) as error:
            raise ValueError(f"the run holds no {holds}: {error}") from None


def read_mind(address: str) -> tuple[str, Table]:
    """Return (what it holds, the table) of a finished run. Raise ValueError if it is unfinished."""
    from store import Run, StoreError

    try:
        run = Run(address)
        if not run.steps():
            raise ValueError(f"there is no run {address!r}")
        if not run.has(STEP):
            hint = "it is unfinished: the command that started it continues it"
            raise ValueError(f"{address}: holds no player; {hint}")
        return run.about(STEP)["measured"]["holds"], run.read(STEP)
    except (StoreError, KeyError) as error:
        raise ValueError(str(error)) from None


@cache
def _shipped_part(path: Path, convert: Callable[[Table], Any]) -> Any:
    return convert(read_shipped(path))


@cache
def read_shipped(path: Path) -> Table:
    from store import Run, StoreError

    try:
        return Run(str(path.parent)).read(path.stem)
    except StoreError as error:
        raise ValueError(str(error)) from None


def genes_of(*genes: str) -> Callable[[Table], list[float]]:
    """Return a function that reads these genes from a table, in this order."""

    def read(table: Table) -> list[float]:
        stored = dict(zip(table["gene"].to_pylist(), table["value"].to_pylist(), strict=True))
        missing = [gene for gene in genes if gene not in stored]
        if missing:
            raise ValueError(f"the run holds no gene {missing[0]!r}: it is of another version")
        return [stored[gene] for gene in genes]

    return read
