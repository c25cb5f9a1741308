"""Report 004's agent: beam, and the two that it is measured against, blindbeam and randombeam.

A decision, in this order:
  a win is taken; a piece that loses at once is never handed over if there is another
  boards of up to 4 pieces   one of four fixed rules (beam_rules.py)
  the end of the game        from where the rest of the game fits into `nodes` nodes, every turn is searched to its end, the most promising first (beam_turns.py)
  else                       beam search (beam_search.py): deeper and deeper, until the nodes are used up

On top of it the bad-move cache: results of self-play by canonical key (results.py). What is known of a position from games is blended with what is estimated,
the more the oftener it was met; what is proved is proved.
"""

from pathlib import Path

import numpy as np

from agents.beam.layout import (
    CACHE,
    FIRST_WIDTH,
    GENES,
    REWARD,
    RULED_TO,
    WIDEST,
    WIDTHS,
    make_words,
    read_genes,
    read_weights,
)
from agents.beam.rules import rule_of, ruled_cell, ruled_giving
from agents.beam.turns import best_turn
from agents.choose import free_cells, one_of
from agents.mind import DECISION, Mind, make_mind
from agents.outcomes import Results, entries_of, read_results
from agents.player import Player
from engine.bits import lowest, popcount
from engine.kernel import kernel
from engine.position import NONE
from engine.rules import safe_pieces, winning_cells


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
    "cunning": -1.0,
    "nodes": 2000,
    "reward": "learned",
    "cache": "on",
    "thorough": True,
}
# nothing evolved, nothing learned from games, the report's search and no more: its opponents
PLAIN = OPTIONS | {"widths": "8-8-8-8", "rule": 1, "boldness": 0.0, "cunning": 0.0, "cache": "off", "thorough": False}


class Beam(Player):
    """Report 004. Minmax over the turns that a learned reward likes best, `nodes` nodes a decision; fixed rules for boards of up to four pieces; the end searched out;
    a cache of what self-play has shown.

    `widths` champion: the ones that ship, evolved (beam.parquet tells the command); else one for each number of pieces on the board from 4 to 7, joined by -, or the
    folder of a run of `python -m evo.run --genome beam`. `rule` 1 to 4: fewest active lines, most, smallest largest, fewest common attributes; 0: the champion's.
    `boldness`, `cunning`: how much it likes turns after which many answers of the opponent lose at once, or are traps; below 0: the champion's.
    `thorough`: use all nodes, deeper and deeper, and search the end of the game out; false: as in the report, to the depth log(nodes) / log(width) and no further.
    `reward` learned, flat, or the folder of a run of `python -m selfplay.fit_reward`. `cache` on, off, or the folder of a run of `python -m selfplay.run --learner beam`.

    Departs from the original, whose keys were not canonical, so that its cache was found in 0.02 % of the look-ups, and which took 55 seconds a game.
    """

    name = "beam"
    aliases = ("RealAgent", "QuartoAgent")
    options = OPTIONS
    choices = {"rule": (0, 1, 2, 3, 4)}  # noqa: RUF012
    place_kernel, give_kernel = beam_place, beam_give
    by_chance = False

    def make_mind(self) -> Mind:
        reward, cached = self.settings["reward"], self.settings["cache"]
        if not 1 <= self.settings["nodes"] < 2**40:
            raise ValueError(f"{self.name}: nodes={self.settings['nodes']} must be 1 or more")
        weights = read_weights(REWARD if reward in ("learned", "flat") else Path(reward) / "reward.parquet")
        known = Results.none()
        if cached != "off":
            known = read_results(CACHE if cached == "on" else Path(cached) / "policy.parquet")[0]
        self.learned = np.concatenate([weights, known.key, entries_of(known)])
        self.learned_elsewhere = reward not in ("learned", "flat") or cached != "on"
        numbers = [
            *self.genes(),
            self.settings["nodes"],
            reward == "flat",
            cached != "off",
            self.settings["thorough"],
            self.by_chance,
        ]
        return make_mind(numbers, make_words(weights, known))

    def genes(self) -> list[float]:
        """The champion's, with what was said otherwise."""
        widths, rule = self.settings.get("widths", "8-8-8-8"), self.settings.get("rule", 1)
        parts = widths.split("-")
        own = len(parts) == len(GENES) - FIRST_WIDTH and all(p.isdigit() and 1 <= int(p) <= WIDEST for p in parts)
        if not own and widths != "champion" and not Path(widths).is_dir():
            raise ValueError(f"{self.name}: widths={widths} is neither {len(GENES) - FIRST_WIDTH} widths of 1 to {WIDEST} joined by - nor a run's folder")  # fmt: skip
        said = [rule or -1, self.settings["boldness"], self.settings["cunning"]]
        if own and min(said) >= 0:  # a champion that is not there yet is not missed
            return [*said, *map(float, parts)]
        genes = read_genes(WIDTHS if own or widths == "champion" else Path(widths) / "champion.parquet")
        first = [asked if asked >= 0 else gene for asked, gene in zip(said, genes, strict=False)]
        return [*first, *(map(float, parts) if own else genes[FIRST_WIDTH:])]


class BlindBeam(Beam):
    """Report 004's first opponent: beam with a flat reward and no cache, which searches as the report does. It still sees wins, and what loses at once."""

    name = "blindbeam"
    aliases = ()
    options = PLAIN | {"reward": "flat"}


class RandomBeam(Beam):
    """Report 004's other opponent: beam whose width and rule are drawn anew for every decision, which searches as the report does."""

    name = "randombeam"
    aliases = ()
    options = {name: value for name, value in PLAIN.items() if name not in ("widths", "rule")}  # noqa: RUF012
    choices = {}  # noqa: RUF012
    by_chance = True
