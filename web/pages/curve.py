"""The learning curve on the pages of runs: right turns by stage and points against the ladder."""

from collections.abc import Callable
from typing import Any, NamedTuple

from arena.statistics import wilson
from oracle.curve import LADDER, Point
from web.pages.page import Section
from web.pages.palette import add_shares, go, lay_out


class Axis(NamedTuple):
    """The x axis: its title, and the place of a point by the point's number."""

    title: str
    place: Callable[[int], int]


def label(player: str) -> str:
    """Name of a player, with its Elo if it belongs to the ladder."""
    return f"{player.partition(':')[0]} {LADDER[player]:+d}" if player in LADDER else player


def curve_sections(points: list[Point], axis: Axis) -> list[Section]:
    """Return the table and the figures of a learning curve; none without points."""
    if not points:
        return []
    x = [axis.place(point.number) for point in points]
    ladder = "Points in percent against five players, with their Elo; a draw is half a point."
    oracle = "Positions of the test set in which something is at stake, by pieces on the board; all"
    oracle += " together with 95 % intervals."
    return [
        Section("Learning curve", curve_rows(points, axis), text=ladder),
        Section("Right turns, by the oracle", figure=turns_figure(points, x, axis), text=oracle),
        Section("Points against the ladder", figure=ladder_figure(points, x, axis)),
    ]


def curve_rows(points: list[Point], axis: Axis) -> list[list[str]]:
    rows = [[axis.title, "right turns, %", "95 %", *map(label, points[0].ladder)]]
    for point in points:
        right, total = point.right
        low, high = wilson(right, total)
        shares = [f"{100 * won / games:.1f}" for won, games in point.ladder.values()]
        interval = f"{100 * low:.1f} .. {100 * high:.1f}"
        rows.append(
            [f"{axis.place(point.number):,}", f"{100 * right / total:.1f}", interval, *shares]
        )
    return rows


def named(name: str) -> dict[str, str]:
    return {"name": name, "hover": f"{name}: %{{y:.1f}} %"}


def turns_figure(points: list[Point], x: list[int], axis: Axis) -> Any:
    figure = go.Figure()
    add_shares(figure, 0, x, [point.right for point in points], **named("all"))
    for number, placed in enumerate(points[0].turns, 1):
        counts = [point.turns[placed] for point in points]
        add_shares(figure, number, x, counts, error_y=None, **named(f"{placed} pieces"))
    return lay_out(figure, axis.title, "right turns, %")


def ladder_figure(points: list[Point], x: list[int], axis: Axis) -> Any:
    figure = go.Figure()
    for number, player in enumerate(points[0].ladder):
        counts = [point.ladder[player] for point in points]
        add_shares(figure, number, x, counts, **named(label(player)))
    return lay_out(figure, axis.title, "points, %")
