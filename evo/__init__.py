"""Evolution: genomes, the DEAP loop, `python -m evo.run`.

import evo
champion = evo.evolve("ga", generations=20, store="runs/x")      a player: ga:run=runs/x
"""

from typing import TYPE_CHECKING, Any

import console as console  # first, because it handles Ctrl-C

if TYPE_CHECKING:
    from agents.player import Player

__all__ = ["Genome", "Sizes", "TreeGenome", "evolve"]


def __getattr__(name: str) -> Any:
    """Import the base class of genomes, with DEAP and the players, only when it is used."""
    if name in ("Genome", "Sizes"):
        from evo import genome

        return getattr(genome, name)
    if name == "TreeGenome":
        from evo.trees.genome import TreeGenome

        return TreeGenome
    raise AttributeError(f"module 'evo' has no attribute {name!r}")


def evolve(genome: str = "ga", **options: Any) -> "Player":
    """Evolve a player and return the champion.

    Options are the fields of `evo.config.EvolveConfig`, which are the options of `python -m
    evo.run`: generations=200, seed=0, store="runs/x", ... The same call resumes a run, and more
    generations extend a finished one."""
    import agents
    from evo.config import EvolveConfig
    from evo.run import run_evolution

    result = run_evolution(EvolveConfig(genome=genome, **options))
    return agents.make(result.champion.player.spec)
