"""Report 004's agent: beam, and the two that it is measured against, blindbeam and randombeam.

A decision, in this order:
  a win is taken; a piece that loses at once is never handed over if there is another
  boards of up to 4 pieces   one of four fixed rules
  the end of the game        from where the rest of the game fits into `nodes` nodes, every turn is searched to its end, the most promising first
  else                       beam search (beam_search.py): deeper and deeper, until the nodes are used up

On top of it the bad-move cache: results of self-play by canonical key (results.py). What is known of a position from games is blended with what is estimated,
the more the oftener it was met; what is proved is proved.
"""

from pathlib import Path

import numpy as np
from numba import types

from agents.beam_mind import (
    AT_WEIGHTS,
    BLIND,
    BOLD,
    BOLDNESS,
    BUDGET,
    BY_CHANCE,
    CACHE,
    COST,
    FITS,
    GENES,
    NEVER,
    PAIRS,
    REWARD,
    RULED_TO,
    SEARCH_OUT,
    TABLE_FREE,
    TAIL,
    WIDEST,
    WIDTH_FROM,
    WIDTH_TO,
    WIDTHS,
    known_score,
    make_words,
    read_genes,
    read_weights,
)
from agents.beam_rules import rule_of, ruled_cell, ruled_giving
from agents.beam_search import SCALE, STAMP, WON, visit
from agents.mind import DECISION, MIND, RNG, Mind, make_mind
from agents.player import Player
from agents.results import Results, read_results
from agents.reward import LEAST, WEIGHTS, WORKROOM, quick_reward
from agents.simple import free_cells, one_of
from engine.bits import EACH_LANE, lowest, popcount
from engine.kernel import helper, kernel
from engine.memory import LIMIT, NODES
from engine.position import NONE, POSITION
from engine.rng import STEP, below, draw
from engine.rules import completing_cells, give, place, safe_pieces, unlike_word, winning_cells
from engine.search import ALL, ONE, can, count_replies, insert_sorted


@helper
def as_seen(given):
    """The words of the exact search: like, unlike, gaps, free, pool, hand, placed."""
    occupied = np.uint64(given.occupied)
    free = occupied ^ ALL
    unlike = unlike_word(given)
    gaps = completing_cells(unlike) & EACH_LANE * free
    return unlike ^ EACH_LANE * occupied, unlike, gaps, free, np.uint64(given.pool), np.uint64(given.hand), popcount(occupied)  # fmt: skip


@helper
def list_turns(position, mind, weights, counts, rng):
    """All safe turns (of a board without a hand: givings) into PAIRS, the most promising first. (number, a turn that wins or -1)."""
    words = mind.words
    n = np.uint64(0)
    giving = position.hand == NONE
    cells = 1 if giving else free_cells(position)
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        after = position if giving else place(position, cell)
        safe = safe_pieces(after)
        while safe:
            piece = lowest(safe)
            safe &= safe - 1
            given = give(after, piece)
            like, unlike, gaps, free, pool, hand, placed = as_seen(given)
            estimate = quick_reward(unlike, like, gaps, free, pool, hand, placed, weights, counts)
            pair = cell << 4 | piece
            if estimate == LEAST:
                return n, pair
            if mind.numbers[BLIND]:
                estimate = np.float64(draw(rng) >> np.uint64(57))
            estimate = -blended(-estimate, given, like, gaps, free, pool, hand, mind)
            insert_sorted(words, PAIRS, n, np.uint64((estimate + WON) * SCALE) << np.uint64(8) | np.uint64(pair))
            n += ONE
    return n, -1


@helper
def unsafe_share(like, gaps, free, pool, hand):
    """Of all turns that whoever holds the hand can make, the share that hands over a win: how likely it is to go wrong."""
    turns = popcount(free) * popcount(pool)
    return 1.0 - count_replies(like, gaps, free, pool, hand) / turns if turns else 0.0


@helper
def blended(value, given, like, gaps, free, pool, hand, mind):
    """What handing a position over seems to be worth, with what the cache knows of it. Where turns are searched to their end, and so nothing can be lost by it, a
    bold player tries those first after which the most can go wrong for the opponent."""
    score, belief = known_score(given, mind)
    value -= belief * (score + value)
    if popcount(free) <= 16 - TABLE_FREE and not mind.numbers[BLIND]:
        value += BOLD * mind.numbers[BOLDNESS] * unsafe_share(like, gaps, free, pool, hand)
    return min(max(value, 1.0 - WON), WON - 1.0)


