"""The options of `python -m evo.run`, which are the arguments of `evo.evolve` and the configuration
that a run stores."""

import shlex
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import agents
from arena.suite import NO_OPENINGS, SUITES
from console.config import option
from console.errors import BadInput
from evo.genome import HALL, Genome
from evo.genomes import GENOMES, find_genome
from evo.measure import ACCURACY, BREVITY, GAMES, KINDS
from oracle.testset import STAGES
from store.job import Job, defaults_text

STRATEGIES = ("mu+lambda", "cma", "nsga2")
MIGRANTS = 2
MOST_SIGMA = 1e6  # squares of genes must stay finite
EVEN: dict[str, Any] = {"least": 2, "even": True, "metavar": "GAMES"}
COUNT: dict[str, Any] = {"least": 1, "metavar": "N"}


def by_genome(name: str, help: str, unit: str = "", more: str = "", **limits: Any) -> Any:
    """Return an option whose default is an attribute of the genome, or of its sizes."""
    values = {
        genome.name: getattr(genome if hasattr(genome, name) else genome.sizes, name)
        for genome in GENOMES.values()
    }
    return option(None, f"{help} ({defaults_text(values, unit)}{more})", **limits)


class EvolveConfig(Job):
    """The number of generations is not stored: more of them extend a run."""

    in_name = ("genome", "islands")

    genome: str = option("ga", f"{', '.join(GENOMES)}, or path/to/file.py:Class")
    strategy: str = by_genome(
        "strategy", "mu+lambda, cma, or nsga2 for several objectives", choices=STRATEGIES
    )
    generations: int = by_genome(
        "generations", "generations in all, with those of earlier commands", kept=False, **COUNT
    )
    population: int = by_genome("population", "survivors of a generation", **COUNT)
    offspring: int = by_genome("offspring", "individuals born in a generation", **COUNT)
    games: int = by_genome(
        "games", "games that each new individual plays against each opponent", **EVEN
    )
    again: int = by_genome(
        "again", "the same for survivors, in each later generation", " x --games", **EVEN
    )
    tournament: int = by_genome("tournament", "size of the selection tournament", **COUNT)
    sigma: float = by_genome(
        "sigma", "size of mutations in generation 0", most=MOST_SIGMA, metavar="X"
    )
    fitness: str = by_genome(
        "fitness",
        f"{', '.join(KINDS)}, or several joined by +",
        more="; own: the score of the genome's own method; brevity: of programs",
        metavar="A+B",
    )
    positions: int = by_genome(
        "positions", "judged positions, with --fitness accuracy", least=len(STAGES), metavar="N"
    )
    crossover: float = by_genome(
        "crossover_rate", "share of offspring with two parents", least=0, most=1, metavar="X"
    )
    until_flat: int | None = option(
        None, "stop after N generations without improvement", kept=False, **COUNT
    )
    opponents: str | None = option(
        None,
        "opponents instead of the genome's, like random,pro:bound=1,value=1; "
        f"{HALL}: this run's past champions",
        metavar="A,B,...",
    )
    openings: str = option(
        NO_OPENINGS, "begin each pair of games with a drawn position", choices=SUITES
    )
    start_from: str | None = option(
        None, "start from the last population of another run", name="--import", metavar="RUN"
    )
    fresh: int = by_genome(
        "fresh", "games of the champion against each opponent at the end", kept=False, **EVEN
    )
    repair: bool = option(False, "drop a damaged last generation and continue", kept=False)
    curve: bool = option(True, "do not measure the learning curve", kept=False)
    islands: int = option(1, "separate populations, each on one worker", least=1, metavar="N")
    epoch: int | None = by_genome("epoch", "with islands: generations between migrations", **COUNT)
    migrants: int | None = option(
        None, f"migrants to the next island (default {MIGRANTS})", least=0, metavar="N"
    )

    @cached_property
    def genome_object(self) -> Genome:
        try:
            return find_genome(self.genome)
        except ValueError as error:
            raise BadInput(f"--genome {self.genome}: {error}") from None

    @property
    def kinds(self) -> list[str]:
        """The parts of the fitness."""
        return self.fitness.split("+")

    @property
    def each(self) -> int:
        """Judged positions of each stage."""
        return self.positions // len(STAGES)

    @property
    def compare(self) -> str:
        """How opponents are compared: see Genome.compare. With NSGA-II they are one objective."""
        return "sum" if self.strategy == "nsga2" else self.genome_object.compare

    @property
    def hall(self) -> bool:
        """Whether champions of earlier generations are opponents."""
        return HALL in (self.opponents or "").split(",")

    def what(self) -> str:
        name = self.genome.rpartition(":")[2]
        return f"evo-{name}" + (f"-{self.islands}-islands" if self.islands > 1 else "")

    def kept(self) -> dict[str, Any]:
        # digests, since a name may come to mean another player
        minds = dict[str, str]()
        for kind in self.kinds:
            if kind == GAMES:
                minds |= {player.label: player.digest for player in self.players()}
                minds |= {HALL: ""} if self.hall else {}
            else:
                minds[kind] = str(self.positions if kind == ACCURACY else "")
        kept, genome = super().kept() | {"minds": minds}, self.genome_object
        if genome.source:
            # for pages, which never load a user's file
            more = {"genes": list(genome.genes), "compare": genome.compare}
            kept |= {"source": genome.source.digest, **more}
        # options that do not apply are left out, as before they existed
        apply = {"fitness": self.fitness != GAMES, "crossover": self.crossover > 0}
        apply |= {"positions": ACCURACY in self.kinds, "openings": self.openings != NO_OPENINGS}
        return {name: value for name, value in kept.items() if apply.get(name, True)}

    @property
    def unit(self) -> str:
        """The unit that a step of the run holds."""
        return "epoch" if self.islands > 1 else "generation"

    @property
    def doubt(self) -> int:
        """Games with the mean result that every individual is credited with: see fitness.rate."""
        return 0 if self.strategy == "cma" else self.games

    def _fill_in(self) -> None:
        """Take the genome's values for options that were not given."""
        genome = self.genome_object
        values: dict[str, Any] = genome.sizes._asdict() | {"migrants": MIGRANTS}
        values |= {"fitness": genome.fitness, "crossover": genome.crossover_rate}
        values["strategy"] = genome.strategy if self.islands == 1 else STRATEGIES[0]
        values["again"] *= values["games"] if self.games is None else self.games
        for name, value in values.items():
            applies = self.islands > 1 or name not in ("epoch", "migrants")
            if applies and getattr(self, name) is None:
                setattr(self, name, value)
        self.sigma = float(self.sigma)

    def check(self) -> None:
        self._fill_in()
        for valid, name, advice in self._rules():
            if not valid:
                raise BadInput(f"--{name} {getattr(self, name, repr(''))}: {advice}")
        if self.opponents is None:
            self.opponents = ",".join(self.genome_object.opponents)
        else:
            names = [(player.label, player.spec) for player in self.players()]
            specs = [spec if label == spec else f"{label}={spec}" for label, spec in names]
            self.opponents = ",".join(specs + [HALL] * self.hall)
        if self.hall and (self.islands > 1 or self.strategy == "cma" or GAMES not in self.kinds):
            needs = "needs games in --fitness, and neither --islands nor --strategy cma"
            raise BadInput(f"--opponents {HALL}: {needs}")

    def _rules(self) -> Iterator[tuple[bool, str, str]]:
        """Yield (is kept?, option, advice) for each rule about options."""
        cma, nsga2 = self.strategy == "cma", self.strategy == "nsga2"
        smaller = f"smaller than the tournament of {self.tournament}"
        advice = f"{smaller}: make it larger, or --tournament smaller"
        yield self.population >= self.tournament, "population", advice
        advice = f"give --games ({self.games}) or more: survivors also play the games of newborns"
        yield self.again >= self.games, "again", advice
        yield self.sigma > 0, "sigma", "give more than 0"
        yield self.offspring >= 4 or not cma, "offspring", "CMA-ES needs 4 or more"
        valid = set(self.kinds) <= set(KINDS) and len(self.kinds) == len(set(self.kinds))
        yield valid, "fitness", f"give {', '.join(KINDS)}, or several joined by +"
        advice = "--strategy nsga2 needs two objectives or more, such as accuracy+games"
        yield len(self.kinds) > 1 or not nsga2, "fitness", advice
        trees = self.genome_object.longest > 0
        yield trees or BREVITY not in self.kinds, "fitness", "brevity needs a genome of trees"
        yield not trees or not cma, "strategy", "CMA-ES moves numbers; a program has none"
        yield self.population >= 4 or not nsga2, "population", "--strategy nsga2 needs 4 or more"
        yield self.start_from != "", "import", "give a folder or an s3:// address"
        if self.islands == 1:
            for name in ("epoch", "migrants"):
                advice = "means something only with --islands 2 or more"
                yield getattr(self, name) is None, name, advice
            return
        assert self.epoch is not None and self.migrants is not None
        advice = f"leave --strategy {self.strategy} out"
        yield not cma, "islands", f"CMA-ES has no population that could migrate: {advice}"
        yield not nsga2, "islands", f"islands have one fitness, not a front: {advice}"
        advice = f"give less than the --population of an island, {self.population}"
        yield self.migrants < self.population, "migrants", advice
        advice = f"with islands give a multiple of --epoch, {self.epoch}"
        yield self.generations % self.epoch == 0, "generations", advice

    def players(self) -> list[agents.Player]:
        """Return the opponents except the hall of fame; raise BadInput if they cannot play."""
        specs = agents.split_specs(self.opponents or "") if self.opponents else []
        of_genome = self.opponents == ",".join(self.genome_object.opponents)
        source = f"--genome {self.genome}: opponents" if of_genome else "--opponents"
        if not specs:
            raise BadInput(f"{source} '': name one or more players")
        players = [_player(spec) for spec in specs if spec != HALL]
        labels = [player.label for player in players] + [HALL] * specs.count(HALL)
        for label in labels:
            if labels.count(label) > 1:
                raise BadInput(f"{source}: {label} is named twice")
        for player in players:
            if not player.compiled:
                why = "only compiled players can be opponents in evolution"
                raise BadInput(f"{source}: {player.label}: {why}")
        return players

    def judges(self) -> list[agents.Player]:
        """Return the opponents of the fresh games: without other opponents, the genome's."""
        return self.players() or [_player(spec) for spec in self.genome_object.opponents]

    def command(self, generations: int) -> str:
        """Return the command that makes this run again."""
        words = ["python", "-m", "evo.run", "--generations", str(generations)]
        return shlex.join(words + self.words(vars(self)))


def _player(spec: str) -> agents.Player:
    try:
        return agents.make(spec)
    except ValueError as error:
        raise BadInput(f"--opponents {spec}: {error}") from None
