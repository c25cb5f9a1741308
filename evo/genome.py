"""Genomes: what can be evolved. A genome is a vector of genes, and how they become a player.

Those of the project are in genomes.py; your own is a class in a file of yours:

    class Mine(Genome):
        player = "mine.py:Greedy"                     the genes are its first parameters
        genes = {"many": (-10, 10), "odd": (-10, 10)}   gene -> limits; None: no limits
        opponents = ("random", "rulebased")

    python -m evo.run --genome mine.py:Mine

Everything else has a default. The loop (loop.py) knows genomes only by this class.
"""

import inspect
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from deap import tools

import agents
from agents.guests.own import load_own
from agents.guests.source import Source
from agents.mind import Mind
from agents.player import Player
from arena.match import Batch, Side
from oracle.right_turns import right_turns

HALL = "hall"  # as an opponent: the champions of earlier generations
Limits = tuple[float, float] | None


class Sizes(NamedTuple):
    """Default sizes of an evolution: a minute on two cores."""

    population: int = 20
    offspring: int = 20
    games: int = 100  # of a newborn against each opponent
    again: int = 2  # games of a survivor per later generation, as a multiple of `games`
    tournament: int = 3
    generations: int = 50
    epoch: int = 25  # generations between two migrations of islands
    fresh: int = 4_000  # games of the champion at the end
    positions: int = 2_000  # judged ones, for fitness by accuracy
    sigma: float = 1.0  # of the mutation in generation 0


class Genome:
    """The base of genomes; override `mutate`, `mate`, `first`, `parameters` or `score`."""

    name: ClassVar[str] = ""  # of a user's genome: file.py:Class
    # a player's spec or class; the genes are the first parameters of its mind
    player: ClassVar[Any]
    genes: ClassVar[Mapping[str, Limits]]
    # what a run's step `mind` holds, as agents/learned.py reads it
    holds: ClassVar[str] = "champion"
    # in the order of comparison: specs, or one text of them, and HALL
    opponents: ClassVar[Sequence[str]] = ("rulebased", "random")
    # "order": the first opponent decides, the next breaks ties; "sum": points against all
    compare: ClassVar[str] = "sum"
    # joined by +: games, accuracy (right turns by the oracle), own (`score`), brevity (of trees)
    fitness: ClassVar[str] = "games"
    strategy: ClassVar[str] = "mu+lambda"  # of a single population
    longest: ClassVar[int] = 0  # program of a genome of trees
    # generations in which sigma halves; 0: it falls as 1/(generation + 1), as in the report
    half_life: ClassVar[float] = 20.0
    sizes: ClassVar[Sizes] = Sizes()
    # DEAP's operators by name; their sigma, mu, low, up, indpb, alpha and eta are filled in
    mutation: ClassVar[str] = "mutGaussian"
    crossover: ClassVar[str] = "cxBlend"
    crossover_rate: ClassVar[float] = 0.0  # share of offspring with two parents
    # options besides `run` in the spec of the champion
    options: ClassVar[str] = ""
    advice: ClassVar[str] = ""  # printed below the champion's right turns
    source: ClassVar[Source | None] = None  # of a class in a user's file

    def first(self) -> list[Any]:
        """Return the genes of an individual of the first generation: uniform within the limits."""
        return [random.uniform(*(limits or (-1.0, 1.0))) for limits in self.genes.values()]

    def mutate(self, genes: list[Any], sigma: Any) -> None:
        """Change the genes in place. `sigma`: one for all, or a list."""
        apply_operator(self.mutation, [genes], sigma=sigma, low=self.low, up=self.high)

    def mate(self, genes: list[Any], other: list[Any]) -> None:
        """Cross over in place; the first becomes the offspring."""
        apply_operator(self.crossover, [genes, other], low=self.low, up=self.high)

    def parameters(self, genes: np.ndarray) -> np.ndarray:
        """Return [individual, parameter]: the genes, then the player's remaining parameters."""
        rest = self.base.mind.parameters[genes.shape[1] :]
        return np.hstack([genes, np.tile(rest, (len(genes), 1))])

    def check(self, individuals: Iterable) -> None:
        """Raise ValueError if stored genes are not those of this genome: a run may come from
        elsewhere."""
        np.array(list(individuals), np.float64)

    def length(self, genes: Any) -> int:
        """Return the length of a program, for `fitness = "brevity"`."""
        raise ValueError(f"{self.name}: fitness 'brevity' needs a genome of trees")

    def score(self, player: Player, seed: int) -> float:
        """Return a fitness from 0 to 1, for `fitness = "own"`."""
        raise ValueError(f"{self.name}: fitness 'own' needs a method score(self, player, seed)")

    @staticmethod
    def prepare(questions: np.ndarray) -> Any:
        """Return judged positions as `right_turns` reads them; called once in each process."""
        return questions

    def right_turns(self, parameters: np.ndarray, questions: Any, batch: Batch) -> np.ndarray:
        """Return counts[row; right, wrong] of players with these parameters in some questions."""
        return right_turns(Side.of(self.base), parameters, questions, batch)

    @property
    def low(self) -> list[float]:
        return [limits[0] if limits else -np.inf for limits in self.genes.values()]

    @property
    def high(self) -> list[float]:
        return [limits[1] if limits else np.inf for limits in self.genes.values()]

    def bounded(self, genes: Any) -> np.ndarray:
        """Return the genes clipped to their limits, which DEAP's operators may exceed."""
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
        """Return the spec of a run's champion. A user's needs no options: the run holds them."""
        return f"champion:run={run}" if self.source else f"{self.name}:run={run}{self.options}"

    def make_player(self, genes: Sequence[float], spec: str) -> Player:
        """Return the player with these genes, under the name `spec`."""
        [parameters] = self.parameters(self.bounded([genes]))
        memory = self.base.mind.memory
        return self.base.with_mind(Mind(np.array(parameters, np.float64), memory), spec)

    def __reduce__(self) -> tuple:
        """Pickle our own genomes by class, a user's with its source."""
        if self.source is None:
            return (type(self), ())
        return (load_genome, (self.name, self.source))


