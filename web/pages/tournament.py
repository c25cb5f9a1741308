"""The page of a tournament: Elo table, figures, accuracy if it was measured, and configuration.

The page is made of the stored tables alone. No player is created, so the page of a received run
executes nothing.
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
from web.pages.page import Page, Section, configuration, not_yet
from web.pages.tournament_figures import accuracy_figure, elo_figure, heat_map


def read_standings(run: Run, steps: list[str]) -> Standings:
    """Return the standings after the matches that are stored."""
    matches: dict[tuple[str, str], Score] = {}
    for step in steps:
        first, second, score = read_match(run, step)
        # the rounds of a sequential test are matches of the same pair
        matches[first, second] = matches.get((first, second), Score()) + score
    players = dict.fromkeys(name for pair in matches for name in pair)
    return Standings(list(players), matches)


def missing_matches(config: dict[str, Any], steps: list[str]) -> list[str]:
    """Steps of the complete tournament that are not stored."""
    players = len(config["players"])
    count = players * (players - 1) // 2
    if config["sprt"]:
        count = int(steps[-1].rpartition("-")[2]) + 1
    return sorted({f"match-{index:04d}" for index in range(count)} - set(steps))


def few(names: list[str]) -> str:
    """The first three names."""
    return f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''}"


def without_accuracy(run: Run, config: dict[str, Any], accuracy: dict[str, Counts]) -> list[str]:
    """Return a remark with the players whose accuracy is not stored and the command for it."""
    missing = [label for label, _, _ in config["players"] if label not in accuracy]
    command = command_line("oracle.accuracy", "--tournament", run.address)
    remark = f"no accuracy of {few(missing)} is stored; to measure it: {command}"
    return [remark] if missing else []


def command_words(config: dict[str, Any]) -> list[str]:
    """Module, players and options of the command that makes or resumes the run."""
    players = [
        label if label == spec else f"{label}={spec}" for label, spec, _ in config["players"]
    ]
    return ["arena.run", *players, *TournamentConfig.words(config)]


def contents(run: Run) -> Page:
    """Return the page of a tournament, complete or not."""
    steps = run.steps("match-")
    if not steps:
        not_yet(run, "match", command_words)
        raise BadInput(f"{run.address}: holds no match")
    config, standings = run.about(steps[0])["config"], read_standings(run, steps)
    accuracy = stored_accuracy(run)
    remarks = without_accuracy(run, config, accuracy)
    missing = missing_matches(config, steps)
    total = len(steps) + len(missing)
    if missing:
        remarks.insert(0, f"{len(missing)} of {total} matches are missing: {few(missing)}")
    heat = "Points in percent, row against column, strongest first"
    sections = [
        Section("Table", standings.elo.text, text=standings.summary),
        Section("Elo with 95 % error bars", figure=elo_figure(standings.elo)),
        Section(heat, figure=heat_map(standings)),
        Section("Pair by pair, in percent", standings.pairs.text),
    ]
    if accuracy:
        title = "Turns that keep the exact value, where something is at stake"
        sections.insert(3, Section(title, figure=accuracy_figure(accuracy)))
    commands = {}
    if run.steps("games-"):
        commands["annotates every decision"] = command_line("oracle.annotate", run.address)
    sections.append(configuration(run, config, command_words(config), commands))
    facts = {
        "players": str(len(standings.players)),
        "matches": f"{len(steps)} of {total}",
        "games": f"{standings.games:,}",
        "first": standings.ranked[0],
    }
    about = f"{len(standings.players)} players, {standings.games:,} games, stored in {run.address}"
    return Page("Quarto tournament", about, sections, facts, remarks)
