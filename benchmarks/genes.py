"""What evolution has brought the beam agent: its champion's genes beside genes by chance, each with
the same search and the same nodes.

    python -m benchmarks.genes
    python -m benchmarks.genes --genomes 40 --games 1000 --run RUN

Right turns: of the judge set, which nobody was selected by, for 5 to 8 pieces (later all are
right). Games: the champion against each of those by chance. The intervals of 95 % are those of the
difference to genes by chance in general: genomes are drawn again and again from those that were
measured, and positions, too (bootstrap).
"""

import sys
from dataclasses import dataclass
from functools import partial
from math import log10

import numpy as np

import agents
from arena.match import Batch, Side, play_each
from benchmarks.measure import Table
from console.command import run_command
from console.config import Config, option
from console.progress import Progress
from evo.genomes import GENOMES
from evo.loop import seed_generation
from oracle import testset
from oracle.right_turns import as_questions, right_turns
from oracle.testset import JUDGESET

PIECES = range(5, 9)
BLOCK = 50  # positions that are drawn together
DRAWS = 2000  # of the bootstrap
COLUMNS = (("", -14), ("champion", 10), ("by chance", 11), ("difference", 12), ("95 %", 18))


@dataclass(kw_only=True)
class GenesConfig(Config):
    genomes: int = option(20, "by chance", least=2)
    games: int = option(400, "of the champion against each", least=2, even=True)
    run: str = option("", "the champion of this run (default: the one that ships)", metavar="RUN")
    seed: int = option(0, "of the genes by chance and of the games")


def genes_by_chance(config: GenesConfig) -> np.ndarray:
    """[genome, parameter], drawn as evolution draws its first ones."""
    genome = GENOMES["beam"]
    seed_generation(config.seed, 0)
    return genome.parameters(genome.bounded([genome.first() for _ in range(config.genomes)]))


def right_by_block(player: agents.Player, parameters: np.ndarray) -> np.ndarray:
    """[mind, stage, block]: right turns."""
    side, blocks = Side.of(player), []
    with Progress("right turns", "blocks", len(PIECES) * 1000 // BLOCK) as progress:
        for placed in PIECES:
            asked = [one for one in testset.read(JUDGESET) if one.position.placed == placed]
            questions = as_questions(asked)
            stage = []
            for first in range(0, len(asked), BLOCK):
                batch = Batch(1, first, BLOCK)
                stage.append(right_turns(side, parameters, questions, batch)[:, 0])
                progress.add(1)
            blocks.append(stage)
    return np.array(blocks).transpose(2, 0, 1)


def interval(values: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Of the mean of values[genome, block], both drawn again."""
    genomes, blocks = values.shape
    means = [
        values[rng.integers(genomes, size=genomes)][:, rng.integers(blocks, size=blocks)].mean()
        for _ in range(DRAWS)
    ]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def elo(share: float) -> float:
    return 400 * log10(share / (1 - share))


def measure(config: GenesConfig) -> None:
    options = "cache=off" + (f",run={config.run}" if config.run else "")
    champion = agents.make(f"beam:{options}")
    others, rng = genes_by_chance(config), np.random.default_rng(config.seed)
    right = right_by_block(champion, np.vstack([champion.mind.parameters, others])) / BLOCK
    print(f"right turns in percent, {config.genomes} genomes by chance")
    table = Table(*COLUMNS)
    rows = {f"{placed} pieces": right[:, i] for i, placed in enumerate(PIECES)}
    rows["all of them"] = right.reshape(len(right), -1)
    for name, shares in rows.items():
        low, high = interval(shares[0] - shares[1:], rng)
        own, chance = 100 * shares[0].mean(), 100 * shares[1:].mean()
        ends = f"{100 * low:+.2f} .. {100 * high:+.2f}"
        table.row(name, f"{own:.2f}", f"{chance:.2f}", f"{own - chance:+.2f}", ends)
    side, points = Side.of(champion), []
    with Progress("games", "genomes", config.genomes) as progress:
        for parameters in others:
            batch = Batch(config.seed, 0, config.games)
            wins, draws, *_ = play_each(side, parameters[np.newaxis], side, batch)[0].sum(axis=0)
            points.append(1 - (wins + draws / 2) / config.games)
            progress.add(1)
    low, high = interval(np.array(points)[:, np.newaxis], rng)
    print(f"\nhead to head, {config.games} games against each")
    share = float(np.mean(points))
    told = f"{100 * share:.2f} % of the points ({100 * low:.2f} .. {100 * high:.2f})"
    print(f"{told}, Elo {elo(share):+.0f} ({elo(low):+.0f} .. {elo(high):+.0f})")


main = partial(run_command, "benchmarks.genes", __doc__, GenesConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
