"""The league that ships: strength, share of right turns and speed of every player.

    python -m arena.run --all --store runs/league       all pairs of players, 1,000 games each
    python -m oracle.accuracy --tournament runs/league  their right turns on the frozen test set
    python -m web.league runs/league                    makes arena/league.json from both

The time of a move is CPU time: the least of five measurements in games of a player against itself,
with the same seed."""

import datetime
import json
import time
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.player import Player
from arena.entrants import AUTOMATIC
from arena.match import play_match
from arena.standings import LEAGUE, Standings, league_standings
from arena.suite import NO_OPENINGS
from console.command import command
from console.config import Config, argument, check_out, option
from console.errors import BadInput
from console.progress import Progress
from oracle.measure_accuracy import Count, Counts, stored_accuracy, whole
from store import Run
from store.run import interpreting
from web.pages.page import Page, Section, write_page
from web.pages.tournament import (
    Dot,
    elo_figure,
    field_figure,
    figures,
    read_standings,
    without_accuracy,
)

PROBE = 20  # games whose moves tell whether a player has changed
TRIES, SECONDS = 5, 0.2


class League(Config):
    run: str = argument("a tournament", metavar="RUN")
    seed: int = option(0, "seed of the games in which the time of a move is measured")
    out: str = option(str(LEAGUE), "file to write (default: the one that ships)", metavar="FILE")

    def check(self) -> None:
        check_out(self.out)


@dataclass(frozen=True)
class Field:
    """The players of a tournament with their measurements."""

    made_by: str
    standings: Standings
    accuracy: dict[str, Counts]
    # CPU seconds of a decision
    seconds: dict[str, float]
    # fingerprints at the time
    players: dict[str, str] = field(default_factory=dict)


def seconds_a_move(player: Player, seed: int) -> float:
    """CPU time of a decision in games against itself: the least of a few means."""
    means = []
    for number in range(TRIES):
        spent, decisions, games = 0.0, 0, 2
        while spent < SECONDS / TRIES:
            started = time.process_time()
            match = play_match(player, player, seed, games, first=10**6 * number, record=True)
            spent += time.process_time() - started
            decisions += int(np.count_nonzero(np.asarray(match.moves) >= 0))
            games = min(2 * games, 4096)
        means.append(spent / decisions)
    return min(means)


@cache
def fingerprint(spec: str) -> str:
    """Return a checksum of a player's mind and of its moves in a few games, so that a change of its
    code is noticed, too. Raise ValueError if there is no such player."""
    player = agents.make(spec)
    played = play_match(player, agents.make("random"), 1, PROBE, record=True)
    return f"{player.digest}-{zlib.crc32(np.asarray(played.moves).tobytes()):08x}"


def matches_of(run: Run) -> list[str]:
    """Return the steps with matches; raise BadInput if there are none."""
    if steps := run.steps("match-"):
        return steps
    raise BadInput(f"{run.address}: holds no tournament")


def measure(config: League) -> dict[str, Any]:
    """Return the contents of league.json."""
    run = Run(config.run)
    steps = matches_of(run)
    tournament = run.about(steps[0])["config"]
    for label, spec, _ in tournament["players"]:
        # the specs of a received run could name commands and files to execute
        if label != spec or spec not in AUTOMATIC:
            raise BadInput(f"{config.run}: {label}={spec}: the league is of the players that ship")
    accuracy = stored_accuracy(run)
    if remarks := without_accuracy(run, tournament, accuracy):
        raise BadInput(f"{config.run}: {remarks[0]}")
    standings, seconds = read_standings(run, steps), {}
    with Progress("time of a move", "players", len(standings.players)) as progress:
        for label, spec, _ in tournament["players"]:
            player = agents.make(spec)
            player.ready()
            seconds[label] = seconds_a_move(player, config.seed)
            progress.add(1)
    return {
        "made_by": made_by(tournament),
        "date": datetime.date.today().isoformat(),
        "matches": [
            [first, second, *score.pairs.ravel().tolist()]
            for (first, second), score in standings.matches.items()
        ],
        "accuracy": {
            name: [[kind, placed, *count] for (kind, placed), count in sorted(counts.items())]
            for name, counts in accuracy.items()
        },
        "seconds": {name: float(f"{value:.3g}") for name, value in seconds.items()},
        "players": {name: fingerprint(name) for name in seconds},
    }


def made_by(config: dict[str, Any]) -> str:
    """Return the command that plays such a tournament."""
    players = [label for label, _, _ in config["players"]]
    names = "--all" if sorted(players) == sorted(AUTOMATIC) else " ".join(players)
    openings = f"--openings {config.get('openings', NO_OPENINGS)}"
    options = f"--games {config['games']} {openings} --seed {config['seed']} --store runs/league"
    return f"python -m arena.run {names} {options}"


def as_field(stored: dict[str, Any]) -> Field:
    accuracy: dict[str, Counts] = {
        name: {(kind, placed): Count(right, of) for kind, placed, right, of in rows}
        for name, rows in stored["accuracy"].items()
    }
    standings = league_standings(stored)
    return Field(stored["made_by"], standings, accuracy, stored["seconds"], stored["players"])


def field_of_run(run: Run) -> Field:
    """Return a stored tournament, with the times that the shipped league has of its players."""
    standings = read_standings(run, matches_of(run))
    seconds = {name: s for name, s in shipped().seconds.items() if name in standings.players}
    return Field(run.address, standings, stored_accuracy(run), seconds)


def league_page(field: Field) -> Page:
    standings, accuracy, times = field.standings, field.accuracy, field.seconds
    ranked = {name: accuracy[name] for name in standings.ranked if name in accuracy}
    rows = [[*row] for row in standings.elo.text]
    rows[0] += ["right turns, %", "a move, us"]
    for row in rows[1:]:
        count = whole(accuracy[row[1]], "turn") if row[1] in accuracy else None
        row.append(f"{100 * count.right / count.of:.1f}" if count else "")
        row.append(f"{1e6 * times[row[1]]:.2f}" if row[1] in times else "")
    sections = [
        Section("Table", rows, text=f"{standings.scale}. {standings.summary}"),
        Section("Elo with 95 % error bars", figure=elo_figure(standings.elo)),
    ]
    if dots := [Dot.of(name, times[name], ranked[name]) for name in ranked if name in times]:
        text = "Each dot is a player; none is both quicker and better than those on the line."
        title = "The field: right turns against the time of a move"
        sections.insert(0, Section(title, figure=field_figure(dots), text=text))
    sections += figures(standings, ranked, "Turns that keep the exact value, by stage")
    return Page("League", field.made_by, sections)


@cache
def shipped() -> Field:
    return as_field(json.loads(LEAGUE.read_text(encoding="utf-8")))


def lines_of(value: Any, depth: int = 2) -> str:
    """Return JSON with a line for each match and each player, so that diffs are small."""
    if depth == 0 or not isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {lines_of(v, depth - 1)}" for key, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n}"
    return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"


def work(config: League) -> None:
    with interpreting(config.run):
        measured = measure(config)
    write_page(Path(config.out), lines_of(measured) + "\n")
    print(config.out)


main = command("web.league", __name__, __doc__, League, work)
