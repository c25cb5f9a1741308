"""Report 004's agent: beam, and the two that it is measured against, blindbeam and randombeam.

A decision, in this order:
  a win is taken; a piece that loses at once is never handed over if there is another
  boards of up to 4 pieces   one of four fixed rules (rules.py)
  thorough                   nets judge, the best are looked at further, the exact search proves
                             what its nodes reach to (thorough.py)
  else                       the report's beam search by its learned reward (turns.py, search.py)

On top of it the bad-move cache: results of self-play by canonical key (agents/outcomes.py). What is
known of a position from games is blended with what is estimated, the more the oftener it was met;
what is proved is proved.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from agents.beam.layout import (
    BY_CHANCE,
    CACHE,
    GENES,
    GENES_HELD,
    NET,
    PARTS,
    REWARD,
    THOROUGH,
    WIDEST,
    WIDTHS,
    make_beam_memory,
    read_nets,
    read_weights,
)
from agents.beam.rules import RULED_TO, rule_of, ruled_cell, ruled_giving
from agents.beam.search import reported_turn
from agents.beam.thorough import thorough_turn
from agents.choose import one_of
from agents.learned import RUN, LearnedParts, genes_of
from agents.mind import DECISION, Mind, make_mind
from agents.outcomes import Results, entries_of, read_results
from agents.player import Player
from agents.whole_turn import decide_once, decided_piece, forced_cell
from console.option import Option
from engine.bits import popcount
from engine.exact.quiet import ONE
from engine.exact.solver_memory import hash_key
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rules import free_cells, safe_pieces


@helper
def same_for(mind):
    """A word that tells this mind from others that work in the same memory; 0: nothing is noted."""
    who = np.uint64(0)
    if mind.parameters[THOROUGH] and not mind.parameters[BY_CHANCE]:
        for word in mind.parameters.view(np.uint64):
            who = hash_key(who ^ word) | ONE
    return who


@kernel(DECISION)
def decide_beam(position, mind, rng):
    if mind.parameters[THOROUGH]:
        return thorough_turn(position, mind, rng)
    return reported_turn(position, mind, rng)


@kernel(DECISION)
def beam_place(position, mind, rng):
    cell = forced_cell(position)
    if cell != NONE:
        return cell
    if popcount(position.occupied) < RULED_TO:
        return ruled_cell(position, rule_of(mind, rng), mind, rng)
    turn = decide_once(position, same_for(mind), mind, rng, decide_beam)
    return one_of(free_cells(position), rng) if turn == NONE else turn >> 4


@kernel(DECISION)
def beam_give(position, mind, rng):
    if not safe_pieces(position):
        return one_of(position.pool, rng)
    if popcount(position.occupied) <= RULED_TO:
        return ruled_giving(position, mind, rng)[1]
    if mind.parameters[THOROUGH]:
        return decided_piece(position, same_for(mind), mind, rng, decide_beam)
    return decide_beam(position, mind, rng) & 15


READ_GENES = genes_of(*GENES)
CHAMPIONS = "the champion's"  # in the help of options that are genes

OPTIONS = {
    "run": RUN,
    "widths": Option(
        "champion",
        "turns that are looked at with 4, 5, 6 and 7 pieces on the board, joined by -; champion: "
        "evolved",
        metavar="8-8-8-8",
    ),
    "rule": Option(
        0,
        "for boards of up to four pieces: 1 fewest active lines, 2 most, 3 smallest largest, "
        f"4 fewest common attributes; 0 {CHAMPIONS}",
        choices=(0, 1, 2, 3, 4),
    ),
    "boldness": Option(
        -1.0,
        f"how it likes turns after which many answers lose at once; below 0 {CHAMPIONS}",
        least=-1,
    ),
    "cunning": Option(
        -1.0,
        f"how it likes turns after which many answers are traps; below 0 {CHAMPIONS}",
        least=-1,
    ),
    "trust": Option(
        -1.0,
        f"how much what comes after the opponent's best answer counts; below 0 {CHAMPIONS}",
        least=-1,
    ),
    "greed": Option(
        -1.0,
        f"share of the nodes in which a win is looked for first; below 0 {CHAMPIONS}",
        least=-1,
        most=1,
    ),
    "nodes": Option(2000, "positions that a decision may look at", least=1, most=10**12),
    "reward": Option("learned", "how positions are judged", choices=("learned", "flat")),
    "cache": Option("on", "use what self-play has shown", choices=("on", "off")),
    "thorough": Option(
        True,
        "judged by nets, proved by the exact search; false: as the report does, by its reward to "
        "the depth log(nodes) / log(width)",
    ),
}
PLAIN = {
    "widths": "8-8-8-8",
    "rule": 1,
    "boldness": 0.0,
    "cunning": 0.0,
    "trust": 0.0,
    "greed": 0.8,
    "cache": "off",
}


def plain_options(**defaults) -> dict[str, Option]:
    """Nothing evolved, nothing learned from games, the report's search and no more."""
    changed = PLAIN | {"thorough": False} | defaults
    options = {k: replace(o, default=changed.get(k, o.default)) for k, o in OPTIONS.items()}
    del options["run"]
    return options


