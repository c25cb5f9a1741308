"""A line on stderr while long work goes on: share done, amount, rate, time left.

    with Progress("evolving", "generations", total=200) as progress:
        progress.show(3, "best 62 %")            as often as you like

On a terminal the line is drawn by rich, cut to its width; elsewhere there is a line now and then.
"""

import sys
import time
from typing import ClassVar, Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column

TERMINAL_EVERY, ELSEWHERE_EVERY = 0.2, 15.0  # seconds


class Progress:
    """`done`: what was done before; it counts as done, not for the rate."""

    # Ctrl-C was pressed: whoever reports progress stops, even if the interrupt itself got lost
    interrupted: ClassVar[bool] = False
    # What is on the terminal: a progress inside another one is a second line of it.
    drawing: ClassVar[Bar | None] = None

    def __init__(self, what: str, unit: str, total: float | None = None, done: float = 0):
        self.what, self.unit, self.total, self.first = what, unit, total, done
        self.started = time.monotonic()
        self.on_terminal = is_terminal()
        self.next_at = self.started + (0.0 if self.on_terminal else ELSEWHERE_EVERY)
        self.bar: Bar | None = None
        self.task = TaskID(0)
        self.owns_bar = False

    def __enter__(self) -> Self:
        if self.on_terminal:
            self.owns_bar = Progress.drawing is None
            self.bar = Progress.drawing = Progress.drawing or make_bar()
            self.bar.start()
            self.task = self.bar.add_task(self.what, total=self.total, text="")
            self.bar.update(self.task, completed=self.first, refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        bar, self.bar = self.bar, None
        if bar and self.owns_bar:
            Progress.drawing = None
            bar.stop()
        elif bar:
            bar.remove_task(self.task)

    def show(self, done: float, more: str = "") -> None:
        if Progress.interrupted:
            raise KeyboardInterrupt
        now = time.monotonic()
        if now < self.next_at:
            return
        self.next_at = now + (TERMINAL_EVERY if self.on_terminal else ELSEWHERE_EVERY)
        text = ", ".join(filter(None, [self.line(done, now - self.started), more]))
        if self.bar:
            self.bar.update(self.task, completed=done, text=text, refresh=True)
        else:
            print(f"{self.what}: {text}", file=sys.stderr, flush=True)

    def line(self, done: float, seconds: float) -> str:
        """`57 %, 114 generations, 6.2/s, 14 s left`."""
        rate = (done - self.first) / max(seconds, 1e-9)
        parts = [f"{short(done)} {self.unit}", f"{short(rate)}/s"]
        if not self.total:
            return ", ".join([*parts, duration(seconds)])
        left = duration((self.total - done) / rate) if rate > 0 else "?"
        return ", ".join([f"{min(100, 100 * done / self.total):.0f} %", *parts, f"{left} left"])


def is_terminal() -> bool:
    """Whether a line on stderr can be drawn again and again. rich alone believes FORCE_COLOR."""
    console = Console(stderr=True)
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()


def make_bar() -> Bar:
    narrow = Column(ratio=1, min_width=6, max_width=30)
    rest = Column(ratio=4, no_wrap=True, overflow="ellipsis")
    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None, table_column=narrow),
        TextColumn("{task.fields[text]}", markup=False, table_column=rest),
        console=Console(stderr=True),
        transient=True,
        expand=True,
        auto_refresh=False,
        # what is printed goes above the line, but to a file if stdout is one
        redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),
    )


def short(number: float) -> str:
    """12345678 as 12.3 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}" if number == int(number) or number >= 100 else f"{number:.1f}"


def duration(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 100:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 6000 else f"{whole // 3600} h {whole % 3600 // 60} min"
