"""The tables that benchmarks print, row by row, so that a long one shows what it has."""


class Table:
    """`columns`: each column's name and width; a width below 0 aligns to the left."""

    def __init__(self, *columns: tuple[str, int]):
        self.widths = [width for _, width in columns]
        self.row(*(name for name, _ in columns))

    def row(self, *cells: str) -> None:
        """Cells that are left out at the end are empty."""
        pairs = zip(cells, self.widths, strict=False)
        padded = [cell.ljust(-width) if width < 0 else cell.rjust(width) for cell, width in pairs]
        print(" ".join(padded).rstrip(), flush=True)


class Figures(Table):
    """What, the figure here, another beside it, the ratio of the two, what was aimed at.

    The other is the yardstick's: the same work, done by another program in the same minute."""

    def __init__(self) -> None:
        super().__init__(
            *(("what", -52), ("here", 20), ("yardstick", 18), ("ratio", 7), (" target", -1))
        )

    def add(
        self, what: str, here: str, target: str = "", other: str = "", ratio: float | None = None
    ) -> None:
        self.row(what, here, other, "" if ratio is None else f"{ratio:.2f}", f" {target}")

    def compare(self, what: str, here: float, there: float | None, unit: str, target: str) -> None:
        """Both in the same unit; None: there is no yardstick."""
        digits = 2 if here < 100 else 0
        other, ratio = (f"{there:,.{digits}f} {unit}", here / there) if there else ("", None)
        self.add(what, f"{here:,.{digits}f} {unit}", target, other, ratio)


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"


def interval(ends: tuple[float, float], digits: int = 1) -> str:
    """In percent."""
    return " .. ".join(percent(end, digits) for end in ends)
