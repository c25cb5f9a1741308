"""What can be evolved: a vector of genes and what to do with it.

Ours stand in genomes.py; one of your own is a class in a file of yours, written by the same means:

    class Mine(Genome):
        player = "mine.py:Greedy"                     whose first parameters the genes are
        genes = {"many": (-10, 10), "odd": (-10, 10)}   their limits; None: no limits
        opponents = ("random", "rulebased")

    python -m evo.run --genome mine.py:Mine

All else has a default. The loop (loop.py) knows nothing else of it.
"""

import inspect
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from deap import tools

import agents
from agents.guests.own import load_own
from agents.guests.source import Source
from agents.mind import Mind
from agents.player import Player

HALL = "hall"  # among opponents: the champions of earlier generations
Limits = tuple[float, float] | None


class Sizes(NamedTuple):
    """What an evolution takes unless it is given: a minute on two cores."""

    population: int = 20
    offspring: int = 20
    # of a newborn against each opponent
    games: int = 100
    # of a survivor in a later generation: so many times the games of a newborn
    again: int = 2
    tournament: int = 3
    generations: int = 50
    # of islands: generations between two migrations
    epoch: int = 25
    # games of the champion at the end
    fresh: int = 4_000
    # of the mutation in generation 0
    sigma: float = 1.0


class Genome:
    """The base of all genomes. What is a name here may be a method there, and the other way
    round: `mutate`, `mate`, `first`, `parameters` and `score` can be written anew."""

    # what it is called; of one's own: file.py:Class
    name: ClassVar[str] = ""
    # whose mind's first parameters the genes are: a player as it is written, or a class of Player
    player: ClassVar[Any]
    genes: ClassVar[Mapping[str, Limits]]
    # what a run that evolved it holds, as agents/learned.py reads it
    holds: ClassVar[str] = "champion"
    # in the order in which they are compared: players, or a text that names them, and the HALL
    opponents: ClassVar[Sequence[str]] = ("rulebased", "random")
    # order: the first opponent decides, the next where it is equal; sum: points against all
    compare: ClassVar[str] = "sum"
    # what counts, joined by +: games, accuracy (right turns by the oracle), own (`score`)
    fitness: ClassVar[str] = "games"
    # generations after which sigma is halved; 0: it falls as 1/(generation + 1), as in the report
    half_life: ClassVar[float] = 20.0
    sizes: ClassVar[Sizes] = Sizes()
    # DEAP's operators by name. Their sigma, mu, low, up, indpb, alpha and eta are filled in.
    mutation: ClassVar[str] = "mutGaussian"
    crossover: ClassVar[str] = "cxBlend"
    # the share of offspring that has two parents
    crossover_rate: ClassVar[float] = 0.0
    # options beside `run` that make the player that was measured
    options: ClassVar[str] = ""
    # of a class in a file of the user's
    source: ClassVar[Source | None] = None

    def first(self) -> list[float]:
        """The genes of a newborn, from Python's random: anywhere within their limits."""
        return [random.uniform(*(limits or (-1.0, 1.0))) for limits in self.genes.values()]

    def mutate(self, genes: list[float], sigma: Any) -> None:
        """Change them in place; sigma: one for all, or one for each."""
        apply_operator(self.mutation, [genes], sigma=sigma, low=self.low, up=self.high)

    def mate(self, one: list[float], other: list[float]) -> None:
        """Cross them in place; the first is the offspring."""
        apply_operator(self.crossover, [one, other], low=self.low, up=self.high)

    def parameters(self, genes: np.ndarray) -> np.ndarray:
        """[individual, parameter] of the player's mind, from [individual, gene]: the genes, then
        what the player has there."""
        rest = self.base.mind.parameters[genes.shape[1] :]
        return np.hstack([genes, np.tile(rest, (len(genes), 1))])

    def score(self, player: Player, seed: int) -> float:
        """A fitness of one's own, from 0 to 1, for `fitness = "own"`."""
        raise ValueError(f"{self.name}: fitness 'own' needs a method score(self, player, seed)")

    @property
    def low(self) -> list[float]:
        """The least that each gene may be."""
        return [limits[0] if limits else -np.inf for limits in self.genes.values()]

    @property
    def high(self) -> list[float]:
        return [limits[1] if limits else np.inf for limits in self.genes.values()]

    def bounded(self, genes: Any) -> np.ndarray:
        """Within their limits, whatever an operator has made of them."""
        return np.clip(np.asarray(genes, np.float64), self.low, self.high)

    def sigma_at(self, generation: int, start: float) -> float:
        if self.half_life == 0:
            return start / (generation + 1)
        return start * 0.5 ** (generation / self.half_life)

    @property
    def base(self) -> Player:
        """The player whose parameters the genes are."""
        return base_player(self.player)

    def spec(self, run: str) -> str:
        """The champion of a run as it was measured. That of a user's genome has no options: its
        run holds the whole player."""
        return f"champion:run={run}" if self.source else f"{self.name}:run={run}{self.options}"

    def make_player(self, genes: Sequence[float], spec: str) -> Player:
        """The player that has these genes, and is called so."""
        base = self.base
        parameters = self.parameters(self.bounded([genes]))[0]
        return base.with_mind(Mind(np.array(parameters, np.float64), base.mind.memory), spec)

    def __reduce__(self) -> tuple:
        """To workers: ours by name, a user's with its source."""
        if self.source is None:
            return (type(self), ())
        return (load_genome, (self.name, self.source))


