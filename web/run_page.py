"""The pages of runs as JSON text, with the same contents as the offline pages."""

import json
from dataclasses import asdict
from itertools import islice
from typing import Any

from arena.recorded import GAMES, game_steps, read_recorded
from console.errors import UserError
from store.run import understood
from store.summary import Summary, differences
from web.league import field_of_run, league_page, shipped
from web.limits import Refusal
from web.pages.kinds import page_of
from web.pages.page import Page, Section
from web.runs import DAMAGED, RunList


def problem_page(name: str, sentence: str) -> dict[str, Any]:
    return Page(name, "", []).as_json() | {"problem": sentence}


def page_json(runs: RunList, name: str, summary: Summary) -> dict[str, Any]:
    """Return the page of a run, or a page with the problem of a damaged one."""
    row = runs.row(name, summary)
    try:
        page = problem_page(name, row.problem) if row.state == DAMAGED else None
        with understood(summary.run.address):
            page = page or page_of(summary).as_json() | {"problem": ""}
    except UserError as error:
        page = problem_page(name, runs.without_addresses(str(error)))
    matches = [step for step in summary.steps if step.startswith(f"{GAMES}-")]
    # requests name runs as the list does; the commands on the page have the address
    player = page["player"].replace(f":run={summary.run.address}", f":run={name}")
    return page | {"run": asdict(row), "recorded": matches, "player": player}


def runs(runs: RunList) -> str:
    return json.dumps({"runs": [asdict(row) for row in runs.every()]})


def run(runs: RunList, name: str) -> str:
    return json.dumps(page_json(runs, name, runs.find(name)))


def compare(runs: RunList, a: str, b: str) -> str:
    with runs.refusals():
        rows = differences(runs.find(a), runs.find(b))
    section = Section("Differences", [["", a, b], *rows] if rows else None)
    return json.dumps({"a": a, "b": b, "same": not rows, "section": section.as_json()})


def game(runs: RunList, name: str, step: str, number: int) -> str:
    """Return a recorded game; `number` counts from 1."""
    run = runs.find(name).run
    with runs.refusals(), understood(run.address):
        if step not in game_steps(run):
            raise Refusal(f"{name} has no recorded games {step[:60]!r}", 404)
        games = run.read(step).num_rows
        if not 1 <= number <= games:
            raise Refusal(f"{step} of {name} holds {games} games: give 1 to {games}", 404)
        text = next(islice(read_recorded(run, step), number - 1, number)).to_text()
    return json.dumps({"run": name, "step": step, "game": number, "games": games, "text": text})


def league(runs: RunList, name: str) -> str:
    """Return the league that ships, or the tournament of this name as a league."""
    with runs.refusals(), understood(name):
        field = field_of_run(runs.find(name).run) if name else shipped()
        page = league_page(field).as_json()
    tournaments = [row.name for row in runs.every() if row.kind == "tournament"]
    return json.dumps(page | {"run": name, "tournaments": tournaments})
