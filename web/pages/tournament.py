"""The page of a tournament.

The table with Elo, points and error bars first; then heat map, accuracy by stage (if
`python -m oracle.accuracy --tournament RUN` has measured it), configuration and command. The
page is made of what the run holds; no player is made, so a run from elsewhere executes nothing.
"""

from typing import Any

from arena.round_robin import read_match
from arena.run import TournamentConfig
from arena.score import Score
from arena.standings import Standings
from console.errors import BadInput
from console.typed import command_line
from oracle.measure_accuracy import Counts, stored_accuracy
from store import Run
from store.parts import PREFIX
from web.pages.page import Page, Section, not_yet, settings_rows
from web.pages.tournament_figures import accuracy_figure, elo_figure, heat_map


def read_standings(run: Run, steps: list[str]) -> Standings:
    """Of the matches that are there."""
    matches: dict[tuple[str, str], Score] = {}
    for step in steps:
        first, second, score = read_match(run, step)
        # the rounds of a sequential test are matches of the same two
        matches[first, second] = matches.get((first, second), Score()) + score
    players = dict.fromkeys(name for pair in matches for name in pair)
    return Standings(list(players), matches)


def missing_matches(config: dict[str, Any], steps: list[str]) -> list[str]:
    """Steps that a tournament of this configuration has when it is done, and that are not there."""
    players = len(config["players"])
    count = players * (players - 1) // 2
    if config["sprt"]:
        count = int(steps[-1].rpartition("-")[2]) + 1
    return sorted({f"match-{index:04d}" for index in range(count)} - set(steps))


def without_accuracy(run: Run, config: dict[str, Any], known: dict[str, Counts]) -> list[str]:
    """A remark that names the players whose accuracy is not stored, and what measures it."""
    missing = [label for label, _, _ in config["players"] if label not in known]
    if not missing:
        return []
    names = f"{', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''}"
    command = command_line("oracle.accuracy", "--tournament", run.address)
    return [f"no accuracy of {names} is stored; to measure it: {command}"]


def command_of(config: dict[str, Any], address: str) -> str:
    """What makes the run, or goes on with it."""
    players = [one if one == spec else f"{one}={spec}" for one, spec, _ in config["players"]]
    words = TournamentConfig.words(config)
    return command_line("arena.run", *players, *words, "--store", address)


def not_started(run: Run) -> BadInput:
    """Why there is nothing to show."""
    if parts := run.steps(f"{PREFIX}match-"):
        config = run.about(parts[0])["config"]
        players = [one if one == spec else f"{one}={spec}" for one, spec, _ in config["players"]]
        return not_yet(run, "match", "arena.run", *players, *TournamentConfig.words(config))
    return BadInput(f"{run.address}: holds no match")


def contents(run: Run) -> Page:
    """The page of a tournament, finished or not."""
    steps = run.steps("match-")
    if not steps:
        raise not_started(run)
    about, standings = run.about(steps[0]), read_standings(run, steps)
    accuracy = stored_accuracy(run)
    remarks = without_accuracy(run, about["config"], accuracy)
    missing = missing_matches(about["config"], steps)
    total = len(steps) + len(missing)
    if missing:
        names = f"{', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''}"
        remarks.insert(0, f"{len(missing)} of {total} matches are missing: {names}")
    sections = [
        Section("The table", standings.elo.text, text=standings.summary),
        Section("Elo with 95 % error bars", figure=elo_figure(standings.elo)),
        Section(
            "Points in percent, row against column, strongest first", figure=heat_map(standings)
        ),
        Section("Pair by pair, in percent", standings.pairs.text),
    ]
    if accuracy:
        title = "Turns that keep the exact value, where something is at stake"
        sections.insert(3, Section(title, figure=accuracy_figure(accuracy)))
    commands = {"what made it, and goes on": command_of(about["config"], run.address)}
    if run.steps("games-"):
        commands["marks every decision"] = command_line("oracle.annotate", run.address)
    sections.append(Section("Configuration", settings_rows(about["config"]), commands=commands))
    facts = {
        "players": str(len(standings.players)),
        "matches": f"{len(steps)} of {total}",
        "games": f"{standings.games:,}",
        "first": standings.ranked[0],
    }
    count = f"{len(standings.players)} players, {standings.games:,} games, kept in {run.address}"
    return Page("Quarto tournament", count, sections, facts, remarks)
