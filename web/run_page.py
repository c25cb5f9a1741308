"""A run as its page shows it: the same contents that make the static pages, as JSON."""

import json
from dataclasses import asdict
from itertools import islice
from typing import Any

import web.pages.evolution
import web.pages.selfplay
import web.pages.tournament
from console.errors import UserError
from oracle.measure_accuracy import from_table, text_rows
from store.games import GAMES, game_steps, read_recorded
from store.run import understood
from store.summary import Summary, differences
from web.league import field_of_run, league_page, shipped
from web.limits import Refused
from web.pages.page import Page, Section, settings_rows
from web.runs import DAMAGED, Row, RunList


def page_of(summary: Summary) -> Page:
    kind, run = summary.about["kind"], summary.run
    if kind == "evolution":
        return web.pages.evolution.contents(run)
    if kind == "tournament":
        return web.pages.tournament.contents(run)
    if kind in ("self-play", "reward"):
        return web.pages.selfplay.contents(run)
    return any_page(summary)


def any_page(summary: Summary) -> Page:
    """Of runs that have no page of their own: datasets and whatever comes."""
    run, about = summary.run, summary.about
    sections = []
    if run.has("accuracy"):
        rows = text_rows(from_table(run.read("accuracy")))
        sections.append(Section("Right decisions in percent", rows))
    rows = [["step", "rows", "columns"]]
    for step in summary.steps:
        table = run.read(step)
        rows.append([step, f"{table.num_rows:,}", " ".join(table.column_names)])
    sections.append(Section("Steps", rows))
    sections.append(Section("Configuration", settings_rows(about["config"])))
    facts = {"steps": str(len(summary.steps))}
    return Page(f"A run of kind {about['kind']}", f"kept in {run.address}", sections, facts)


def problem_page(name: str, sentence: str) -> dict[str, Any]:
    return Page(name, "", []).as_json() | {"problem": sentence}


def told(runs: RunList, name: str, summary: Summary) -> dict[str, Any]:
    """The page of a run, or the one sentence that says why there is none."""
    row: Row = runs.row(name, summary)
    try:
        made = problem_page(name, row.problem) if row.state == DAMAGED else None
        with understood(summary.run.address):
            made = made or page_of(summary).as_json() | {"problem": ""}
    except UserError as error:
        made = problem_page(name, runs.without_addresses(str(error)))
    matches = [step for step in summary.steps if step.startswith(f"{GAMES}-")]
    # the page names runs as its list does; commands are typed on this machine
    player = made["player"].replace(f":run={summary.run.address}", f":run={name}")
    return made | {"run": asdict(row), "recorded": matches, "player": player}


def run_told(runs: RunList, name: str) -> str:
    return json.dumps(told(runs, name, runs.find(name)))


def compare_told(runs: RunList, a: str, b: str) -> dict[str, Any]:
    one, other = runs.find(a), runs.find(b)
    try:
        rows = differences(one, other)
    except UserError as error:
        raise Refused(runs.without_addresses(str(error))) from None
    section = Section("Where they differ", [["", a, b], *rows] if rows else None)
    return {"a": a, "b": b, "same": not rows, "section": section.as_json()}


def recorded_game(runs: RunList, name: str, step: str, number: int) -> dict[str, Any]:
    """A recorded game as text, counted from 1."""
    run = runs.find(name).run
    try:
        if step not in game_steps(run):
            raise Refused(f"{name} has no recorded games {step[:60]!r}", 404)
        games = run.read(step).num_rows
        if not 1 <= number <= games:
            raise Refused(f"{step} of {name} holds {games} games: give 1 to {games}", 404)
        with understood(run.address):
            game = next(islice(read_recorded(run, step), number - 1, number))
    except UserError as error:
        raise Refused(runs.without_addresses(str(error))) from None
    return {"run": name, "step": step, "game": number, "games": games, "text": game.to_text()}


def league_told(runs: RunList, name: str) -> str:
    """The league that ships, unless a tournament of the folder is named."""
    try:
        with understood(name):
            field = field_of_run(runs.find(name).run) if name else shipped()
            page = league_page(field).as_json()
    except UserError as error:
        raise Refused(runs.without_addresses(str(error))) from None
    tournaments = [row.name for row in runs.every() if row.kind == "tournament"]
    return json.dumps(page | {"run": name, "tournaments": tournaments})
