"""Progress: a line that is redrawn on terminals and printed every 15 seconds elsewhere."""

import io
import re
import threading
from contextlib import contextmanager

import pytest

import console
from console import progress
from console.progress import Progress, counted, duration, short


@pytest.fixture(autouse=True)
def _no_kernel_was_compiled(monkeypatch):
    monkeypatch.setattr("console.last_pause", 0.0)


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


class Clock:
    """A clock that moves only when a test says so."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"TTY_INTERACTIVE": "1"}])
def test_elsewhere_a_plain_line_is_printed_every_15_seconds(
    environment, clock, monkeypatch, capsys
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Progress("evolving", "generations", total=64) as line:
        for seconds, done in ((1, 1), (16, 16), (17, 17), (32, 32)):
            clock.now = 1000.0 + seconds
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
        stderr.getvalue().startswith("evolving: 1 generation, ") and "\x1b" not in stderr.getvalue()
    )


def test_a_lost_interrupt_is_raised_by_the_next_report(monkeypatch):
    monkeypatch.setattr(Progress, "interrupted", True)
    with pytest.raises(KeyboardInterrupt), Progress("evolving", "generations") as line:
        line.show(1)


def texts(clock, line, reports, columns=1000):
    """The text after each report (seconds since the last one, amount)."""
    shown = []
    for seconds, done in reports:
        clock.now += seconds
        line.show(done)
        shown.append(line.text(clock.now, columns))
    return shown


def test_the_time_before_the_first_result_does_not_count_for_the_rate(clock):
    line = Progress("evolving", "generations", total=200)
    reports = [(30, 0.1), (30, 0.9), (1, 1), (0.5, 6), (3.5, 41), (5.5, 96), (10, 196)]
    assert texts(clock, line, reports) == [
        "0 %, 0.1 generations, starting",
        "0 %, 0.9 generations, starting",
        "0 %, 1 generation",
        "3 %, 6 generations",
        "20 %, 41 generations, 10/s, 16 s left",
        "48 %, 96 generations, 10/s, 10 s left",
        "98 %, 196 generations, 10/s, 0 s left",
    ]


def test_the_rate_is_that_of_the_second_half_of_the_time(clock):
    line = Progress("evolving", "generations", total=1000)
    slow = [(1, 1 + i) for i in range(11)]
    fast = [(1, 11 + 10 * i) for i in range(1, 11)]
    shown = texts(clock, line, slow + fast)
    assert shown[10].endswith("1/s, 16 min left")
    assert shown[-1] == "11 %, 111 generations, 10/s, 89 s left"


def test_earlier_work_counts_as_done_but_not_for_the_rate(clock):
    line = Progress("evolving", "generations", total=200, done=100)
    assert texts(clock, line, [(5, 100), (5, 101), (10, 151)]) == [
        "50 %, 100 generations, starting",
        "50 %, 101 generations",
        "76 %, 151 generations, 5/s, 10 s left",
    ]
    line = Progress("annotating", "games", total=100)
    line.add_completed(40)
    assert texts(clock, line, [(1, 41), (10, 51)])[1] == "51 %, 51 games, 1/s, 49 s left"
    line.add_completed(9)
    assert line.text(clock.now) == "60 %, 60 games, 1/s, 40 s left"


def test_the_rate_is_measured_anew_after_kernels_have_compiled(clock):
    line = Progress("evolving", "generations", total=200)
    assert texts(clock, line, [(1, 1), (4, 21)])[1] == "10 %, 21 generations, 5/s, 36 s left"
    clock.now += 60
    console.note_pause()
    assert texts(clock, line, [(1, 22), (2, 42), (4, 82)]) == [
        "11 %, 22 generations",
        "21 %, 42 generations",
        "41 %, 82 generations, 10/s, 12 s left",
    ]


def test_work_without_a_total_shows_the_time_that_it_has_taken(clock):
    line = Progress("playing", "games")
    assert texts(clock, line, [(1, 0), (99, 10), (100, 3010)]) == [
        "0 games, starting, 1 s",
        "10 games, 1 min",
        "3.0 k games, 30/s, 3 min",
    ]
    line = Progress("solving", "positions")
    assert texts(clock, line, [(1, 1), (60, 1.5)])[1] == "1.5 positions, 0.5/min, 61 s"


def test_a_narrow_terminal_keeps_the_share_the_time_left_and_the_news(clock):
    line = Progress("evolving", "generations", total=200)
    texts(clock, line, [(1, 1), (10, 101)])
    line.more = "champion/mean % pro 62/50"
    assert line.text(clock.now, 100) == (
        "50 %, 101 generations, 10/s, 10 s left, champion/mean % pro 62/50"
    )
    assert line.text(clock.now, 60) == "50 %, 10/s, 10 s left, champion/mean % pro 62/50"
    assert line.text(clock.now, 10) == "50 %, 10 s left, champion/mean % pro 62/50"


def test_eighty_columns_show_the_share_the_time_left_and_the_news():
    news = "champion/mean % random 100/99, dumb 98/97"
    with terminal(80) as stderr, Progress("evolving", "generations", total=200) as line:
        line.show(1)
        line.samples[0] = (line.samples[0][0] - 100, 1.0)
        line.show(114, news)
    assert re.search(r"57 %, 7\d s left, " + news, stderr.getvalue())


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.25, "0.2"), (7, "7"), (123.4, "123"), (1234, "1.2 k"), (12_345_678, "12.3 M")],
)
def test_numbers_are_short(number, text):
    assert short(number) == text


@pytest.mark.parametrize(
    ("number", "units", "text"),
    [
        (1, "games", "1 game"),
        (1, "matches", "1 match"),
        (0, "games", "0 games"),
        (1.5, "matches", "1.5 matches"),
    ],
)
def test_units_agree_with_their_number(number, units, text):
    assert counted(number, units) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s"), (59.6, "60 s"), (100, "1 min"), (5999, "99 min"), (6000, "1 h 40 min")],
)
def test_durations_are_shown_in_fitting_units(seconds, text):
    assert duration(seconds) == text
