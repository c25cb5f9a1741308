"""Opening suites: drawn positions from which pairs of games begin, one game in each seat.

    python -m arena.suite      makes arena/sharp.parquet, which ships, in half a minute

balanced  all 82,197 canonical positions of four pieces that are drawn by the book. Chess can only
          estimate that an opening is fair; here it is proved.
sharp     of the 1,758,040 drawn positions of five pieces those in which the most safe turns lose
          (90 % or more), the sharpest first. With four pieces 0.4 % of the safe turns lose, too
          few to sort by; with six the book cannot judge the turns.

The opening of pair k of a match is a function of seed and k, and none repeats before all were used.
It is played as the first moves of both games, turned by a random symmetry.
"""

from functools import cache
from pathlib import Path

import numpy as np

from console.command import command
from console.config import Config, check_out, option
from console.errors import BadInput
from engine.bits import EACH_LANE, each
from engine.exact.boards import images_of_pieces
from engine.exact.book import book_says, memory_with, read_book
from engine.exact.book_levels import LEAST_TABLE, ask_book, quiet_positions
from engine.exact.proof import MEMORY
from engine.exact.quiet import as_quiet, key_of_quiet, turns_of
from engine.jit.interruptible import call
from engine.jit.kernel import helper, kernel, types
from engine.rng import below, purpose, stream
from engine.rules import any_lane
from engine.symmetry import CELL_SYMMETRIES, from_key

BALANCED, SHARP, NO_OPENINGS = SUITES = ("balanced", "sharp", "none")
PIECES = {BALANCED: 4, SHARP: 5}
FILE = Path(__file__).with_name("sharp.parquet")
SHARPEST = 16_384
KEYS, MOVES = types.uint64[::1], types.int8[::1]
PLAIN = np.zeros(0, np.uint64)  # the suite of games from the empty board
ORDER, SYMMETRY = np.uint64(purpose("opening")), np.uint64(purpose("symmetry of an opening"))
PIECE_SYMMETRIES = images_of_pieces().astype(np.int8)
ROUNDS = 4  # of the Feistel network


def opening_moves(suite: str) -> int:
    """Return the number of moves that an opening prescribes: pieces given and placed."""
    return 2 * PIECES[suite] + 1 if suite in PIECES else 0


@cache
def read_suite(name: str) -> np.ndarray:
    """Return the canonical keys of a suite; none for plain games. Raise BadInput if there is no
    book."""
    if name == NO_OPENINGS:
        return PLAIN
    if name not in SUITES:
        raise BadInput(f"openings {name!r}: give one of {', '.join(SUITES)}")
    if name == BALANCED:
        return drawn_positions(PIECES[BALANCED])
    import pyarrow.parquet as parquet

    # a copy, since kernels take no read-only array
    return parquet.read_table(FILE)["key"].to_numpy().copy()


def drawn_positions(pieces: int) -> np.ndarray:
    """Return the ascending keys of the drawn positions with this many pieces."""
    words = read_book()
    if words is None:
        raise BadInput("openings need the book, which is missing: python -m oracle.book makes it")
    keys = np.sort(quiet_positions(pieces))
    values = np.zeros(len(keys), np.int8)
    call(ask_book, keys, values, memory_with(words, LEAST_TABLE))
    return keys[values == 0]


@helper
def shuffled(index, count, seed):
    """Return the place of an index below `count` in a random permutation of them: a Feistel
    network, repeated until the result is below `count`."""
    bits = np.uint64(1)
    while (1 << 2 * np.int64(bits)) < count:
        bits += np.uint64(1)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    word = np.uint64(index)
    while True:
        left, right = word >> bits, word & mask
        for number in range(ROUNDS):
            left, right = right, left ^ (stream(seed, right, np.uint64(number)) & mask)
        word = left << bits | right
        if word < np.uint64(count):
            return np.int64(word)


@kernel(types.int64(KEYS, types.uint64, types.int64, MOVES))
def write_opening(suite, seed, pair, moves):
    """Write the moves of the opening of a pair of games; return their number, 0 for plain games."""
    count = len(suite)
    if count == 0:
        return 0
    order = stream(seed, ORDER, np.uint64(pair // count))
    key = suite[shuffled(pair % count, count, order)]
    rng = np.zeros(1, np.uint64)
    rng[0] = stream(seed, SYMMETRY, np.uint64(pair))
    cells = CELL_SYMMETRIES[below(rng, len(CELL_SYMMETRIES))]
    pieces = PIECE_SYMMETRIES[below(rng, len(PIECE_SYMMETRIES))]
    n = 0
    for cell in each(any_lane(key)):
        # bits 0, 16, 32, 48: the attributes of the piece
        at = key >> np.uint64(cell) & EACH_LANE
        piece = at | at >> np.uint64(15) | at >> np.uint64(30) | at >> np.uint64(45)
        moves[n] = pieces[piece & np.uint64(15)]
        moves[n + 1] = cells[cell]
        n += 2
    moves[n] = pieces[0]  # the hand of a canonical position is piece 0
    return n + 1


@kernel(types.void(KEYS, types.float64[::1], MEMORY))
def share_of_losing_turns(keys, shares, memory):
    """Write the share of the safe turns of each position that lose by the memory's book."""
    for i in range(len(keys)):
        turns, lost = 0, 0
        for _, given in turns_of(as_quiet(from_key(keys[i], True))):
            turns += 1
            if book_says(memory, key_of_quiet(given), True):
                lost += 1
        shares[i] = lost / turns if turns else 0.0


def sharpest(pieces: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys of the sharpest drawn positions, and their shares of losing turns."""
    keys = drawn_positions(pieces)
    shares = np.zeros(len(keys))
    words = read_book()
    assert words is not None
    call(share_of_losing_turns, keys, shares, memory_with(words, LEAST_TABLE))
    order = np.argsort(-shares, kind="stable")[:count]
    return keys[order], shares[order]


class SuiteConfig(Config):
    out: str = option(str(FILE), "file to write", metavar="FILE")

    def check(self) -> None:
        check_out(self.out)


def make(config: SuiteConfig) -> None:
    """Write the sharp suite."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    keys, shares = sharpest(PIECES[SHARP], SHARPEST)
    table = pa.table({"key": keys, "losing": shares.astype(np.float32)})
    about = {"made by": "python -m arena.suite"}
    parquet.write_table(table.replace_schema_metadata(about), config.out, compression="zstd")
    print(f"{len(keys):,} positions; {100 * shares[-1]:.0f} % or more of their safe turns lose")


main = command("arena.suite", __name__, __doc__, SuiteConfig, make)
