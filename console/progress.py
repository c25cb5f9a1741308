"""A line on stderr while long work goes on: share done, amount, rate, time left. Rewritten on a terminal, now and then a new line elsewhere."""

import sys
import time

TERMINAL_EVERY, ELSEWHERE_EVERY = 0.2, 15.0  # seconds
WIDTH = 30


class Progress:
    """`show(done)` as often as you like; `clear()` before anything else is printed."""

    interrupted = False  # Ctrl-C was pressed: whoever reports progress stops, even if the interrupt itself got lost

    def __init__(self, what: str, unit: str, total: float | None = None, done: float = 0):
        self.what, self.unit, self.total = what, unit, total
        self.started = time.monotonic()
        self.first = done  # what was done before: it counts as done, not for the rate
        self.terminal = sys.stderr.isatty()
        self.next_at = self.started + (0.5 if self.terminal else ELSEWHERE_EVERY)
        self.width = 0

    def show(self, done: float, more: str = "") -> None:
        if Progress.interrupted:
            raise KeyboardInterrupt
        now = time.monotonic()
        if now < self.next_at:
            return
        self.next_at = now + (TERMINAL_EVERY if self.terminal else ELSEWHERE_EVERY)
        line = self.line(done, now - self.started) + (f"  {more}" if more else "")
        if self.terminal:
            padded, self.width = line.ljust(self.width), len(line)
            print(f"\r{padded}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def line(self, done: float, seconds: float) -> str:
        rate = (done - self.first) / max(seconds, 1e-9)
        text = f"{self.what}  {short(done)} {self.unit}, {short(rate)}/s"
        if not self.total:
            return f"{text}, {duration(seconds)}"
        share = min(1.0, done / self.total)
        left = duration((self.total - done) / rate) if rate > 0 else "?"
        filled = int(WIDTH * share)
        return f"{self.what} [{'#' * filled}{'.' * (WIDTH - filled)}] {share:4.0%}  {text[len(self.what) + 2 :]}, {left} left"

    def clear(self) -> None:
        if self.terminal and self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)
            self.width = 0


def short(number: float) -> str:
    """12345678 as 12.3 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}" if number == int(number) or number >= 100 else f"{number:.1f}"


def duration(seconds: float) -> str:
    seconds = max(0, round(seconds))
    if seconds < 100:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 6000 else f"{seconds // 3600} h {seconds % 3600 // 60} min"
