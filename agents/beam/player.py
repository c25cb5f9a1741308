"""Report 004's agent, beam, and the two that it is measured against, blindbeam and randombeam.

A decision, in this order:
  a win is taken; a piece that loses at once is only handed over if all do
  boards of up to 4 pieces   one of four fixed rules (rules.py)
  thorough                   nets judge, the best turns are searched one turn deeper, the exact
                             search proves as much as its nodes allow (thorough.py)
  else                       the report's beam search by its learned reward (search.py)

Results of self-play (agents/outcomes.py) are blended with the estimates of positions, with more
weight the more often a position was met; proofs stand."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from agents.beam import layout
from agents.beam.layout import (
    CAUTIONS,
    GENES,
    MOST_CAUTION,
    PARTS,
    RANDOM,
    THOROUGH,
    WIDEST,
    WIDTHS,
)
from agents.beam.rules import RULED_TO, rule_of, ruled_cell, ruled_giving
from agents.beam.search import reported_turn
from agents.beam.thorough import thorough_turn
from agents.choose import one_of
from agents.learned import RUN, LearnedParts, genes_of
from agents.mind import DECISION, Mind, make_mind
from agents.outcomes import Results, entries_of, read_results
from agents.player import Player
from agents.sprint.net import from_table
from agents.whole_turn import decide_once, decided_piece, forced_cell
from console.option import Option
from engine.bits import popcount
from engine.exact.quiet import ONE
from engine.exact.solver_memory import hash_key
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rules import free_cells, safe_pieces


@helper
def note_key(mind):
    """Return a word that differs between minds that share a memory; 0 if nothing is noted."""
    key = np.uint64(0)
    if mind.parameters[THOROUGH] and not mind.parameters[RANDOM]:
        for word in mind.parameters.view(np.uint64):
            key = hash_key(key ^ word) | ONE
    return key


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
    turn = decide_once(position, note_key(mind), mind, rng, decide_beam)
    return one_of(free_cells(position), rng) if turn == NONE else turn >> 4


@kernel(DECISION)
def beam_give(position, mind, rng):
    if not safe_pieces(position):
        return one_of(position.pool, rng)
    if popcount(position.occupied) <= RULED_TO:
        return ruled_giving(position, mind, rng)[1]
    if mind.parameters[THOROUGH]:
        return decided_piece(position, note_key(mind), mind, rng, decide_beam)
    return decide_beam(position, mind, rng) & 15


READ_GENES = genes_of(*GENES)
OPTIONS = {
    "run": RUN,
    "widths": Option(
        "champion", "turns searched with 4, 5, 6 and 7 pieces; champion: evolved", metavar="8-8-8-8"
    ),
    "rule": Option(
        0,
        "for boards of up to four pieces: 1 fewest active lines, 2 most, 3 smallest largest, "
        "4 fewest common attributes; 0: evolved",
        choices=(0, 1, 2, 3, 4),
    ),
    "boldness": Option(-1.0, "weight of replies that lose at once; below 0: evolved", least=-1),
    "cunning": Option(-1.0, "weight of replies that are traps; below 0: evolved", least=-1),
    "trust": Option(-1.0, "weight of the opponent's best reply; below 0: evolved", least=-1),
    "greed": Option(-1.0, "share of nodes to find a win; below 0: evolved", least=-1, most=1),
    "caution": Option(
        "champion",
        "log odds of not losing that are enough with 4, 5, and 6 or more pieces: among such turns "
        "the lure decides; champion: evolved",
        metavar="5-20-5",
    ),
    "nodes": Option(2000, "positions that a decision may examine", least=1, most=10**12),
    "reward": Option("learned", "how positions are judged", choices=("learned", "flat")),
    "cache": Option("on", "use results of self-play", choices=("on", "off")),
    "thorough": Option(
        True,
        "judged by nets, proved by the exact search; false: the report's search by its reward, to "
        "the depth log(nodes) / log(width)",
    ),
}
PLAIN = {"widths": "8-8-8-8", "rule": 1, "boldness": 0.0, "cunning": 0.0, "trust": 0.0}
PLAIN |= {"greed": 0.8, "caution": "20-20-20", "cache": "off", "thorough": False}


def plain_options(*without: str, **defaults) -> dict[str, Option]:
    """Return options for the report's search, with nothing evolved or learned from games."""
    changed = PLAIN | defaults
    plain = {k: replace(o, default=changed.get(k, o.default)) for k, o in OPTIONS.items()}
    return {name: option for name, option in plain.items() if name not in ("run", *without)}