@cache
def base_player(player: Any) -> Player:
    """From its text, or of a class."""
    return agents.make(player) if isinstance(player, str) else player()


def apply_operator(name: str, individuals: list, **given: Any) -> None:
    """One of DEAP's, with what it takes of what is given, and the usual values for the rest."""
    operator: Callable = getattr(tools, name)
    usual = {"mu": 0.0, "indpb": 1.0 if len(individuals) == 1 else 0.5, "alpha": 0.5, "eta": 10.0}
    takes = parameters_of(operator)[len(individuals) :]
    operator(
        *individuals, **{word: value for word, value in (usual | given).items() if word in takes}
    )


@cache
def parameters_of(operator: Callable) -> list[str]:
    """Looking them up takes longer than most operators."""
    return list(inspect.signature(operator).parameters)


def is_operator(name: str) -> bool:
    return name.startswith(("mut", "cx")) and callable(getattr(tools, name, None))


def load_genome(spec: str, source: Source | None = None) -> Genome:
    """Of `path/to/file.py:Class`; ValueError says in one line what it lacks."""
    cls = load_own(spec, Genome, "evo.Genome", source)
    check_genome(cls)
    return cls()


def check_genome(cls: type[Genome]) -> None:
    """ValueError if a part is missing or cannot be."""

    def need(fine: bool, what: str) -> None:
        if not fine:
            raise ValueError(f"{cls.name}: {what}")

    need(hasattr(cls, "player"), "has no `player`: whose first parameters are the genes?")
    need(bool(getattr(cls, "genes", None)), "has no `genes`: {'name': (low, high), ...}")
    for gene, limits in cls.genes.items():
        fine = limits is None or (len(limits) == 2 and limits[0] < limits[1])
        need(fine, f"gene {gene!r} has limits {limits!r}: give (low, high) or None")
    need(is_operator(cls.mutation), f"mutation {cls.mutation!r}: DEAP has no such operator")
    need(is_operator(cls.crossover), f"crossover {cls.crossover!r}: DEAP has no such operator")
    need(cls.compare in ("sum", "order"), f"compare {cls.compare!r}: give 'sum' or 'order'")
    if isinstance(cls.opponents, str):
        cls.opponents = agents.split_specs(cls.opponents)
    attribute = "opponents"
    try:
        for opponent in cls.opponents:
            if opponent != HALL:
                agents.make(opponent)
        attribute = "player"
        base = base_player(cls.player)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{cls.name}: {attribute}: {error}") from None
    need(base.compiled, f"player {base.spec}: only compiled players can be evolved")
    enough = len(base.mind.parameters) >= len(cls.genes) or "parameters" in vars(cls)
    have = len(base.mind.parameters)
    need(enough, f"{len(cls.genes)} genes, but {base.spec} has {have} parameters")
