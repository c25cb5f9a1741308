"""A line on stderr while long work goes on: share done, amount, rate, time left.

    with Progress("evolving", "generations", total=200) as progress:
        progress.show(3, "best 62 %")            as often as you like
        progress.add(1)                          or what has come since

On a terminal the line is drawn by rich, cut to its width; elsewhere there is a line now and then.
"""

import sys
import threading
import time
from typing import Any, ClassVar, Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column

TERMINAL_EVERY, ELSEWHERE_EVERY = 0.2, 15.0  # seconds


class Progress:
    """`done`: what was done before; it counts as done, not for the rate."""

    # Ctrl-C was pressed: whoever reports progress stops, even if the interrupt itself got lost
    interrupted: ClassVar[bool] = False
    # What is on the terminal, and who wants to be: whoever came last has the line.
    drawing: ClassVar[Bar | None] = None
    open: ClassVar[list["Progress"]] = []
    lock: ClassVar[Any] = threading.RLock()

    def __init__(self, what: str, unit: str, total: float | None = None, done: float = 0):
        self.what, self.unit, self.total = what, unit, total
        self.first, self.done, self.more = done, done, ""
        self.started = time.monotonic()
        self.on_terminal = is_terminal()
        self.next_at = self.started + (0.0 if self.on_terminal else ELSEWHERE_EVERY)
        self.bar: Bar | None = None
        self.task = TaskID(0)

    def __enter__(self) -> Self:
        if self.on_terminal:
            with Progress.lock:
                self.bar = Progress.drawing = Progress.drawing or make_bar()
                self.bar.start()
                self.task = self.bar.add_task(self.what, total=self.total, text="", visible=False)
                self.bar.update(self.task, completed=self.first)
                Progress.open.append(self)
                self._give_the_line(self.bar)
        return self

    def __exit__(self, *_: object) -> None:
        bar, self.bar = self.bar, None
        if bar:
            with Progress.lock:
                Progress.open.remove(self)
                bar.remove_task(self.task)
                self._give_the_line(bar)
                if not Progress.open:
                    Progress.drawing = None
                    bar.stop()

    def _give_the_line(self, bar: Bar) -> None:
        """To whoever came last."""
        for one in Progress.open:
            bar.update(one.task, visible=one is Progress.open[-1])
        bar.refresh()

    def found(self, amount: float) -> None:
        """So much more was done before."""
        self.first += amount
        self.done += amount

    def add(self, amount: float) -> None:
        """So much has come since the last call."""
        self.show(self.done + amount)

    def show(self, done: float, more: str | None = None) -> None:
        """`more`: what else there is to tell, until something else is given."""
        self.done = done
        self.more = self.more if more is None else more
        if Progress.interrupted:
            raise KeyboardInterrupt
        now = time.monotonic()
        if now < self.next_at:
            return
        self.next_at = now + (TERMINAL_EVERY if self.on_terminal else ELSEWHERE_EVERY)
        text = ", ".join(filter(None, [self.line(done, now - self.started), self.more]))
        if self.bar:
            self.bar.update(self.task, completed=done, text=text, refresh=True)
        else:
            print(f"{self.what}: {text}", file=sys.stderr, flush=True)

    def line(self, done: float, seconds: float) -> str:
        """`57 %, 114 generations, 6.2/s, 14 s left`."""
        rate = (done - self.first) / max(seconds, 1e-9)
        speed = f"{short(60 * rate)}/min" if 0 < rate < 0.1 else f"{short(rate)}/s"
        parts = [f"{short(done)} {self.unit}", speed]
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
