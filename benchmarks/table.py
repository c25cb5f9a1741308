"""The table that every benchmark prints: what, the figure here, the yardstick's in the same run, their ratio, the target."""

import subprocess
from pathlib import Path

YARDSTICK = Path(__file__).resolve().parents[2] / "shared" / "yardsticks" / "run"  # optional: the same work in C++


def yardstick(*arguments: str) -> str | None:
    """What the yardstick prints, or None where there is none."""
    if not YARDSTICK.exists():
        return None
    return subprocess.run([YARDSTICK, *arguments], capture_output=True, text=True, check=True).stdout


class Table:
    """Rows are printed as they come, so that a long benchmark shows what it has."""

    WIDTHS = (46, 16, 16, 8)

    def __init__(self):
        self.row("what", "here", "yardstick", "ratio", "target")

    def row(self, what: str, here: str, other: str = "", ratio: float | str = "", target: str = "") -> None:
        ratio = f"{ratio:.2f}" if isinstance(ratio, float) else ratio
        cells = (what, here, other, ratio)
        print(
            " ".join(
                f"{c:<{w}}" if i == 0 else f"{c:>{w}}" for i, (c, w) in enumerate(zip(cells, self.WIDTHS, strict=True))
            ),
            f" {target}",
            flush=True,
        )
