"""Positions to learn from: puzzles, flash cards, and the exact value of every turn."""

from itertools import count
from typing import Any

from agents.rules.decide import LAST_STAGE
from agents.rules.english import explain
from agents.rules.player import Rules, shipped_strategies
from engine.exact.solver import default_solver
from engine.notation import cell_name
from engine.position import NONE, Position
from engine.rng import purpose, state_of
from oracle import puzzles
from oracle.testset import STAGES
from oracle.turn_values import quiet_position
from web.limits import Refusal

CARD = purpose("flash card")
END = "-"  # in the place of the piece, after a placement that ends the game
# by cell and piece, by name
Turns = dict[str, dict[str, int]]


def list_puzzles() -> list[dict[str, Any]]:
    """Return the puzzles that ship, the easiest first."""
    return [
        {
            "position": puzzle.position.to_text(),
            "plies": puzzle.plies,
            "rating": puzzle.rating,
            "line": puzzle.line,
        }
        for puzzle in puzzles.read()
    ]


def turns_of(position: Position) -> Turns:
    """Return the exact value of every turn for the player to move."""
    solver, turns = default_solver(), {}
    for cell in position.legal():
        after = position.place(cell)
        if after.is_over:
            turns[cell_name(cell)] = {END: int(after.is_won)}
        else:
            turns[cell_name(cell)] = {f"{p:x}": value for p, value in solver.each_value(after)}
    return turns


def lesson(position: Position, size: int = 0) -> dict[str, Any]:
    """Return the turns of a position; given the size of a strategy, also those that it prefers.
    Raise Refusal if no piece is in hand."""
    if position.hand == NONE:
        raise Refusal(f"{position.to_text()!r}: give a position with a piece to place")
    made = {"position": position.to_text(), "turns": turns_of(position)}
    return made | preferences(position, size) if size else made


def strategies() -> list[dict[str, Any]]:
    """Return the size, in rules, and the English of every strategy that ships."""
    shipped = sorted(shipped_strategies().items())
    return [{"size": size, "english": explain(strategy)} for size, strategy in shipped]


def preferences(position: Position, size: int) -> dict[str, Any]:
    """Return the turns that a strategy prefers, like "a1 f", and its English, in which `block` is
    the line about such positions. Raise Refusal if there is no such strategy."""
    sizes = sorted(shipped_strategies())
    if size not in sizes:
        raise Refusal(f"size={size}: give one of {', '.join(map(str, sizes))}")
    if position.winning_cells():
        raise Refusal(f"{position.to_text()!r}: the piece in hand wins, so nothing is to prefer")
    rules = Rules(size=size)
    turns = rules.preferred(position)
    blocks = rules.strategy.blocks().values()
    stage = min(position.placed, LAST_STAGE)
    return {
        "preferred": [f"{cell_name(turn // 16)} {turn % 16:x}" for turn in turns],
        "english": rules.explain().splitlines(),
        "block": next((i for i, stages in enumerate(blocks, 1) if stage in stages), None),
    }


def card(seed: int, placed: int, number: int, size: int = 0) -> dict[str, Any]:
    """Return the lesson of a flash card: a position in which safe turns differ in value."""
    if placed not in STAGES:
        raise Refusal(f"pieces={placed}: give {STAGES[0]} to {STAGES[-1]}")
    positions = (quiet_position(state_of(seed, CARD, number), placed, i) for i in count())
    return lesson(next(filter(safe_turns_differ, positions)), size)


def safe_turns_differ(position: Position) -> bool:
    turns = turns_of(position)
    values = {
        turns[cell_name(cell)][f"{piece:x}"]
        for cell in position.legal()
        for piece in position.place(cell).safe_pieces()
    }
    return len(values) > 1
