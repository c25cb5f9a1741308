"""Properties of all positions, tested with hypothesis: notation and symmetry."""

import itertools
import re

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from engine import Position, analyse, canonical, canonical_key, svg
from engine.jit import compiler
from tests.engine.positions import transform

ORDERS = list(itertools.permutations(range(4)))


@st.composite
def positions(draw, most=16) -> Position:
    """Draw a position that legal moves reach."""
    position = Position.start()
    for _ in range(draw(st.integers(0, 2 * most))):
        if position.is_over:
            break
        move = draw(st.sampled_from(position.legal()))
        position = position.give(move) if position.hand < 0 else position.place(move)
    return position


symmetries = st.tuples(st.integers(0, 31), st.sampled_from(ORDERS), st.integers(0, 15))


@settings(max_examples=200)
@given(positions())
def test_a_position_can_be_read_from_its_text_and_repr(position):
    assert Position.parse(position.to_text()) == position._replace(last=-1)
    assert eval(repr(position)) == position._replace(last=-1)


@settings(max_examples=200)
@given(st.text("0123456789abcdef./- x", max_size=24))
def test_a_text_is_a_position_or_is_refused_with_every_reason_in_one_line(text):
    try:
        position = Position.parse(text)
    except ValueError as error:
        assert "\n" not in str(error) and ("position" in str(error))
    else:
        assert position.to_text() == " ".join(text.lower().split())


@settings(max_examples=200)
@given(positions(), symmetries)
def test_a_symmetric_image_has_the_same_key_and_as_many_wins_and_safe_pieces(position, by):
    if not position.pool and position.hand < 0:
        with pytest.raises(ValueError, match="the game is over"):
            canonical_key(position)
        return
    image = transform(position, *by)
    assert canonical_key(image) == canonical_key(position)
    assert canonical(image) == canonical(position)
    assert len(image.winning_cells()) == len(position.winning_cells())
    assert len(image.safe_pieces()) == len(position.safe_pieces())
    assert image.is_won == position.is_won


@settings(max_examples=50)
@given(positions())
def test_a_picture_shows_every_piece_once(position):
    picture = position._repr_svg_()
    assert picture.startswith("<svg") and picture.count("</svg>") == 1
    assert sorted(re.findall(r">([0-9a-f])</text></g>", picture)) == list("0123456789abcdef")


def test_the_picture_of_the_readme_is_up_to_date():
    position = Position.parse("4.../c.b./7.1./3ed. 0")
    drawn = svg.board_svg(position, marked=analyse(position).best())
    assert (compiler.ROOT / "docs" / "board.svg").read_text() == drawn