class Beam(Player):
    """Report 004. Searches the turns that learned nets rank highest and proves as much as its node
    limit allows. It plays by fixed rules on boards of up to four pieces, and it has a cache of
    results of self-play. Among turns that are safe enough it takes the one after which the opponent
    errs most easily. Widths, rule, temper and caution are evolved. thorough=false: the report's
    search, by a learned reward.

    In the original, keys were not canonical: 0.02 % of the look-ups in the cache were hits, and a
    game took 55 seconds."""

    name = "beam"
    aliases: tuple[str, ...] = ("RealAgent", "QuartoAgent")
    options: ClassVar = OPTIONS
    place_kernel, give_kernel = beam_place, beam_give
    random = False  # widths and rule are drawn anew for every decision

    def make_mind(self) -> Mind:
        run, cached = self.settings.get("run", ""), self.settings["cache"] == "on"
        learned = LearnedParts(self.name, run, PARTS)
        weights = learned.read(layout.REWARD, layout.read_weights)
        nets = learned.read(layout.NET, from_table).view(np.uint64)
        results = learned.read(layout.CACHE, read_results)[0] if cached else Results.none()
        self.learned = np.concatenate([weights, nets, results.key, entries_of(results)])
        flat, thorough = self.settings["reward"] == "flat", self.settings["thorough"]
        options = [self.settings["nodes"], flat, cached, thorough, self.random]
        memory = layout.make_beam_memory(weights, nets, results)
        return make_mind([*self.genes(learned), *options], memory)

    def genes(self, learned: LearnedParts) -> list[float]:
        """Return the genes of the options, the champion's where an option leaves them open."""
        settings = PLAIN | self.settings
        genes = [settings["rule"] or -1, settings["boldness"], settings["cunning"]]
        genes += read_numbers("widths", settings["widths"], WIDTHS, 1, WIDEST)
        genes += [settings["trust"], settings["greed"]]
        genes += read_numbers("caution", settings["caution"], CAUTIONS, 0, MOST_CAUTION)
        if min(genes) >= 0:
            # the champion may not exist yet
            return genes
        champion = learned.read(layout.GENES_HELD, READ_GENES)
        return [own if own >= 0 else gene for own, gene in zip(genes, champion, strict=True)]


def read_numbers(option: str, text: str, count: int, least: int, most: int) -> list[float]:
    """Return the numbers of an option, one for each stage; -1 for the champion's."""
    if text == "champion":
        return [-1.0] * count
    parts = text.split("-")
    if len(parts) != count or not all(p.isdigit() and least <= int(p) <= most for p in parts):
        wanted = f"give {count} numbers of {least} to {most} joined by -"
        raise ValueError(f"beam: {option}={text}: {wanted}")
    return [float(part) for part in parts]


class BlindBeam(Beam):
    """Report 004's first opponent: beam with a flat reward and no cache, and the report's search.
    It still sees wins and pieces that lose at once."""

    name = "blindbeam"
    aliases: tuple[str, ...] = ()
    options: ClassVar = plain_options(reward="flat")


class RandomBeam(Beam):
    """Report 004's other opponent: beam with the report's search, whose width and rule are drawn
    anew for every decision."""

    name = "randombeam"
    aliases: tuple[str, ...] = ()
    options: ClassVar = plain_options("widths", "rule")
    random = True
