"""A run as its page shows it: the same contents that make the static pages, as JSON."""

import json
from dataclasses import asdict
from itertools import islice
from typing import Any

from arena.recorded import GAMES, game_steps, read_recorded
from console.errors import UserError
from store.run import interpreting
from store.summary import Summary, differences
from web.league import field_of_run, league_page, shipped
from web.limits import Refused
from web.pages.kinds import page_of
from web.pages.page import Page, Section
from web.runs import DAMAGED, Row, RunList


def problem_page(name: str, sentence: str) -> dict[str, Any]:
    return Page(name, "", []).as_json() | {"problem": sentence}


def told(runs: RunList, name: str, summary: Summary) -> dict[str, Any]:
    """The page of a run, or the one sentence that says why there is none."""
    row: Row = runs.row(name, summary)
    try:
        made = problem_page(name, row.problem) if row.state == DAMAGED else None
        with interpreting(summary.run.address):
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
        with interpreting(run.address):
            game = next(islice(read_recorded(run, step), number - 1, number))
    except UserError as error:
        raise Refused(runs.without_addresses(str(error))) from None
    return {"run": name, "step": step, "game": number, "games": games, "text": game.to_text()}


def league_told(runs: RunList, name: str) -> str:
    """The league that ships, unless a tournament of the folder is named."""
    try:
        with interpreting(name):
            field = field_of_run(runs.find(name).run) if name else shipped()
            page = league_page(field).as_json()
    except UserError as error:
        raise Refused(runs.without_addresses(str(error))) from None
    tournaments = [row.name for row in runs.every() if row.kind == "tournament"]
    return json.dumps(page | {"run": name, "tournaments": tournaments})
