"""A tournament: every player against every other, on all cores, stored as Parquet, with error bars.

    python -m arena.run random rulebased pro                 500 pairs of games from openings, in
                                                             both seats, for each pair of players
    python -m arena.run --all --games 1000                   all players
    python -m arena.run frontier pro --sprt 0,10             until it is decided whether frontier
                                                             is stronger by 10 Elo
    python -m arena.run rulebased mine.py:Mine --record      store every move, for
                                                             python -m oracle.annotate RUN

The same command again resumes a stopped tournament; the result depends neither on the number of
workers nor on failures of workers.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import NamedTuple

from agents.player import PlayerError
from arena.entrants import Entrants, as_player
from arena.parts import pack_games
from arena.pentanomial import bound, decide, likelihood_ratio
from arena.round_robin import Match, MatchInProgress, commit, finish_matches, matches_of, read_match
from arena.score import Score
from arena.standings import Standings, print_standings
from arena.suite import BALANCED, SUITES
from console.command import command
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from console.typed import command_line
from store import Run
from store.job import Job
from store.parts import Parts
from workers.pool import Workers

# games before the first look of the sequential test; later rounds are an eighth of those before. So
# the result does not depend on speed
FIRST_ROUND = 200
GAMES, SPRT_GAMES = 1000, 1_000_000
# of a sequential test; 1 and 2 are errors
EXIT_CODES: dict[int | None, int] = {1: 0, 0: 3, None: 4}
OnGames = Callable[[int], None]


class TournamentConfig(Entrants, Job):
    in_name = ("all",)

    games: int = option(
        None,
        f"games a pair, an even number (default {GAMES}); with --sprt at most (default "
        f"{SPRT_GAMES})",
        least=2,
        even=True,
    )
    openings: str = option(
        BALANCED,
        "drawn positions from which pairs of games begin; none: the empty board",
        choices=SUITES,
    )
    record: bool = option(False, "store the moves of every game")
    sprt: str | None = option(
        None, "two players: stop when it is decided, with 5 % error each way", metavar="ELO0,ELO1"
    )
    pairs: bool = option(False, "print a line for every pair", kept=False)

    def what(self) -> str:
        return "tournament"

    def is_default(self) -> bool:
        return self.all and not self.players and super().is_default()

    def check(self) -> None:
        count = len(self.entrants)
        if count < 2:
            players = f"{count} player{'' if count == 1 else 's'}"
            raise BadInput(f"{players} given: name two or more, or --all")
        super().check()
        if self.bounds and count != 2:
            raise BadInput(f"--sprt is for two players, {count} were given")
        if self.games is None:
            self.games = SPRT_GAMES if self.sprt else GAMES

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The two hypotheses of --sprt. Raise BadInput if they are invalid."""
        return None if self.sprt is None else read_bounds(self.sprt)

    @property
    def specs(self) -> dict[str, str]:
        return {player.label: player.spec for player in self.entrants}


def read_bounds(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(","))
        if -inf < low < high < inf:
            return low, high
    except ValueError:
        pass
    raise BadInput(f"--sprt {text}: give two numbers, the smaller first, like 0,10")


def play_missing(
    workers: Workers, run: Run, parts: Parts, todo: list[MatchInProgress], on_games: OnGames
) -> Iterator[tuple[Match, Score]]:
    """Play matches and commit them; yield each with its score."""
    record = bool(run.config and run.config["record"])
    for match, games in finish_matches(workers, todo, record, on_games):
        commit(run, match, games)
        parts.drop(match.step)
        yield match, games.score


def play_all(workers: Workers, run: Run, matches: list[Match]) -> tuple[dict[int, Score], float]:
    """Play and commit the missing games. Return the scores by match, and this command's games per
    second."""
    steps = set(run.steps("match-"))
    scores = {m.index: read_match(run, m.step)[2] for m in matches if m.step in steps}
    parts = Parts(run, pack_games)
    todo = [MatchInProgress(m, parts) for m in matches if m.index not in scores]
    done = sum(score.games for score in scores.values()) + sum(one.games_done for one in todo)
    total = done + sum(one.match.games - one.games_done for one in todo)
    started = time.monotonic()

    def on_games(games: int) -> None:
        progress.show(progress.done + games, f"{len(scores)} of {len(matches)} matches")

    with Progress("games", "games", total, done=done) as progress, parts:
        for match, score in play_missing(workers, run, parts, todo, on_games):
            scores[match.index] = score
    return scores, (progress.done - done) / max(time.monotonic() - started, 1e-9)


