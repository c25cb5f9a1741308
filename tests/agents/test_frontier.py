"""Frontier scores, compared with the report's definition: sets of pieces that share exactly n
attribute values with a source."""

import itertools

import pytest

import agents
from agents.frontier import DRAW, LOSS, OPEN, WIN, line_value
from engine.lines import LINES
from tests.engine.positions import random_position


def frontiers():
    levels = {}
    for size in (1, 2, 3):
        for source in itertools.combinations(range(16), size):
            for piece in set(range(16)) - set(source):
                same = 15
                for other in source:
                    same &= ~(piece ^ other)
                levels[source, piece] = same.bit_count()
    return levels


LEVELS = frontiers()


def plain_score(position, piece, cell):
    score = 0
    for line in LINES.tolist():
        if line >> cell & 1:
            source = tuple(
                sorted(
                    position.piece_at(c)
                    for c in range(16)
                    if line >> c & 1 and position.occupied >> c & 1
                )
            )
            if 1 <= len(source) <= 3:
                score += LEVELS[source, piece] * 10 ** (len(source) - 1)
    return score


def test_there_are_696_sources_and_none_of_three_shares_three():
    sources = {source for source, _ in LEVELS}
    assert len(sources) == 696
    assert max(level for (source, _), level in LEVELS.items() if len(source) == 3) == 2


def test_in_safe_mode_it_takes_the_lowest_scores():
    player, eager, seen = agents.make("frontier"), agents.make("frontier:delay=false"), 0
    for seed in range(200):
        position = random_position(seed, 1 + seed % 7)
        if position.winning_cells() or len(position.safe_pieces()) < len(
            [p for p in range(16) if position.pool >> p & 1]
        ):
            continue
        seen += 1
        scores = {
            cell: plain_score(position, position.hand, cell)
            for cell in position.legal()
            if position.place(cell).safe_pieces()
        }
        assert scores[player.place(position)] == min(scores.values())
        assert scores[eager.place(position)] == max(scores.values())
        after = position.place(player.place(position))
        if len(after.safe_pieces()) == len(after.legal()):
            totals = {
                q: sum(plain_score(after, q, c) for c in range(16) if not after.occupied >> c & 1)
                for q in after.legal()
            }
            assert totals[player.give(after)] == min(totals.values())
    assert seen > 50


def plain_line(position, ahead, mine):
    """Return the value of the report's search, without alpha-beta: only cells with a score if any
    has one, only safe pieces."""
    if position.winning_cells():
        return WIN if mine else LOSS
    if ahead == 0:
        return OPEN
    cells = [
        c for c in position.legal() if plain_score(position, position.hand, c) > 0
    ] or position.legal()
    values = []
    for cell in cells:
        after = position.place(cell)
        if not after.pool:
            values.append(DRAW)
        elif not after.safe_pieces():
            values.append(LOSS if mine else WIN)
        values += [plain_line(after.give(q), ahead - 1, not mine) for q in after.safe_pieces()]
    return max(values) if mine else min(values)


@pytest.mark.parametrize("ahead", [1, 2, 3])
def test_the_search_returns_the_value_of_a_plain_one(ahead):
    words = agents.make("frontier").mind.memory
    values = set()
    for seed in range(120):
        position = random_position(seed, 10 + seed % 4)
        if position.winning_cells():
            continue
        for side in (1, -1):
            value = side * line_value(position, ahead, LOSS - 1, WIN + 1, side * DRAW, words)
            assert value == plain_line(position, ahead, side == 1)
            values.add(value)
    assert {WIN, LOSS, OPEN} <= values


def test_in_threat_mode_it_gives_a_piece_of_the_best_line():
    player, threatened = agents.make("frontier"), 0
    for seed in range(40):
        position = random_position(seed, 10, hand=False)
        safe = position.safe_pieces()
        if safe and len(safe) < len(position.legal()):
            threatened += 1
            values = {q: plain_line(position.give(q), 2, False) for q in safe}
            assert values[player.give(position)] == max(values.values())
    assert threatened > 10
