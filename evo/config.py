"""What an evolution is asked to do: the options of `python -m evo.run`, the arguments of
`evo.evolve`, and the configuration that a run keeps."""

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import agents
from console.config import option
from console.errors import BadInput
from evo.genome import HALL, Genome
from evo.genomes import GENOMES, find_genome
from evo.measure import ACCURACY, GAMES, KINDS
from oracle.testset import STAGES
from store.job import Job

MIGRANTS = 2  # of islands, unless given
MOST_SIGMA = 1e6  # squares of genes must stay finite
EVEN: dict[str, Any] = {"kind": int, "least": 2, "even": True, "metavar": "GAMES"}
COUNT: dict[str, Any] = {"kind": int, "least": 1}


def of_each(name: str) -> str:
    """`100 for ga, 20 for evolved, 12 for beam`: a size, or another attribute of the genomes."""
    values = (getattr(one if hasattr(one, name) else one.sizes, name) for one in GENOMES.values())
    return ", ".join(f"{value} for {genome}" for genome, value in zip(GENOMES, values, strict=True))


@dataclass(kw_only=True)
class EvolveConfig(Job):
    """More generations extend a run, so their number is not part of what it keeps."""

    in_name = ("genome", "islands")

    genome: str = option("ga", f"one of {', '.join(GENOMES)}, or path/to/file.py:Class")
    strategy: str = option(
        "mu+lambda", "mu+lambda, cma or nsga2 (a front)", choices=("mu+lambda", "cma", "nsga2")
    )
    generations: int = option(
        None, f"in all, with those stored (default {of_each('generations')})", kept=False, **COUNT
    )
    population: int = option(None, f"how many survive (default {of_each('population')})", **COUNT)
    offspring: int = option(
        None, f"how many are born in a generation (default {of_each('offspring')})", **COUNT
    )
    games: int = option(
        None, f"of a newborn against each opponent (default {of_each('games')})", **EVEN
    )
    again: int = option(
        None,
        f"games of a survivor in a later generation (default --games times {of_each('again')})",
        **EVEN,
    )
    tournament: int = option(
        None, f"size of the selection tournament (default {of_each('tournament')})", **COUNT
    )
    sigma: float = option(
        None,
        f"of the mutation in generation 0 (default {of_each('sigma')})",
        kind=float,
        most=MOST_SIGMA,
    )
    fitness: str = option(
        None,
        f"{', '.join(KINDS)}, or several joined by + (default {of_each('fitness')}; own: the "
        "genome's score)",
        kind=str,
    )
    positions: int = option(
        2000, "with --fitness accuracy: in how many the oracle judges", least=len(STAGES)
    )
    crossover: float = option(
        None,
        f"share of offspring with two parents (default {of_each('crossover_rate')})",
        kind=float,
        least=0,
        most=1,
    )
    until_flat: int | None = option(
        None, "stop when N generations brought nothing", kept=False, metavar="N", **COUNT
    )
    opponents: str | None = option(
        None,
        f"instead of the genome's: random,pro:bound=1,value=1; {HALL}: this run's past champions",
        metavar="A,B,...",
    )
    start_from: str | None = option(
        None, "start from the last population of another run", name="--import", metavar="RUN"
    )
    fresh: int = option(
        None, f"games of the champion at the end (default {of_each('fresh')})", kept=False, **EVEN
    )
    repair: bool = option(False, "drop a damaged last generation and go on", kept=False)
    curve: bool = option(True, "do not measure the learning curve on the way", kept=False)
    islands: int = option(1, "so many populations, each on one worker", least=1, metavar="N")
    epoch: int | None = option(
        None, f"generations between two migrations (default {of_each('epoch')})", **COUNT
    )
    migrants: int | None = option(
        None, f"best of an island that go to the next (default {MIGRANTS})", kind=int, least=0
    )

    @cached_property
    def genome_found(self) -> Genome:
        try:
            return find_genome(self.genome)
        except ValueError as error:
            raise BadInput(f"--genome {self.genome}: {error}") from None

    @property
    def kinds(self) -> list[str]:
        """What fitness is made of."""
        return self.fitness.split("+")

    @property
    def each(self) -> int:
        """Positions of a stage."""
        return self.positions // len(STAGES)

    @property
    def compare(self) -> str:
        """As Genome.compare. With NSGA-II opponents are one objective together."""
        return "sum" if self.strategy == "nsga2" else self.genome_found.compare

    @property
    def hall(self) -> bool:
        """Whether champions of earlier generations are opponents."""
        return HALL in (self.opponents or "").split(",")

    def what(self) -> str:
        name = self.genome.rpartition(":")[2]
        return f"evo-{name}" + (f"-{self.islands}-islands" if self.islands > 1 else "")

    def kept(self) -> dict[str, Any]:
        # what names alone do not tell: a name may come to mean another player
        kept, minds = super().kept(), dict[str, str]()
        for kind in self.kinds:
            if kind == GAMES:
                minds |= {one.label: one.digest for one in self.players()}
                minds |= {HALL: ""} if self.hall else {}
            else:
                minds[kind] = str(self.positions if kind == ACCURACY else "")
        if source := self.genome_found.source:
            # with what pages tell of it: they never load it
            genome = self.genome_found
            more = {"genes": list(genome.genes), "compare": genome.compare}
            kept |= {"source": source.digest, **more}
        # what does not apply is left out, as it was before there was such a thing
        apply = {"fitness": self.fitness != GAMES, "crossover": self.crossover > 0}
        apply |= {"positions": ACCURACY in self.kinds}
        kept = {name: value for name, value in kept.items() if apply.get(name, True)}
        return kept | {"minds": minds}

    @property
    def unit(self) -> str:
        """What a step of the run is."""
        return "epoch" if self.islands > 1 else "generation"

    @property
    def doubt(self) -> int:
        """Games with the mean result that everybody is credited with: see fitness.rate."""
        return 0 if self.strategy == "cma" else self.games

    def _fill_in(self) -> None:
        """What was not given, the genome's own."""
        genome = self.genome_found
        self.fitness = genome.fitness if self.fitness is None else self.fitness
        self.crossover = genome.crossover_rate if self.crossover is None else self.crossover
        sizes = genome.sizes._asdict()
        again, epoch = sizes.pop("again"), sizes.pop("epoch")
        for name, size in sizes.items():
            if getattr(self, name) is None:
                setattr(self, name, size)
        self.again = again * self.games if self.again is None else self.again
        self.sigma = float(self.sigma)
        if self.islands > 1:
            self.epoch = epoch if self.epoch is None else self.epoch
            self.migrants = MIGRANTS if self.migrants is None else self.migrants

    def check(self) -> None:
        self._fill_in()
        smaller = f"smaller than the tournament of {self.tournament}"
        advice = f"{smaller}: make it larger, or --tournament smaller"
        self._need(self.population >= self.tournament, "population", advice)
        advice = (
            f"give --games ({self.games}) or more: survivors meet the games of the newborn, too"
        )
        self._need(self.again >= self.games, "again", advice)
        self._need(self.sigma > 0, "sigma", "give more than 0")
        enough = self.offspring >= 4 or self.strategy != "cma"
        self._need(enough, "offspring", "CMA-ES needs 4 or more")
        known = set(self.kinds) <= set(KINDS) and len(self.kinds) == len(set(self.kinds))
        self._need(known, "fitness", f"give {', '.join(KINDS)}, or several joined by +")
        if self.strategy == "nsga2":
            two = "--strategy nsga2 needs two objectives or more, such as accuracy+games"
            self._need(len(self.kinds) > 1, "fitness", two)
            self._need(self.population >= 4, "population", "--strategy nsga2 needs 4 or more")
        self._need(self.start_from != "", "import", "give a folder or an s3:// address")
        if self.islands > 1:
            self._check_islands()
        for name in ("epoch", "migrants"):
            fine = self.islands > 1 or getattr(self, name) is None
            self._need(fine, name, "means something only with --islands 2 or more")
        if self.opponents is None:
            self.opponents = ",".join(self.genome_found.opponents)
        else:
            named = [*map(_named, self.players()), *([HALL] if self.hall else [])]
            self.opponents = ",".join(named)
        if self.hall and (self.islands > 1 or self.strategy == "cma" or GAMES not in self.kinds):
            needs = "needs games in --fitness, and neither --islands nor --strategy cma"
            raise BadInput(f"--opponents {HALL}: {needs}")

    def _check_islands(self) -> None:
        assert self.epoch is not None and self.migrants is not None
        why = {
            "cma": "CMA-ES has no population that could migrate",
            "nsga2": "islands have one fitness, not a front",
        }
        advice = f"{why.get(self.strategy)}: leave --strategy {self.strategy} out"
        self._need(self.strategy not in why, "islands", advice)
        advice = f"give less than the --population of an island, {self.population}"
        self._need(self.migrants < self.population, "migrants", advice)
        advice = f"with islands give a multiple of --epoch, {self.epoch}"
        self._need(self.generations % self.epoch == 0, "generations", advice)

    def _need(self, fine: bool, name: str, advice: str) -> None:
        if not fine:
            raise BadInput(f"--{name} {getattr(self, name, repr(''))}: {advice}")

    def players(self) -> list[agents.Player]:
        """The opponents, without the hall."""
        specs = agents.split_specs(self.opponents or "") if self.opponents else []
        players = [_player(spec) for spec in specs if spec != HALL]
        if not specs:
            raise BadInput(f"{self._panel} '': name one or more players")
        labels = [player.label for player in players] + [HALL] * specs.count(HALL)
        if labels.count(HALL) > 1:
            raise BadInput(f"{self._panel}: {HALL} is named twice")
        for player in players:
            if not player.compiled:
                why = "only compiled players can be opponents in evolution"
                raise BadInput(f"{self._panel}: {player.label}: {why}")
            if labels.count(player.label) > 1:
                raise BadInput(f"{self._panel}: {player.label} is named twice")
        return players

    @property
    def _panel(self) -> str:
        """Where the opponents were named."""
        of_genome = self.opponents == ",".join(self.genome_found.opponents)
        return f"--genome {self.genome}: opponents" if of_genome else "--opponents"

    def judges(self) -> list[agents.Player]:
        """Whom the champion meets in fresh games: without other opponents, the genome's."""
        return self.players() or [_player(spec) for spec in self.genome_found.opponents]

    def command(self, generations: int) -> str:
        """What makes this run again."""
        words = ["python", "-m", "evo.run", "--generations", str(generations)]
        return shlex.join(words + self.words(vars(self)))


def _player(spec: str) -> agents.Player:
    try:
        return agents.make(spec)
    except ValueError as error:
        raise BadInput(f"--opponents {spec}: {error}") from None


def _named(player: agents.Player) -> str:
    same = player.label == player.spec
    return player.spec if same else f"{player.label}={player.spec}"
