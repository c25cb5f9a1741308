"""The layout of `--help`."""

import pytest

from console.help import laid_out

ABOUT = """First line of a description.

    python -m demo                  about it
    python -m demo --option 3       an explanation that is too long for the
                                    rest of the line
    python -m demo --with --several --long --options
                                    also explained

A paragraph whose lines were wrapped for another
width. Terms:
  one      1
  two      2
"""


def test_paragraphs_and_explanations_are_wrapped():
    assert laid_out(ABOUT, 60).splitlines() == [
        "First line of a description.",
        "",
        "    python -m demo             about it",
        "    python -m demo --option 3  an explanation that is too",
        "                               long for the rest of the line",
        "    python -m demo --with --several --long --options",
        "                               also explained",
        "",
        "A paragraph whose lines were wrapped for another width.",
        "Terms:",
        "  one  1",
        "  two  2",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal_but_long_commands(width):
    wide = [line for line in laid_out(ABOUT, width).splitlines() if len(line) > width]
    assert all(line.endswith("--options") for line in wide)


def test_the_indentation_that_docstrings_have_in_the_source_does_not_matter():
    indented = ABOUT.replace("\n", "\n    ")
    assert laid_out(indented, 70) == laid_out(ABOUT, 70)


def test_a_description_that_was_laid_out_stays_as_it_is():
    assert laid_out(laid_out(ABOUT, 78), 78) == laid_out(ABOUT, 78)
