import pytest

from engine import NONE, Position
from tests import reference
from tests.engine.positions import plain, random_position

EXAMPLE = "4.../c.b./7.1./3ed. 0"


@pytest.mark.parametrize("placed", range(16))
def test_winning_cells_and_safe_pieces_agree_with_the_plain_rules(placed):
    for seed in range(40):
        position = random_position(seed, placed)
        board, hand = plain(position)
        assert position.winning_cells() == reference.winning_cells(board, hand)
        assert position.safe_pieces() == reference.safe_pieces(board, hand)
        assert position.legal() == reference.free(board)
        for cell in position.legal():
            after = position.place(cell)
            assert after.is_won == reference.won(reference.put(board, cell, hand))
            assert after.last == cell and after.hand == NONE and after.piece_at(cell) == hand


def test_without_a_hand_the_legal_moves_are_the_pool():
    position = random_position(3, 6, hand=False)
    board, _ = plain(position)
    assert position.legal() == reference.pool(board)
    assert position.safe_pieces() == reference.safe_pieces(board)
    assert position.winning_cells() == []


@pytest.mark.parametrize("hand", [True, False])
def test_a_position_that_is_written_and_read_is_unchanged(hand):
    for seed in range(100):
        position = random_position(seed, seed % 16, hand=hand)
        text = position.to_text()
        assert Position.parse(text).to_text() == text
        assert Position.parse(text)._replace(last=position.last) == position
        assert eval(repr(position)) == position._replace(last=NONE)


def test_all_64_bits_of_the_planes_pass_through_a_kernel():
    position = Position.parse("f.../..../..../.... -").give(14).place(15)
    assert position.planes < 0, "cell 15 high is the sign bit"
    assert position.board[15] == 14 and position.board[0] == 15


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("4.../c.b./7.1./3ed.", ["one word"]),
        ("4../c.x./7.1./3ed. 44", ["rows of 3, 4, 4, 4", "'x'", "'44'"]),
        (
            "44../c.b./7.1./3ed. c",
            ["piece 4 is on the board 2 times", "piece c is in hand and on the board"],
        ),
        ("0123/..../..../.... 4", ["a line is complete"]),
        ("0123/..../4567/.... -", ["no single last placement"]),
        ("", ["0 words"]),
    ],
)
def test_an_impossible_position_is_refused_with_every_reason(text, reasons):
    with pytest.raises(ValueError) as error:
        Position.parse(text)
    for reason in reasons:
        assert reason in str(error.value)


def test_illegal_moves_are_refused_with_every_reason():
    position = Position.parse(EXAMPLE)
    with pytest.raises(ValueError, match="cell 0 holds piece 4"):
        position.place(0)
    with pytest.raises(ValueError, match="cells are 0 to 15"):
        position.place(16)
    with pytest.raises(ValueError, match=r"piece 0 is in hand.*4 is not in the pool"):
        position.give(4)
    over = Position.parse("0123/..../..../.... -")
    with pytest.raises(ValueError, match="the game is over"):
        over.give(5)
    with pytest.raises(ValueError, match=r"the game is over; no piece is in hand"):
        over.place(5)
    assert over.is_over and over.is_won and over.legal() == []


def test_build_refuses_an_invalid_board():
    with pytest.raises(ValueError, match="15 cells given"):
        Position.build([NONE] * 15)
    with pytest.raises(ValueError, match="cell 3 holds 16"):
        Position.build([NONE] * 3 + [16] + [NONE] * 12)
    with pytest.raises(ValueError, match="last cell 7 holds no piece"):
        Position.build([NONE] * 16, last=7)


def test_the_drawings_of_the_sixteen_pieces_differ():
    from engine.notation import piece_drawing

    drawings = {piece_drawing(piece)[1:] for piece in range(16)}
    assert len(drawings) == 16, "without their digits"
    assert all(piece_drawing(piece) in str(Position.start()) for piece in range(16))