@helper
def turn_at(words, i):
    return np.int64(words[PAIRS + np.uint64(i)] & np.uint64(255))


@helper
def after_turn(position, pair):
    return give(position if position.hand == NONE else place(position, pair >> 4), pair & 15)


@helper
def searched_out(position, n, words):
    """The first turn that wins; else the first that draws, as far as the nodes reach; NONE if they reach to none."""
    drawn = NONE
    for i in range(n):
        like, unlike, gaps, free, pool, hand, placed = as_seen(after_turn(position, turn_at(words, i)))
        wins = not can(like, unlike, gaps, free, pool, hand, placed, False, words)
        if words[NODES] > words[LIMIT]:
            return drawn
        if wins:
            return turn_at(words, i)
        if drawn == NONE:
            draws = not can(like, unlike, gaps, free, pool, hand, placed, True, words)
            if words[NODES] > words[LIMIT]:
                return drawn
            if draws:
                drawn = turn_at(words, i)
    return drawn


@helper
def beam(position, n, width, mind, weights, counts):
    """The best of the `width` most promising turns, searched deeper and deeper while the nodes last."""
    words = mind.words
    blind, tail = mind.numbers[BLIND] != 0.0, TAIL if mind.numbers[SEARCH_OUT] else NEVER
    chosen = turn_at(words, 0)
    n = min(n, np.uint64(width))
    left = np.int64(popcount(free_cells(position))) - (position.hand != NONE)
    for depth in range(max(1, np.int64(tail) - (16 - left) + 1)):
        best, now = -np.inf, NONE
        for i in range(n):
            pair = turn_at(words, i)
            given = after_turn(position, pair)
            like, unlike, gaps, free, pool, hand, placed = as_seen(given)
            value = -visit(like, unlike, gaps, free, pool, hand, placed, depth, np.uint64(width), -WON, WON if best == -np.inf else -best, weights, words, counts, blind, tail)  # fmt: skip
            if words[NODES] > words[LIMIT]:
                return chosen if now == NONE else now
            if abs(value) < WON:
                value = blended(value, given, like, gaps, free, pool, hand, mind)
            words[PAIRS + np.uint64(i)] = np.uint64((2 * WON - value) * SCALE) << np.uint64(8) | np.uint64(pair)
            if value > best:
                best, now = value, pair
        chosen = now
        if best == WON:
            break
        for i in range(1, n):
            insert_sorted(words, PAIRS, np.uint64(i), words[PAIRS + np.uint64(i)])
    return chosen


@helper
def width_of(gene):
    return min(max(np.int64(np.rint(gene)), 1), WIDEST)


@kernel(types.int64(POSITION, MIND, RNG))
def best_turn(position, mind, rng):
    """cell * 16 + piece, or just the piece; the position is quiet and has a safe turn, or else NONE is returned."""
    words = mind.words
    weights = words[words[AT_WEIGHTS] : words[AT_WEIGHTS] + np.uint64(WEIGHTS)].view(np.float64)
    counts = np.empty(WORKROOM, np.int64)
    words[STAMP] += STEP
    words[NODES], words[LIMIT] = 0, np.uint64(mind.numbers[BUDGET])
    n, wins = list_turns(position, mind, weights, counts, rng)
    if wins != -1 or n == 0:
        return wins
    handed = np.int64(popcount(position.occupied)) + (position.hand != NONE)
    if mind.numbers[SEARCH_OUT] and handed >= TABLE_FREE and FITS * COST[handed] <= mind.numbers[BUDGET]:
        found = searched_out(position, n, words)
        return turn_at(words, 0) if found == NONE else found
    at = min(max(np.int64(popcount(position.occupied)), WIDTH_FROM), WIDTH_TO)
    width = (
        1 + below(rng, WIDEST) if mind.numbers[BY_CHANCE] else width_of(mind.numbers[BOLDNESS + 1 + at - WIDTH_FROM])
    )
    return beam(position, n, width, mind, weights, counts)


