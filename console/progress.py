"""Progress lines on stderr: share done, amount, rate and time left.

    with Progress("evolving", "generations", total=200) as progress:
        progress.show(3, "best 62 %")            as often as you like
        progress.add(1)                          or the amount since the last call

On a terminal rich draws one line; elsewhere a line is printed every 15 seconds. The rate leaves out
the time before the first result, in which workers start, and begins anew after kernels have
compiled.
"""

import sys
import threading
import time
from collections import deque
from typing import Any, ClassVar, Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column

import console as shared

TERMINAL_EVERY, ELSEWHERE_EVERY = 0.2, 15.0  # seconds
SAMPLE_EVERY = 0.2  # seconds
STEADY_SECONDS = 3.0  # of measured work, at least, before a rate is shown


class Progress:
    """`done`: amount that was done before; it does not count for the rate."""

    # Ctrl-C was pressed: the next report raises KeyboardInterrupt, in case the first one was lost
    interrupted: ClassVar[bool] = False
    # the line on the terminal; the latest of the open progresses has it
    drawing: ClassVar[Bar | None] = None
    open: ClassVar[list["Progress"]] = []
    lock: ClassVar[Any] = threading.RLock()

    def __init__(self, what: str, unit: str, total: float | None = None, done: float = 0):
        self.what, self.unit, self.total = what, unit, total
        self.first, self.done, self.more = done, done, ""
        self.started = time.monotonic()
        # (time, amount) during the second half of the time since the first result
        self.samples: deque[tuple[float, float]] = deque()
        self.steady_since = 0.0
        self.on_terminal = is_terminal()
        self.next_at = self.started + (0.0 if self.on_terminal else ELSEWHERE_EVERY)
        self.bar: Bar | None = None
        self.task = TaskID(0)

    def __enter__(self) -> Self:
        if self.on_terminal:
            with Progress.lock:
                self.bar = Progress.drawing = Progress.drawing or make_bar()
                self.bar.start()
                self.task = self.bar.add_task(
                    self.what, total=self.total, text="starting", visible=False
                )
                self.bar.update(self.task, completed=self.first)
                Progress.open.append(self)
                self._show_latest(self.bar)
        return self

    def __exit__(self, *_: object) -> None:
        bar, self.bar = self.bar, None
        if bar:
            with Progress.lock:
                Progress.open.remove(self)
                bar.remove_task(self.task)
                self._show_latest(bar)
                if not Progress.open:
                    Progress.drawing = None
                    bar.stop()

    def _show_latest(self, bar: Bar) -> None:
        for progress in Progress.open:
            bar.update(progress.task, visible=progress is Progress.open[-1])
        bar.refresh()

    def add_completed(self, amount: float) -> None:
        """Count work that an earlier run has finished."""
        self.first += amount
        self.done += amount
        self.samples = deque((moment, done + amount) for moment, done in self.samples)

    def add(self, amount: float) -> None:
        """Report the amount of work since the last report."""
        self.show(self.done + amount)

    def show(self, done: float, more: str | None = None) -> None:
        """Report how much work is done in all. `more`: text to show behind it from now on."""
        self.done = done
        self.more = self.more if more is None else more
        if Progress.interrupted:
            raise KeyboardInterrupt
        now = time.monotonic()
        self._measure(now)
        if now < self.next_at:
            return
        self.next_at = now + (TERMINAL_EVERY if self.on_terminal else ELSEWHERE_EVERY)
        if self.bar:
            columns = self.bar.console.width - len(self.what) - bar_width(self.bar.console) - 2
            text = self.text(now, columns)
            self.bar.update(self.task, completed=done, text=text, refresh=True)
        else:
            print(f"{self.what}: {self.text(now)}", file=sys.stderr, flush=True)

    def _measure(self, now: float) -> None:
        if self.done < self.first + 1:
            return
        samples = self.samples
        if samples and samples[0][0] < shared.last_pause:
            samples.clear()
        if not samples:
            self.steady_since = now
        if not samples or now - samples[-1][0] >= SAMPLE_EVERY:
            samples.append((now, self.done))
        while len(samples) > 1 and samples[1][0] <= (self.steady_since + now) / 2:
            samples.popleft()

    def rate(self, now: float) -> float | None:
        """Return the amount per second in the second half of the time since the first result
        or the last pause; None if it is not measured yet."""
        since, amount = self.samples[0] if self.samples else (now, self.done)
        seconds = now - since
        return (self.done - amount) / seconds if seconds >= STEADY_SECONDS else None

    def text(self, now: float, columns: float = float("inf")) -> str:
        """Return `57 %, 114 generations, 6.2/s, 14 s left, ...`, without amount and rate if there
        is no room for them."""
        rate = self.rate(now)
        amount, speed, rest = counted(self.done, self.unit), "", "starting"
        if rate:
            speed = f"{short(60 * rate)}/min" if rate < 0.1 else f"{short(rate)}/s"
            rest = f"{duration((self.total - self.done) / rate)} left" if self.total else ""
        elif self.samples:
            rest = ""
        if not self.total:
            parts = [amount, speed, rest, duration(now - self.started), self.more]
            return ", ".join(filter(None, parts))
        share = f"{min(100, 100 * self.done / self.total):.0f} %"
        for optional in ([amount, speed], [speed], []):
            text = ", ".join(filter(None, [share, *optional, rest, self.more]))
            if len(text) <= columns:
                break
        return text


def is_terminal() -> bool:
    """Whether stderr is a terminal that can redraw a line. rich alone would obey FORCE_COLOR."""
    console = Console(stderr=True)
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()


def bar_width(console: Console) -> int:
    return min(30, max(6, console.width // 5 - 10))


def make_bar() -> Bar:
    console = Console(stderr=True)
    rest = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=bar_width(console)),
        TextColumn("{task.fields[text]}", markup=False, table_column=rest),
        console=console,
        transient=True,
        expand=True,
        auto_refresh=False,
        # printed text goes above the line, but into the file if stdout is one
        redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),
    )


def short(number: float) -> str:
    """12345678 as 12.3 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}" if number == int(number) or number >= 100 else f"{number:.1f}"


def counted(number: float, units: str) -> str:
    """Return `1 match`, `2.5 k matches`."""
    one = units.removesuffix("es" if units.endswith("ches") else "s")
    return f"{short(number)} {one if number == 1 else units}"


def duration(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 100:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 6000 else f"{whole // 3600} h {whole % 3600 // 60} min"
