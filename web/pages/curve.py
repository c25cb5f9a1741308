"""The learning curve on the pages of runs: a table, right turns by stage, points by opponent."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arena.statistics import wilson
from oracle.curve import LADDER, Point
from web.pages.page import Section
from web.pages.palette import go, lay_out, mark


class Axis(NamedTuple):
    """What a point is drawn over, and what it is called in the table."""

    title: str
    # from a point's number
    place: Callable[[int], int]


def called(name: str) -> str:
    """One of the ladder, with its Elo."""
    return f"{name.partition(':')[0]} {LADDER[name]:+d}" if name in LADDER else name


def curve_sections(points: list[Point], axis: Axis) -> list[Section]:
    """None while nothing has been measured."""
    if not points:
        return []
    ladder = "Points in percent against five players, with their Elo; a draw is half a point."
    oracle = "Positions of the test set in which something is at stake, by pieces on the board; all"
    oracle += " together with 95 % intervals."
    return [
        Section("The learning curve", curve_rows(points, axis), text=ladder),
        Section("Right turns, by the oracle", figure=turns_figure(points, axis), text=oracle),
        Section("Points against the ladder", figure=ladder_figure(points, axis)),
    ]


def curve_rows(points: list[Point], axis: Axis) -> list[list[str]]:
    players = list(points[0].ladder)
    rows = [[axis.title, "right turns, %", "95 %", *map(called, players)]]
    for point in points:
        right, of = point.right
        low, high = wilson(right, of)
        shares = [f"{100 * won / games:.1f}" for won, games in point.ladder.values()]
        sure = f"{100 * low:.1f} .. {100 * high:.1f}"
        rows.append([f"{axis.place(point.number):,}", f"{100 * right / of:.1f}", sure, *shares])
    return rows


def add_line(figure: Any, name: str, number: int, x: list[int], counts: list, sure: bool) -> None:
    """Shares in percent, with their 95 % intervals if wanted."""
    share = np.array([100 * good / of for good, of in counts])
    low, high = 100 * np.array([wilson(*count) for count in counts]).T
    errors = {"type": "data", "array": high - share, "arrayminus": share - low} if sure else None
    hover = f"{name}: %{{y:.1f}} %<extra></extra>"
    line = go.Scatter(x=x, y=share, name=name, error_y=errors, mode="lines+markers", **mark(number))
    figure.add_trace(line.update(hovertemplate=hover))


def turns_figure(points: list[Point], axis: Axis) -> Any:
    figure, x = go.Figure(), [axis.place(point.number) for point in points]
    add_line(figure, "all", 0, x, [point.right for point in points], True)
    for number, placed in enumerate(points[0].turns, 1):
        counts = [point.turns[placed] for point in points]
        add_line(figure, f"{placed} pieces", number, x, counts, False)
    return lay_out(figure, axis.title, "right turns, %")


def ladder_figure(points: list[Point], axis: Axis) -> Any:
    figure, x = go.Figure(), [axis.place(point.number) for point in points]
    for number, name in enumerate(points[0].ladder):
        add_line(figure, called(name), number, x, [point.ladder[name] for point in points], True)
    return lay_out(figure, axis.title, "points, %")
