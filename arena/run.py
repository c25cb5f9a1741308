"""A tournament: every player against every other, on all cores, stored as Parquet, with error bars.

    python -m arena.run random rulebased pro                 1,000 games a pair, seats alternating
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
from dataclasses import replace
from math import inf

from agents.player import PlayerError
from arena.entrants import Entrants, as_player
from arena.parts import pack_games
from arena.round_robin import Match, MatchInProgress, commit, finish_matches, matches_of, read_match
from arena.score import Score
from arena.standings import Standings, print_standings
from arena.statistics import sprt
from console.command import command
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from console.typed import command_line
from store import Run
from store.job import Job
from store.parts import Parts
from workers.pool import Workers

# games between two looks of the sequential test; fixed, so that the result does not depend on speed
SPRT_ROUND = 1000
GAMES, SPRT_GAMES = 1000, 1_000_000


class TournamentConfig(Entrants, Job):
    in_name = ("all",)

    games: int = option(
        None,
        f"games a pair, an even number (default {GAMES}); with --sprt at most (default "
        f"{SPRT_GAMES})",
        least=2,
        even=True,
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
        if self.sprt is None:
            return None
        try:
            low, high = map(float, self.sprt.split(","))
            if -inf < low < high < inf:
                return low, high
        except ValueError:
            pass
        raise BadInput(f"--sprt {self.sprt}: give two numbers, the smaller first, like 0,10")


def play_all(
    workers: Workers, run: Run, matches: list[Match], record: bool
) -> tuple[dict[int, Score], float]:
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
        for match, games in finish_matches(workers, todo, record, on_games):
            commit(run, match, games)
            scores[match.index] = games.score
            parts.drop(match.step)
    return scores, (progress.done - done) / max(time.monotonic() - started, 1e-9)


def play_until_decided(
    workers: Workers, run: Run, config: TournamentConfig, bounds: tuple[float, float]
) -> Standings:
    """Play rounds, each a committed match, until the test decides or the games are used up."""
    names = [player.label for player in config.entrants]
    speeds: list[float] = []
    score, decision, ratio = Score(), None, 0.0
    while decision is None and score.games < config.games:
        index, games = len(speeds), min(SPRT_ROUND, config.games - score.games)
        (match,) = matches_of(config.entrants, games, config.seed + 1_000_003 * index)
        scores, speed = play_all(workers, run, [replace(match, index=index)], config.record)
        score += scores[index]
        speeds.append(speed)
        ratio, decision = sprt(*score.totals, *bounds)
        if match.games < games:
            # two deterministic players: further games would be repetitions
            break
    low, high = bounds
    verdict = {
        1: f"stronger by {high:g} Elo",
        0: f"not stronger by {high:g} Elo (rather {low:g})",
        None: "not decided",
    }[decision]
    evidence = f"log likelihood ratio {ratio:.2f} after {score.games:,} games"
    print(f"{names[0]} is {verdict}: {evidence}", file=sys.stderr)
    return Standings(names, {(names[0], names[1]): score}, max(speeds), run.address)


def run_tournament(config: TournamentConfig) -> Standings:
    with Run(str(config.store), "tournament", config.kept()) as run, Workers.of(config) as workers:
        if config.bounds:
            return play_until_decided(workers, run, config, config.bounds)
        matches = matches_of(config.entrants, config.games, config.seed)
        scores, speed = play_all(workers, run, matches, config.record)
        pairs = {(m.first.label, m.second.label): scores[m.index] for m in matches}
        names = [player.label for player in config.entrants]
        return Standings(names, pairs, speed, run.address)


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
