"""What an evolution is asked to do: the options of `python -m evo.run`, the arguments of
`evo.evolve`, and the configuration that a run keeps."""

import shlex
from dataclasses import dataclass
from typing import Any

import agents
from console.config import Job, flag, option
from console.errors import BadInput
from evo.genomes import GENOMES

EPOCH, MIGRANTS = 25, 2  # of islands, unless given
GAMES: dict[str, Any] = {"kind": int, "least": 2, "even": True, "metavar": "GAMES"}


@dataclass(kw_only=True)
class EvolveConfig(Job):
    """More generations extend a run, so their number is not part of what it keeps."""

    in_name = ("genome", "islands")

    genome: str = option("ga", f"one of {', '.join(GENOMES)}", choices=tuple(GENOMES))
    strategy: str = option("mu+lambda", "mu+lambda or cma", choices=("mu+lambda", "cma"))
    generations: int = option(200, "in all, with those that are stored", kept=False, least=1)
    population: int = option(100, "how many survive", least=1)
    offspring: int = option(100, "how many are born in a generation", least=1)
    games: int = option(100, "of a newborn against each opponent", least=2, even=True)
    again: int | None = option(
        None, "games of a survivor in a later generation (default ten times --games)", **GAMES
    )
    tournament: int = option(5, "size of the selection tournament", least=1)
    sigma: float | None = option(
        None, "of the mutation in generation 0 (default: the genome's, 20 for ga)", kind=float
    )
    opponents: str | None = option(
        None, "instead of the genome's: random,pro:bound=1,value=1", metavar="A,B,..."
    )
    start_from: str | None = option(
        None, "start from the last population of another run", name="--import", metavar="RUN"
    )
    fresh: int | None = option(
        None, "games of the champion at the end (default 100000 for ga)", kept=False, **GAMES
    )
    repair: bool = option(False, "drop a damaged last generation and go on", kept=False)
    islands: int = option(1, "so many populations, each on one worker", least=1, metavar="N")
    epoch: int | None = option(
        None, f"generations between two migrations (default {EPOCH})", kind=int, least=1
    )
    migrants: int | None = option(
        None, f"best of an island that go to the next (default {MIGRANTS})", kind=int, least=0
    )

    def what(self) -> str:
        return f"evo-{self.genome}" + (f"-{self.islands}-islands" if self.islands > 1 else "")

    def kept(self) -> dict[str, Any]:
        # what names alone do not tell: a name may come to mean another player
        return super().kept() | {"minds": {one.label: one.digest for one in self.players()}}

    @property
    def unit(self) -> str:
        """What a step of the run is."""
        return "epoch" if self.islands > 1 else "generation"

    @property
    def doubt(self) -> int:
        """Games with the mean result that everybody is credited with: see fitness.rate."""
        return 0 if self.strategy == "cma" else self.games

    def check(self) -> None:
        genome = GENOMES[self.genome]
        smaller = f"smaller than the tournament of {self.tournament}"
        advice = f"{smaller}: make it larger, or --tournament smaller"
        self._need(self.population >= self.tournament, "population", advice)
        self.again = 10 * self.games if self.again is None else self.again
        advice = (
            f"give --games ({self.games}) or more: survivors meet the games of the newborn, too"
        )
        self._need(self.again >= self.games, "again", advice)
        self.sigma = genome.sigma if self.sigma is None else float(self.sigma)
        self._need(self.sigma > 0, "sigma", "give more than 0")
        enough = self.offspring >= 4 or self.strategy != "cma"
        self._need(enough, "offspring", "CMA-ES needs 4 or more")
        self._need(self.start_from != "", "import", "give a folder or an s3:// address")
        self.fresh = genome.fresh if self.fresh is None else self.fresh
        if self.islands > 1:
            self._check_islands()
        for name in ("epoch", "migrants"):
            fine = self.islands > 1 or getattr(self, name) is None
            self._need(fine, name, "means something only with --islands 2 or more")
        if self.opponents is None:
            self.opponents = ",".join(genome.opponents)
        else:
            self.opponents = ",".join(map(_named, self.players()))

    def _check_islands(self) -> None:
        self.epoch = EPOCH if self.epoch is None else self.epoch
        self.migrants = MIGRANTS if self.migrants is None else self.migrants
        advice = "CMA-ES has no population that could migrate: leave --strategy cma out"
        self._need(self.strategy != "cma", "islands", advice)
        advice = f"give less than the --population of an island, {self.population}"
        self._need(self.migrants < self.population, "migrants", advice)
        advice = f"with islands give a multiple of --epoch, {self.epoch}"
        self._need(self.generations % self.epoch == 0, "generations", advice)

    def _need(self, fine: bool, name: str, advice: str) -> None:
        if not fine:
            raise BadInput(f"--{name} {getattr(self, name, repr(''))}: {advice}")

    def players(self) -> list[agents.Player]:
        """The opponents."""
        text = self.opponents or ""
        try:
            players = [agents.make(spec) for spec in agents.split_specs(text)] if text else []
        except ValueError as error:
            raise BadInput(f"--opponents: {error}") from None
        if not players:
            raise BadInput("--opponents '': name one or more players")
        labels = [player.label for player in players]
        for player in players:
            if not player.compiled:
                why = "only compiled players can be opponents in evolution"
                raise BadInput(f"--opponents: {player.label}: {why}")
            if labels.count(player.label) > 1:
                raise BadInput(f"--opponents: {player.label} is named twice")
        return players

    def command(self, generations: int) -> str:
        """What makes this run again."""
        words: list[Any] = ["python", "-m", "evo.run", "--generations", generations]
        for one in self.options():
            value = getattr(self, one.name)
            if one.metadata["kept"] and value is not None:
                words += [flag(one), one.metadata["option"].text(value)]
        return shlex.join(map(str, words))


def _named(player: agents.Player) -> str:
    same = player.label == player.spec
    return player.spec if same else f"{player.label}={player.spec}"
