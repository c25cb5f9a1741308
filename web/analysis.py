"""Analyses by the oracle as streams of events: the value of each move, the distance to the win, the
principal variation."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from engine.exact.solver import default_solver, distance_of_best, line_names
from engine.game_text import GameText
from engine.notation import move_name
from engine.position import NONE, Position
from engine.solve import SolveOptions, answer
from oracle.judge import Judged, judge_each
from oracle.review import report
from oracle.summary import MAX_GAMES, Summary
from web.pages.games import games_view

Event = dict[str, Any]


def analysis(position: Position, distance: bool, line: bool) -> Event:
    """Return the complete analysis, as `python -m engine.solve --moves --json` prints it."""
    options = SolveOptions(positions=[], moves=True, distance=distance, line=line)
    return answer(default_solver(), position, options)


def analysis_events(position: Position) -> Iterator[Event]:
    """Yield the analysis step by step: `{"move": "b3", "value": 1}` for each move, then the value,
    distances and the line (docs/web.md)."""
    solver, started = default_solver(), time.perf_counter()
    nodes = solver.nodes
    giving = position.hand == NONE
    yield {"position": position.to_text(), "kind": "give" if giving else "place"}
    values: dict[int, int] = {}
    for move, value in solver.each_value(position):
        values[move] = value
        yield {"move": move_name(position, move), "value": value}
    value = max(values.values()) if values else solver.solve(position)
    best = [move for move in values if values[move] == value]
    only = move_name(position, best[0]) if len(best) == 1 < len(values) else None
    yield {"value": value, "only": only, "over": position.is_over}
    distances: dict[int, int | None] = {}
    for move, distance in solver.each_distance(position, values):
        distances[move] = distance
        if distance:
            yield {"move": move_name(position, move), "distance": distance}
    yield {"distance": distance_of_best(values, distances) if values else None}
    line = line_names(position, solver.best_line(position))
    seconds = round(time.perf_counter() - started, 6)
    yield {"line": line, "nodes": solver.nodes - nodes, "seconds": seconds, "done": True}


def review_events(game: GameText) -> Iterator[Event]:
    """Yield the number of decisions, one event for each judged decision, and the whole review, as
    `python -m oracle.review --json` prints it."""
    decisions: list[Judged] = []
    yield {"decisions": len(game.moves)}
    for decision in judge_each(game):
        decisions.append(decision)
        yield {"judged": len(decisions)}
    yield {"review": report(game, decisions), "done": True}


def summary_events(games: Sequence[GameText], title: str) -> Iterator[Event]:
    """Yield the number of games, one event for each reviewed game, and the page of the first
    MAX_GAMES."""
    summary = Summary()
    summary.is_cut = len(games) > MAX_GAMES
    yield {"games": min(len(games), MAX_GAMES)}
    for game in games[:MAX_GAMES]:
        summary.add(game)
        yield {"reviewed": summary.games}
    yield {"summary": games_view(summary.as_json(), title), "done": True}