@cache
def base_player(player: Any) -> Player:
    return agents.make(player) if isinstance(player, str) else player()


def apply_operator(name: str, individuals: list, **arguments: Any) -> None:
    """Apply one of DEAP's operators with the arguments that it takes, or their usual values."""
    operator: Callable = getattr(tools, name)
    usual = {"mu": 0.0, "indpb": 1.0 if len(individuals) == 1 else 0.5, "alpha": 0.5, "eta": 10.0}
    names = parameters_of(operator)[len(individuals) :]
    arguments = usual | arguments
    operator(*individuals, **{name: arguments[name] for name in names if name in arguments})


@cache
def parameters_of(operator: Callable) -> list[str]:
    """Return the parameter names; looking them up takes longer than most operators."""
    return list(inspect.signature(operator).parameters)


def load_genome(spec: str, source: Source | None = None) -> Genome:
    """Return the genome `path/to/file.py:Class`; raise ValueError with the reason in one line."""
    cls = load_own(spec, Genome, "evo.Genome", source)
    check_genome(cls)
    return cls()


def check_genome(cls: type[Genome]) -> None:
    """Raise ValueError if an attribute is missing or invalid."""

    def need(valid: bool, problem: str) -> None:
        if not valid:
            raise ValueError(f"{cls.name}: {problem}")

    need(hasattr(cls, "player"), "has no `player`: whose first parameters are the genes?")
    need(bool(getattr(cls, "genes", None)), "has no `genes`: {'name': (low, high), ...}")
    for gene, limits in cls.genes.items():
        valid = limits is None or (len(limits) == 2 and limits[0] < limits[1])
        need(valid, f"gene {gene!r} has limits {limits!r}: give (low, high) or None")
    for kind in ("mutation", "crossover"):
        name = getattr(cls, kind)
        valid = name.startswith(("mut", "cx")) and callable(getattr(tools, name, None))
        need(valid, f"{kind} {name!r}: DEAP has no such operator")
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
    have = len(base.mind.parameters)
    enough = have >= len(cls.genes) or "parameters" in vars(cls)
    need(enough, f"{len(cls.genes)} genes, but {base.spec} has {have} parameters")
