"""Tables: aligned text in pipes, drawn by rich on terminals."""

import io

from hypothesis import given
from hypothesis import strategies as st

from console.table import aligned, as_html, numeric_columns, print_table

CELLS = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12)
NUMBERS = st.one_of(
    st.integers().map("{:,}".format), st.floats(-1e6, 1e6).map("{:.2f}".format), st.just("")
)


@st.composite
def tables(draw):
    columns = draw(st.lists(st.booleans(), min_size=1, max_size=5))
    header = [draw(st.text("abcxyz", min_size=1, max_size=9)) for _ in columns]
    cells = st.tuples(*[NUMBERS if is_number else CELLS for is_number in columns])
    return [header, *draw(st.lists(cells, max_size=6))]


@given(tables())
def test_columns_start_at_the_same_place_in_every_line(rows):
    lines = aligned(rows).split("\n")
    assert len(lines) == len(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    full = sum(widths) + 2 * (len(widths) - 1)
    right = numeric_columns(rows)
    for line, row in zip(lines, rows, strict=True):
        line, start = line.ljust(full), 0
        assert len(line) == full
        for cell, width, is_number in zip(row, widths, right, strict=True):
            field = line[start : start + width]
            assert field == (cell.rjust(width) if is_number else cell.ljust(width))
            start += width + 2


def test_numbers_of_any_format_are_aligned_to_the_right():
    rows = [
        ["name", "n"],
        ["a", "1,234"],
        ["b", "−0.5"],
        ["c", "1e-05"],
        ["d", "94.4 %"],
        ["e", ""],
    ]
    assert numeric_columns(rows) == [False, True]
    assert aligned(rows).split("\n")[2] == "b       −0.5"


def test_a_table_without_rows_is_its_header():
    assert aligned([["name", "n"]]) == "name  n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def print_to(monkeypatch, stdout, columns):
    monkeypatch.setattr("sys.stdout", stdout)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    print_table([["player", "points"], ["[/b] :smile: [red]", "12,345.67"]], "a [b] title")
    return stdout.getvalue()


def test_a_table_in_a_pipe_is_plain_text(monkeypatch):
    lines = print_to(monkeypatch, io.StringIO(), 20).splitlines()
    assert lines[0] == "a [b] title"
    assert [line.rstrip() for line in lines[1:]] == [
        "player                 points",
        "[/b] :smile: [red]  12,345.67",
    ]


def test_a_terminal_shows_names_without_interpreting_markup(monkeypatch):
    text = print_to(monkeypatch, Terminal(), 80)
    assert "[/b] :smile: [red]" in text and "a [b] title" in text and "─" in text


def test_a_number_is_never_broken_into_two_lines(monkeypatch):
    for columns in range(1, 81):
        assert "12,345.67" in print_to(monkeypatch, Terminal(), columns), columns


def test_html_escapes_text_and_aligns_numbers_to_the_right():
    html = as_html([["a<b", "n"], ["<script>\x1b&", "1,234"]], "by <i>")
    assert "<script" not in html and "<i>" not in html and "\x1b" not in html
    assert '<td style="text-align: left">&lt;script&gt;\\x1b&amp;</td>' in html
    assert '<td style="text-align: right">1,234</td>' in html and "by &lt;i&gt;</caption>" in html
    assert as_html([["a"]]).count("<td") == 0
