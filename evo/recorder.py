"""The recorder of a run: commits each generation while the next one is being played, shows
progress, and stops a run that no longer improves."""

from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Any, NamedTuple, Protocol

from console.progress import Progress
from evo.archive import Archive
from evo.claims import Claim
from evo.evaluate import Problem, Report, Stats
from evo.fitness import lower_bounds
from evo.individual import Individual, Population
from evo.summary import progress_text
from oracle import curve
from store.kinds import PLANNED
from store.parts import Parts
from workers.task import Runner

# points per game by which the best must improve for --until-flat
PROGRESS = 0.001


class Generation(NamedTuple):
    """A generation, or an epoch of islands.

    `claim`: the results of the previous champion in this generation; with CMA-ES, whose champion
    never plays, those of its neighbours."""

    population: Population
    claim: Claim
    stats: Stats


class Strategy(Protocol):
    """`number`: of the next generation, or epoch. `runner`: the workers, or islands that let them
    do other tasks in between."""

    number: int
    runner: Runner

    def step(self, report: Report) -> Generation:
        """Return the next generation."""

    def champion(self) -> Individual:
        """Return the best individual so far."""


class Recorder:
    """The recorder of a run, from where it was stopped."""

    def __init__(self, strategy: Strategy, problem: Problem, archive: Archive, parts: Parts):
        self.strategy, self.problem, self.archive, self.parts = strategy, problem, archive, parts
        config, self.started = problem.config, monotonic()
        self.claims = archive.claims(problem.scoring.repeats)
        self.curve = curve.Curve(archive.run, archive.unit)
        # of this command: games, and seconds in kernels
        self.played, self.busy = 0, 0.0
        # seconds of earlier commands; games of all, with judged positions and scores
        numbers, self.seconds = range(len(archive)), archive.seconds()
        self.games = archive.measured(numbers[-1])["games"] if numbers else 0
        self.total = config.generations // (config.epoch or 1)
        # --until-flat in generations or epochs, and the lower bound of the best of each
        self.patience = -(-(config.until_flat or 0) // (config.epoch or 1))
        stored = numbers if self.patience else ()
        self.best = [archive.measured(number).get("best", 0.0) for number in stored]
        self.thread, self.saving = ThreadPoolExecutor(1), Future[None]()
        self.saving.set_result(None)
        if self.wants(strategy.number):
            problem.ready()
        unit = f"epochs of {config.islands} islands" if config.islands > 1 else "generations"
        self.progress = Progress("evolving", unit, self.total, done=strategy.number)

    def wants(self, number: int) -> bool:
        """Return whether the run needs this generation."""
        return number < self.total and not self._is_flat()

    def _is_flat(self) -> bool:
        if not self.patience or len(self.best) <= self.patience:
            return False
        before, since = self.best[: -self.patience], self.best[-self.patience :]
        return max(since) < max(before) + PROGRESS

    def report(self, share: float, played: int) -> None:
        """Show that a share of the current generation is done."""
        done = self.strategy.number + share
        if not self.played + played:
            # the work of an earlier command does not count for the speed of this one
            self.progress.add_completed(done - self.progress.done)
        self.progress.show(done)

    def commit(self, generation: Generation) -> None:
        """Write a generation to the run, in a background thread."""
        population, claim, stats = generation
        number, scoring = self.strategy.number - 1, self.problem.scoring
        self.best.append(round(float(lower_bounds(population.counts, scoring).max()), 6))
        self.games += stats.games
        self.played += stats.played
        self.busy += stats.seconds
        self.claims.append(claim)
        elapsed = monotonic() - self.started
        speed = round(self.played / max(elapsed, 1e-9))
        measured: dict[str, Any] = {"games_per_second": speed, "games": self.games}
        if self.seconds is not None:
            measured |= {"seconds": round(self.seconds + elapsed, 3)}
        measured |= {"best": self.best[-1], "claim": claim, PLANNED: self.total}
        self.saving.result()  # raises the error of the last write
        # before the generation, so that a killed run lacks no point of the curve
        self._add_to_curve(number, curve.is_due(number))
        self.saving = self.thread.submit(self._write, number, population, measured)
        text = progress_text(population, self.claims, self.problem, speed)
        self.progress.show(self.strategy.number, text)

    def finish(self) -> None:
        """Wait for the last commit, and measure the last champion."""
        self.saving.result()
        self._add_to_curve(self.strategy.number - 1, self.strategy.number > 0)
        self.archive.run.commit()

    def _write(self, number: int, population: Population, measured: dict) -> None:
        self.archive.write(number, population, self.problem, measured)
        self.parts.drop(self.archive.step(number))

    def _add_to_curve(self, number: int, due: bool) -> None:
        problem = self.problem
        if due and problem.config.curve and number not in self.curve.numbers:
            spec = problem.genome.spec(self.archive.run.address)
            player = problem.genome.make_player(self.strategy.champion(), spec)
            self.curve.add(self.strategy.runner, player, problem.seed, number)
