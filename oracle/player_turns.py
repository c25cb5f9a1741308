"""A player's turns in canonical positions: what it plays there, what that is worth, and every
position to which the opponent can then lead.

A canonical position stands for up to 12,288 equivalent ones, in which a player may decide
differently. `ask_turns` is the only place that asks a player, always at the canonical position
(its hand is piece 0): the strategy that is judged plays the equivalent turn in all others.

A turn is cell * 16 + piece. Since piece 0 is in hand, it stands for no piece: the placement ends
the game."""

import numpy as np

from agents.player import Player, PlayerError
from agents.whole_turn import after_turn, first_not_lost, first_undrawn
from arena.match import SIDE, STOP, Side, run_kernel
from console.errors import BadInput
from engine.bits import each, lowest
from engine.exact.proof import MEMORY, answer_of
from engine.exact.quiet import ZERO, as_quiet, count_replies, turns_of
from engine.exact.solver_memory import SPARE_LIST, insert_sorted
from engine.jit.interruptible import Calls
from engine.jit.kernel import by_reference, helper, kernel, types
from engine.rng import purpose, rng_for, stream
from engine.rules import free_cells, give, place, winning_cells
from engine.symmetry import from_key, key_of
from oracle.turn_values import solver_memory

KEYS, TURNS = types.uint64[::1], types.int16[::1]
STREAM = "certify"
CERTIFY = np.uint64(purpose(STREAM))
CHANCE, ILLEGAL = -2, -3  # in place of a turn
# Random streams with which a decision that draws is repeated; all must give the same turn.
STREAMS = 8
CHUNK = 256  # positions that one compiled call judges
EIGHT = np.uint64(8)


@helper
def decided_turn(position, decide_cell, decide_piece, mind, rng):
    cell = decide_cell(position, mind, rng)
    if cell < 0 or cell > 15 or position.occupied >> cell & 1:
        return ILLEGAL
    after = place(position, cell)
    if winning_cells(position) >> cell & 1 or not after.pool:
        return cell << 4
    piece = decide_piece(after, mind, rng)
    if piece < 0 or not after.pool >> piece & 1:
        return ILLEGAL
    return cell << 4 | piece


@kernel(types.void(SIDE, KEYS, types.uint64, types.int64, TURNS, STOP))
def fill_turns(side, keys, seed, streams, turns, stop):
    """Set the player's turn in each position, CHANCE if it depends on the random stream, or
    ILLEGAL."""
    decide_cell, decide_piece, mind = side.place, side.give, by_reference(side.mind)
    rng = by_reference(ZERO)
    for i in range(len(keys)):
        if stop[0]:
            return
        position = from_key(keys[i], True)
        for attempt in range(streams):
            start = stream(seed + np.uint64(attempt), CERTIFY, keys[i])
            rng[0] = start
            turn = decided_turn(position, decide_cell, decide_piece, mind, rng)
            if attempt and turn != turns[i]:
                turns[i] = CHANCE
                break
            turns[i] = turn
            if rng[0] == start:
                break


def ask_turns(
    player: Player, keys: np.ndarray, seed: int, streams: int = STREAMS
) -> tuple[np.ndarray, np.ndarray]:
    """Return (keys, turns) of a player. If it draws its first turn, the key of the empty board is
    repeated for all of them. With one stream, seed and position determine what the player draws.

    Raise BadInput if another turn depends on chance, PlayerError if one is illegal."""
    # what Ray hands to a worker is read-only, which the kernel's signature excludes
    keys, turns = np.array(keys), np.zeros(len(keys), np.int16)
    side, stop = Side.of(player), np.zeros(1, np.int64)
    arguments = side, keys, np.uint64(seed % 2**64), streams, turns, stop
    run_kernel(fill_turns, (side, side), len(keys), *arguments, stop=lambda: stop.fill(1))
    if len(keys) == 1 and keys[0] == 0 and turns[0] == CHANCE:
        turns = first_turns(player, seed)
        keys = np.zeros(len(turns), np.uint64)
    for mark in (CHANCE, ILLEGAL):
        if (turns == mark).any():
            where = from_key(keys[turns == mark][0], True).to_text()
            if mark == ILLEGAL:
                raise PlayerError(f"{player.spec}: plays an illegal turn in '{where}'")
            raise BadInput(
                f"{player.spec}: decides at random in '{where}': certify a player that does not, "
                "or add --fix-chance"
            )
    return keys, turns


def first_turns(player: Player, seed: int) -> np.ndarray:
    """Return all turns of a player that draws its first cell: with the piece that it then hands
    over or, if it draws that, too, with every piece."""
    turns = []
    for cell in range(16):
        board = from_key(np.uint64(0), True).place(cell)
        pieces = {player.give(board, rng_for(seed + n, STREAM)) for n in range(STREAMS)}
        turns += [cell << 4 | piece for piece in (pieces if len(pieces) == 1 else board.legal())]
    return np.array(turns, np.int16)


@helper
def keeping_turn(position, value, memory):
    """Return the turn that keeps the value, a win or a draw, and leaves the fewest safe replies."""
    winning = winning_cells(position)
    if winning:
        return np.int64(lowest(winning)) << 4
    n = ZERO
    for turn, handed in turns_of(as_quiet(position)):
        insert_sorted(memory, SPARE_LIST, n, count_replies(handed) << EIGHT | np.uint64(turn))
        n += np.uint64(1)
    if value == 1:
        return first_undrawn(position, n, memory)
    return first_not_lost(position, n, memory)[0]


@helper
def value_after(position, turn, value, memory):
    """Return what a turn leaves of the value, a win or a draw."""
    if winning_cells(position) >> (turn >> 4) & 1:
        return 1
    if not turn & 15:
        return 0
    handed = after_turn(position, turn)
    if not answer_of(handed, value == 0, memory):
        return value
    return 0 if value == 1 and not answer_of(handed, True, memory) else -1


@kernel(types.void(KEYS, TURNS, types.int8[::1], types.int8[::1], TURNS, MEMORY))
def fill_values(keys, turns, values, left, kept, memory):
    """Set, for each position, its value, what the turn leaves of it, and a turn that keeps it: the
    same one if it does. No position is lost."""
    for i in range(len(keys)):
        position, kept[i] = from_key(keys[i], True), turns[i]
        values[i] = answer_of(position, True, memory)
        left[i] = value_after(position, np.int64(turns[i]), np.int64(values[i]), memory)
        if left[i] < values[i]:
            kept[i] = keeping_turn(position, values[i], memory)


def judge_turns(keys: np.ndarray, turns: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns value, left and kept of turns in positions that are not lost."""
    values, left, kept = (np.zeros(len(keys), kind) for kind in (np.int8, np.int8, np.int16))
    ask, memory = Calls(), solver_memory()
    for i in range(0, len(keys), CHUNK):
        columns = (one[i : i + CHUNK] for one in (keys, turns, values, left, kept))
        ask(fill_values, *columns, memory)
    return {"value": values, "left": left, "kept": kept}


@kernel(types.int64(KEYS, TURNS, KEYS))
def list_replies(keys, turns, replies):
    """Write the canonical keys of all positions that the opponent's replies lead to, with repeats,
    and return their number. No turn hands over a piece that wins at once."""
    n = 0
    for i in range(len(keys)):
        # after a placement that ends the game there is no reply
        handed = after_turn(from_key(keys[i], True), np.int64(turns[i]))
        for cell in each(free_cells(handed) if turns[i] & 15 else 0):
            after = place(handed, cell)
            for piece in each(after.pool):
                replies[n] = key_of(give(after, piece))
                n += 1
    return n
