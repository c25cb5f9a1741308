"""Progress: a line that is redrawn on terminals, and printed now and then elsewhere."""

import io
import re
import threading
from contextlib import contextmanager

import pytest

from console import progress
from console.progress import Progress, duration, short


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def terminal(columns, stdout=None):
    """Replace stderr by a terminal of some width on which every call of `show` is drawn."""
    stderr = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stderr", stderr)
        patch.setattr("sys.stdout", stdout or Terminal())
        patch.setattr(progress, "TERMINAL_EVERY", 0.0)
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", str(columns))
        yield stderr
    assert Progress.drawing is None, "a progress line is still drawn"
    hidden, shown = (stderr.getvalue().rfind(f"\x1b[?25{letter}") for letter in "lh")
    assert 0 <= hidden < shown, "the cursor is not shown again"


at_any_width = pytest.mark.parametrize("columns", [1, 5, 20, 100])


def test_a_terminal_shows_the_progress():
    with terminal(100) as stderr, Progress("evolving [x]", "generations", total=200) as line:
        line.show(114, "best [/b] 62 %")
    text = stderr.getvalue()
    assert "evolving [x]" in text and "57 %, 114 generations" in text and "best [/b] 62 %" in text


@at_any_width
def test_a_progress_inside_another_takes_its_line(columns):
    with terminal(columns) as stderr, Progress("outer", "runs", total=2) as outer:
        for i in range(2):
            with Progress("inner", "games", total=3) as inner:
                inner.show(i)
                outer.show(i)
                assert [task.visible for task in outer.bar.tasks] == [False, True]
            assert [task.visible for task in outer.bar.tasks] == [True]
            outer.show(i + 1)
    assert columns < 5 or all(letters in stderr.getvalue() for letters in ("out", "inn"))
    assert not re.search(r"\n.", stderr.getvalue()), "there is a second line"


@at_any_width
def test_an_exception_removes_the_line(columns):
    with (
        terminal(columns),
        pytest.raises(ZeroDivisionError),
        Progress("outer", "runs") as outer,
        Progress("inner", "games"),
    ):
        outer.show(1 / 0)


def test_threads_may_report_progress():
    errors = []

    def work(number):
        try:
            with Progress(f"thread {number}", "steps", total=5) as line:
                for i in range(5):
                    line.show(i)
        except Exception as error:
            errors.append(error)

    with terminal(80) as stderr, Progress("all", "threads"):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors and all(f"thread {i}" in stderr.getvalue() for i in range(4))


def test_output_printed_meanwhile_reaches_stdout_if_that_is_a_file():
    stdout = io.StringIO()
    with terminal(80, stdout) as stderr, Progress("working", "things"):
        print("a result")
    assert stdout.getvalue() == "a result\n" and "a result" not in stderr.getvalue()


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"TTY_INTERACTIVE": "1"}])
def test_elsewhere_there_is_a_plain_line_now_and_then(environment, monkeypatch, capsys):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    clock = iter([0.0, 1.0, 16.0, 17.0, 32.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with Progress("evolving", "generations", total=64) as line:
        for done in (1, 16, 17, 32):
            line.show(done, f"best {done} %")
    assert capsys.readouterr().err.splitlines() == [
        "evolving: 25 %, 16 generations, 1/s, 48 s left, best 16 %",
        "evolving: 50 %, 32 generations, 1/s, 32 s left, best 32 %",
    ]


def test_a_dumb_terminal_gets_plain_lines(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setattr(progress, "ELSEWHERE_EVERY", 0.0)
    monkeypatch.setenv("TERM", "dumb")
    with Progress("evolving", "generations") as line:
        line.show(1)
    assert (
        stderr.getvalue().startswith("evolving: 1 generations") and "\x1b" not in stderr.getvalue()
    )


def test_a_lost_interrupt_is_raised_by_the_next_report(monkeypatch):
    monkeypatch.setattr(Progress, "interrupted", True)
    with pytest.raises(KeyboardInterrupt), Progress("evolving", "generations") as line:
        line.show(1)


def test_earlier_work_counts_as_done_but_not_for_the_rate():
    line = Progress("evolving", "generations", total=200, done=100)
    assert line.line(150, 10.0) == "75 %, 150 generations, 5/s, 10 s left"
    assert line.line(100, 10.0) == "50 %, 100 generations, 0/s, ? left"
    assert Progress("playing", "games").line(3000, 100.0) == "3.0 k games, 30/s, 1 min"
    assert Progress("evolving", "generations").line(0.5, 60.0) == "0.5 generations, 0.5/min, 60 s"
    found = Progress("annotating", "games", total=100)
    found.found(40)
    found.add(10)
    assert found.line(found.done, 10.0) == "50 %, 50 games, 1/s, 50 s left"


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.25, "0.2"), (7, "7"), (123.4, "123"), (1234, "1.2 k"), (12_345_678, "12.3 M")],
)
def test_numbers_are_short(number, text):
    assert short(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s"), (59.6, "60 s"), (100, "1 min"), (5999, "99 min"), (6000, "1 h 40 min")],
)
def test_durations_are_shown_in_fitting_units(seconds, text):
    assert duration(seconds) == text