@kernel(DECISION)
def beam_place(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if not position.pool:
        return lowest(free_cells(position))
    if popcount(position.occupied) < RULED_TO:
        return ruled_cell(position, rule_of(mind, rng), mind, rng)
    turn = best_turn(position, mind, rng)
    return one_of(free_cells(position), rng) if turn == NONE else turn >> 4


@kernel(DECISION)
def beam_give(position, mind, rng):
    if not safe_pieces(position):
        return one_of(position.pool, rng)
    if popcount(position.occupied) <= RULED_TO:
        return ruled_giving(position, mind, rng)[1]
    return best_turn(position, mind, rng) & 15


OPTIONS = {
    "widths": "champion",
    "rule": 0,
    "boldness": -1.0,
    "nodes": 2000,
    "reward": "learned",
    "cache": "on",
    "end": True,
}
# nothing evolved, nothing learned from games, the end not searched out: the report's opponents
PLAIN = OPTIONS | {"widths": "8-8-8-8", "rule": 1, "boldness": 0.0, "cache": "off", "end": False}


class Beam(Player):
    """Report 004. Minmax over the turns that a learned reward likes best, `nodes` nodes a decision; fixed rules for boards of up to four pieces; the end searched out;
    a cache of what self-play has shown.

    `widths` champion: the ones that ship, evolved (beam.parquet tells the command); else one for each number of pieces on the board from 4 to 7, joined by -, or the
    folder of a run of `python -m evo.run --genome beam`. `rule` 1 to 4: fewest active lines, most, smallest largest, fewest common attributes; 0: the champion's.
    `boldness`: how much it likes turns after which many answers of the opponent lose at once; below 0: the champion's. `end`: search the end of the game out.
    `reward` learned, flat, or the folder of a run of `python -m evo.climb`. `cache` on, off, or the folder of a run of `python -m selfplay.run --learner beam`.

    Departs from the original, whose keys were not canonical, so that its cache was found in 0.02 % of the look-ups, and which took 55 seconds a game.
    """

    name = "beam"
    aliases = ("RealAgent", "QuartoAgent")
    options = OPTIONS
    choices = {"rule": (0, 1, 2, 3, 4)}  # noqa: RUF012
    place_kernel, give_kernel = beam_place, beam_give
    by_chance = False

    def make_mind(self) -> Mind:
        reward, cached = self.chosen["reward"], self.chosen["cache"]
        if not 1 <= self.chosen["nodes"] < 2**40:
            raise ValueError(f"{self.name}: nodes={self.chosen['nodes']} must be 1 or more")
        weights = read_weights(REWARD if reward in ("learned", "flat") else Path(reward) / "reward.parquet")
        known = Results.none()
        if cached != "off":
            known = read_results(CACHE if cached == "on" else Path(cached) / "policy.parquet")[0]
        self.learned = np.concatenate([weights, known.key, known.visits.astype(np.uint64)])
        self.learned_elsewhere = reward not in ("learned", "flat") or cached not in ("on", "off")
        numbers = [
            *self.genes(),
            self.chosen["nodes"],
            reward == "flat",
            cached != "off",
            self.chosen["end"],
            self.by_chance,
        ]
        return make_mind(numbers, make_words(weights, known))

    def genes(self) -> tuple[float, ...]:
        widths, rule = self.chosen["widths"], self.chosen["rule"]
        parts = widths.split("-")
        own = len(parts) == len(GENES) - 2 and all(part.isdigit() and 1 <= int(part) <= WIDEST for part in parts)
        if not own and widths != "champion" and not Path(widths).is_dir():
            raise ValueError(
                f"{self.name}: widths={widths} is neither {len(GENES) - 2} widths of 1 to {WIDEST} joined by - nor a run's folder"
            )
        if own and rule and self.chosen["boldness"] >= 0:
            return (rule, self.chosen["boldness"], *map(float, parts))
        genes = read_genes(WIDTHS if own or widths == "champion" else Path(widths) / "champion.parquet")
        boldness = self.chosen["boldness"] if self.chosen["boldness"] >= 0 else genes[1]
        return (rule or genes[0], boldness, *(map(float, parts) if own else genes[2:]))


class BlindBeam(Beam):
    """Report 004's first opponent: beam with a flat reward and no cache, its end not searched out. It still sees wins, and what loses at once."""

    name = "blindbeam"
    aliases = ()
    options = PLAIN | {"reward": "flat"}


class RandomBeam(Beam):
    """Report 004's other opponent: beam whose width and rule are drawn anew for every decision, its end not searched out."""

    name = "randombeam"
    aliases = ()
    options = PLAIN
    by_chance = True
