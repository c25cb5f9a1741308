"""The record of a run at work: commits each generation while the next one is being played, follows
progress, and stops a run that no longer improves."""

from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Any, NamedTuple, Protocol

from console.progress import Progress
from evo.archive import Archive, Plateau
from evo.claims import Claim
from evo.evaluate import Problem, Report, Stats
from evo.individual import Individual, Population
from evo.summary import progress_text
from oracle import curve
from store.parts import Parts
from workers.task import Runner


class Generation(NamedTuple):
    """A generation, or an epoch of islands.

    `claim`: the results of the previous champion in this generation; with CMA-ES, whose champion
    never plays, those of its neighbours."""

    population: Population
    claim: Claim
    stats: Stats


class Strategy(Protocol):
    """State in, generation out. `number`: of the next generation, or epoch. `runner`: the workers,
    or islands that let them do other tasks in between."""

    number: int
    runner: Runner

    def step(self, report: Report) -> Generation:
        """Return the next generation."""

    def champion(self) -> Individual:
        """Return the best individual so far."""


class Recorder:
    """The record of a run, from where it was stopped."""

    def __init__(self, strategy: Strategy, problem: Problem, archive: Archive, parts: Parts):
        self.strategy, self.problem, self.archive, self.parts = strategy, problem, archive, parts
        config, self.started = problem.config, monotonic()
        self.claims = archive.claims(problem.scoring.repeats)
        # games of this command, and its seconds inside kernels
        self.played, self.busy = 0, 0.0
        # seconds of all earlier commands, and games of all commands
        self.seconds, self.games = archive.seconds(), archive.games()
        self.total = config.generations // (config.epoch or 1)
        self.plateau = Plateau(config, problem.scoring, archive)
        self.thread, self.saving = ThreadPoolExecutor(1), Future[None]()
        self.saving.set_result(None)
        if self.wants(strategy.number):
            problem.ready()
        unit = f"epochs of {config.islands} islands" if config.islands > 1 else "generations"
        self.progress = Progress("evolving", unit, self.total, done=strategy.number)

    def wants(self, number: int) -> bool:
        """Whether the run needs this generation."""
        return number < self.total and not self.plateau.is_flat

    def report(self, share: float, played: int) -> None:
        """Show that a share of the generation at work is done."""
        done = self.strategy.number + share
        if not self.played + played:
            # the work of an earlier command, which says nothing about the speed of this one
            self.progress.found(done - self.progress.done)
        self.progress.show(done)

    def commit(self, generation: Generation) -> None:
        """Write a generation in the background."""
        population, claim, stats = generation
        number, best = self.strategy.number - 1, self.plateau.add(population)
        self.games += stats.games
        self.played += stats.played
        self.busy += stats.seconds
        self.claims.append(claim)
        measured = self._measured() | {"best": best, "claim": claim}
        self.saving.result()  # raises what went wrong
        # first, so that a run that was killed lacks no point
        self._keep_point(number, curve.is_due(number))
        self.saving = self.thread.submit(self._write, number, population, measured)
        speed = measured["games_per_second"]
        text = progress_text(population, self.claims, self.problem, speed)
        self.progress.show(self.strategy.number, text)

    def finish(self) -> None:
        """Wait for the last commit, and put the last champion on the learning curve."""
        self.saving.result()
        self._keep_point(self.strategy.number - 1, self.strategy.number > 0)

    def _measured(self) -> dict[str, Any]:
        """Games so far, the speed of this command, and the seconds of all commands of the run, if
        the earlier ones have recorded theirs."""
        elapsed = monotonic() - self.started
        speed = round(self.played / max(elapsed, 1e-9))
        measured: dict[str, Any] = {"games_per_second": speed, "games": self.games}
        seconds = self.seconds
        return measured if seconds is None else measured | {"seconds": round(seconds + elapsed, 3)}

    def _write(self, number: int, population: Population, measured: dict) -> None:
        self.archive.write(number, population, self.problem.labels, measured)
        self.parts.drop(self.archive.step(number))

    def _keep_point(self, number: int, due: bool) -> None:
        """Put the champion on the learning curve."""
        problem, run, step = self.problem, self.archive.run, curve.step_of(number)
        if due and problem.config.curve and not run.has(step):
            spec = problem.genome.spec(run.address)
            player = problem.genome.make_player(self.strategy.champion(), spec)
            run.write(step, curve.measure(self.strategy.runner, player, problem.seed, number))