class Verdict(NamedTuple):
    """The result of a sequential test of the first player against the second."""

    names: list[str]
    score: Score
    bounds: tuple[float, float]
    games_per_second: float

    @property
    def ratio(self) -> float:
        """The log likelihood ratio."""
        return float(likelihood_ratio(self.score.pentanomial, *self.bounds))

    @property
    def decision(self) -> int | None:
        return decide(self.ratio)

    @property
    def evidence(self) -> str:
        return f"log likelihood ratio {self.ratio:+.2f} (bounds +-{bound():.2f})"

    def __str__(self) -> str:
        (first, second), (low, high) = self.names, self.bounds
        text = {
            1: f"{first} is better than {second} (by {high:g} Elo rather than {low:g})",
            0: f"{first} is not better than {second} (by {low:g} Elo rather than {high:g})",
            None: f"undecided whether {first} is better than {second} (by {high:g} Elo or {low:g})",
        }[self.decision]
        return f"{text}: {self.evidence} after {self.score.games // 2:,} pairs of games"


def rounds(limit: int) -> Iterator[tuple[int, int]]:
    """Yield (first game, games) of the rounds of a sequential test, which looks after each."""
    done = 0
    while done < limit:
        games = min(max(FIRST_ROUND, done // 8 & ~1), limit - done)
        yield done, games
        done += games


def play_until_decided(
    workers: Workers, run: Run, config: TournamentConfig, bounds: tuple[float, float]
) -> Verdict:
    """Play rounds, each a committed match, until the test decides or the games are used up. Two
    deterministic players without openings play two games: more would be repetitions."""
    (match,) = matches_of(config.entrants, config.games, config.seed, config.openings)
    verdict = Verdict([player.label for player in config.entrants], Score(), bounds, 0.0)
    parts, started, stored = Parts(run, pack_games), time.monotonic(), 0

    def on_games(games: int) -> None:
        progress.show(progress.done + games, verdict.evidence if verdict.score.games else "")

    with Progress("games", "games") as progress, parts:
        for index, (start, games) in enumerate(rounds(match.games)):
            part = replace(match, index=index, start=start, games=games)
            if run.has(part.step):
                score = read_match(run, part.step)[2]
                stored += games
                progress.add_completed(games)
            else:
                todo = MatchInProgress(part, parts)
                progress.add_completed(todo.games_done)
                ((_, score),) = play_missing(workers, run, parts, [todo], on_games)
            speed = (verdict.score.games + games - stored) / (time.monotonic() - started)
            verdict = verdict._replace(score=verdict.score + score, games_per_second=speed)
            if verdict.decision is not None:
                break
    return verdict


def open_run(config: TournamentConfig) -> Run:
    return Run(str(config.store), "tournament", config.kept())


def run_tournament(config: TournamentConfig) -> Standings:
    with open_run(config) as run, Workers.of(config) as workers:
        if config.bounds:
            verdict = play_until_decided(workers, run, config, config.bounds)
            print(verdict, file=sys.stderr)
            first, second = names = verdict.names
            pairs, speed = {(first, second): verdict.score}, verdict.games_per_second
        else:
            matches = matches_of(config.entrants, config.games, config.seed, config.openings)
            scores, speed = play_all(workers, run, matches)
            pairs = {(m.first.label, m.second.label): scores[m.index] for m in matches}
            names = [player.label for player in config.entrants]
        return Standings(names, pairs, speed, run.address, config.specs)


def continued_with_losses(config: TournamentConfig) -> str:
    """Return the command for the same tournament with `--on-error lose`."""
    kept = super(Entrants, config).kept() | {"on_error": "lose"}
    players = [one if isinstance(one, str) else as_player(one).spec for one in config.players]
    words = [*(["--all"] if config.all else []), *players, *config.words(kept)]
    python = ["--python", config.python] if config.python else []
    return command_line("arena.run", *words, *python, "--store", f"{config.store}-lose")


def run_and_print(config: TournamentConfig) -> None:
    try:
        standings = run_tournament(config)
    except PlayerError as error:
        if config.on_error == "stop" and not all(player.compiled for player in config.entrants):
            advice = "to go on, where a failure loses the game, use another run"
            error.args = (f"{error}; {advice}: {continued_with_losses(config)}",)
        raise
    if config.json:
        print(json.dumps(standings.as_json()))
        return
    print_standings(standings, config.entrants, config.pairs)
    where = standings.store
    print(f"\nkept in {where}; a page to look at: {command_line('web.pages', where)}")


main = command("arena.run", __name__, __doc__, TournamentConfig, run_and_print, resumes=True)
