"""The league that ships: who is how strong, how often right, and how quick.

    python -m arena.run --all --store runs/league      everybody against everybody, 1,000 games
    python -m oracle.accuracy --tournament runs/league  their right turns
    python -m web.league runs/league                   makes web/league.json of it

Strength is the tournament's. Right turns are those of the frozen test set (python -m
oracle.accuracy). The time of a move is the processor's, the least of five tries on games of each
player against itself, with the same seed.
"""

import json
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.player import Player
from arena.entrants import AUTOMATIC
from arena.match import play_match
from arena.score import Score
from arena.standings import Standings
from console.command import run_command
from console.config import Config, argument, check_out, option
from console.errors import BadInput
from console.progress import Progress
from oracle.measure_accuracy import Count, Counts, stored_accuracy, whole
from store import Run
from store.run import interpreting
from web.pages.page import Page, Section, write_page
from web.pages.tournament import read_standings, without_accuracy
from web.pages.tournament_figures import Dot, accuracy_figure, elo_figure, field_figure, heat_map

FILE = Path(__file__).with_name("league.json")
TRIES, SECONDS = 5, 0.2


@dataclass(kw_only=True)
class League(Config):
    run: str = argument("a tournament", many=False, metavar="RUN")
    seed: int = option(0, "of the games in which the time of a move is measured")
    out: str = option(str(FILE), "the file to write (default: the one that ships)", metavar="FILE")

    def check(self) -> None:
        check_out(self.out)


@dataclass(frozen=True)
class Field:
    """Everybody who took part."""

    made_by: str
    standings: Standings
    accuracy: dict[str, Counts]
    # CPU seconds of a decision
    seconds: dict[str, float]

    def dots(self) -> list[Dot]:
        """Strongest first; those of whom time and accuracy are known."""
        known = [
            one for one in self.standings.ranked if one in self.seconds and one in self.accuracy
        ]
        return [Dot.of(name, self.seconds[name], self.accuracy[name]) for name in known]


def seconds_a_move(player: Player, seed: int) -> float:
    """CPU time of a decision, in games against itself: the least of a few means."""
    means = []
    for number in range(TRIES):
        spent, decisions, games = 0.0, 0, 2
        while spent < SECONDS / TRIES:
            started = time.process_time()
            played = play_match(player, player, seed, games, first=10**6 * number, record=True)
            spent += time.process_time() - started
            decisions += int(np.count_nonzero(np.asarray(played.moves) >= 0))
            games = min(2 * games, 4096)
        means.append(spent / decisions)
    return min(means)


def measure(config: League) -> dict[str, Any]:
    run = Run(config.run)
    steps = run.steps("match-")
    if not steps:
        raise BadInput(f"{config.run}: holds no tournament")
    about = run.about(steps[0])
    for label, spec, _ in about["config"]["players"]:
        # the specs of a run from elsewhere could name commands and files to execute
        if label != spec or spec not in AUTOMATIC:
            raise BadInput(f"{config.run}: {label}={spec}: the league is of the players that ship")
    accuracy = stored_accuracy(run)
    if remarks := without_accuracy(run, about["config"], accuracy):
        raise BadInput(f"{config.run}: {remarks[0]}")
    standings, seconds = read_standings(run, steps), {}
    with Progress("time of a move", "players", len(standings.players)) as progress:
        for label, spec, _ in about["config"]["players"]:
            player = agents.make(spec)
            player.ready()
            seconds[label] = seconds_a_move(player, config.seed)
            progress.add(1)
    return {
        "made_by": made_by(about["config"]),
        "matches": [
            [first, second, *score.counts.ravel().tolist()]
            for (first, second), score in standings.matches.items()
        ],
        "accuracy": {
            name: [[kind, placed, *count] for (kind, placed), count in sorted(counts.items())]
            for name, counts in accuracy.items()
        },
        "seconds": {name: float(f"{value:.3g}") for name, value in seconds.items()},
    }


def made_by(config: dict[str, Any]) -> str:
    """The command, wherever it was typed."""
    players = [label for label, _, _ in config["players"]]
    who = ["--all"] if sorted(players) == sorted(AUTOMATIC) else players
    words = [f"--games {config['games']}", f"--seed {config['seed']}", "--store runs/league"]
    return " ".join(["python -m arena.run", *who, *words])


def as_field(stored: dict[str, Any]) -> Field:
    matches = {
        (first, second): Score(np.array(counts, np.int64).reshape(2, 3))
        for first, second, *counts in stored["matches"]
    }
    players = list(dict.fromkeys(name for pair in matches for name in pair))
    accuracy: dict[str, Counts] = {
        name: {(kind, placed): Count(right, of) for kind, placed, right, of in rows}
        for name, rows in stored["accuracy"].items()
    }
    return Field(stored["made_by"], Standings(players, matches), accuracy, stored["seconds"])


def field_of_run(run: Run) -> Field:
    """Of a tournament that is kept somewhere: what it tells itself, and the time of those whom the
    league knows, too."""
    steps = run.steps("match-")
    if not steps:
        raise BadInput(f"{run.address}: holds no tournament")
    standings = read_standings(run, steps)
    seconds = {name: s for name, s in shipped().seconds.items() if name in standings.players}
    return Field(run.address, standings, stored_accuracy(run), seconds)


def league_page(field: Field) -> Page:
    """The league, the results first."""
    standings, accuracy = field.standings, field.accuracy
    ranked = {name: accuracy[name] for name in standings.ranked if name in accuracy}
    rows = [[*row] for row in standings.elo.text]
    rows[0] += ["right turns, %", "a move, us"]
    for row in rows[1:]:
        count = whole(accuracy[row[1]], "turn") if row[1] in accuracy else None
        row.append(f"{100 * count.right / count.of:.1f}" if count else "")
        row.append(f"{1e6 * field.seconds[row[1]]:.2f}" if row[1] in field.seconds else "")
    sections = [Section("The table", rows, text=standings.summary)]
    if dots := field.dots():
        text = "Every player a dot; nobody is both quicker and better than those on the line."
        title = "The field: right turns against the time of a move"
        sections.append(Section(title, figure=field_figure(dots), text=text))
    sections.append(Section("Elo with 95 % error bars", figure=elo_figure(standings.elo)))
    heat = "Points in percent, row against column, strongest first"
    sections.append(Section(heat, figure=heat_map(standings)))
    if ranked:
        title = "Turns that keep the exact value, by stage"
        sections.append(Section(title, figure=accuracy_figure(ranked)))
    return Page("League", field.made_by, sections)


@cache
def shipped() -> Field:
    return as_field(json.loads(FILE.read_text(encoding="utf-8")))


def lines_of(value: Any, depth: int = 2) -> str:
    """JSON with a line for each match and each player, so that a change of one shows as one."""
    if depth == 0 or not isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, dict):
        inside = ",\n".join(f"{json.dumps(k)}: {lines_of(v, depth - 1)}" for k, v in value.items())
        return f"{{\n{inside}\n}}"
    return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"


def work(config: League) -> None:
    with interpreting(config.run):
        measured = measure(config)
    write_page(Path(config.out), lines_of(measured) + "\n")
    print(config.out)


def main(arguments: list[str] | None = None) -> int:
    return run_command("web.league", __doc__, League, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