class Beam(Player):
    """Report 004. Looks further at the turns that learned nets like best and proves what its nodes
    reach to; fixed rules for boards of up to four pieces; a cache of what self-play has shown.
    Widths, rule and temper are evolved. As the report searched, by a reward that it has learned:
    thorough=false.

    Departs from the original, whose keys were not canonical, so that its cache was found in 0.02 %
    of the look-ups, and which took 55 seconds a game.
    """

    name = "beam"
    aliases: tuple[str, ...] = ("RealAgent", "QuartoAgent")
    options: ClassVar = OPTIONS
    place_kernel, give_kernel = beam_place, beam_give
    by_chance = False  # widths and rule are drawn anew for every decision

    def make_mind(self) -> Mind:
        run, cached = self.settings.get("run", ""), self.settings["cache"] == "on"
        learned = LearnedParts(self.name, run, PARTS)
        weights, nets = learned.read(REWARD, read_weights), learned.read(NET, read_nets)
        known = learned.read(CACHE, read_results)[0] if cached else Results.none()
        self.learned = np.concatenate([weights, nets, known.key, entries_of(known)])
        flat, thorough = self.settings["reward"] == "flat", self.settings["thorough"]
        said = [self.settings["nodes"], flat, cached, thorough, self.by_chance]
        return make_mind([*self.genes(learned), *said], make_beam_memory(weights, nets, known))

    def genes(self, learned: LearnedParts) -> list[float]:
        """The champion's, with what was said otherwise."""
        rule, widths = self.settings.get("rule", 1), self.settings.get("widths", PLAIN["widths"])
        said = [
            rule or -1,
            self.settings["boldness"],
            self.settings["cunning"],
            *read_widths(widths),
            self.settings["trust"],
            self.settings["greed"],
        ]
        if min(said) >= 0:
            # a champion that is not there yet is not missed
            return said
        champion = learned.read(GENES_HELD, READ_GENES)
        return [own if own >= 0 else gene for own, gene in zip(said, champion, strict=True)]


def read_widths(text: str) -> list[float]:
    """One for each number of pieces; the champion's are -1."""
    count = WIDTHS
    if text == "champion":
        return [-1.0] * count
    parts = text.split("-")
    if len(parts) != count or not all(p.isdigit() and 1 <= int(p) <= WIDEST for p in parts):
        raise ValueError(f"beam: widths={text}: give {count} widths of 1 to {WIDEST} joined by -")
    return [float(part) for part in parts]


class BlindBeam(Beam):
    """Report 004's first opponent: beam with a flat reward and no cache, which searches as the
    report does. It still sees wins, and what loses at once."""

    name = "blindbeam"
    aliases: tuple[str, ...] = ()
    options: ClassVar = plain_options(reward="flat")


class RandomBeam(Beam):
    """Report 004's other opponent: beam whose width and rule are drawn anew for every decision,
    which searches as the report does."""

    name = "randombeam"
    aliases: tuple[str, ...] = ()
    options: ClassVar = {
        name: option for name, option in plain_options().items() if name not in ("widths", "rule")
    }
    by_chance = True
