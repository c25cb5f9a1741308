"""The learning curve on the pages of runs: right turns by stage and points against the ladder."""

from typing import Any

from arena.statistics import interval_text
from oracle.curve import league_elo
from store.curve import Point
from web.pages.page import Section
from web.pages.palette import add_shares, new_figure


def label(player: str) -> str:
    """Return the name of a player, with its Elo in the league that ships if it takes part."""
    elo = league_elo(player)
    return player if elo is None else f"{player} {elo:+d}"


def curve_sections(points: list[Point], x: list[int], title: str) -> list[Section]:
    """Return the table and the figures of a learning curve; none without points. `x`: the places of
    the points on the x axis; `title`: of the axis."""
    if not points:
        return []
    ladder = "Points in percent against five players, with their Elo; a draw is half a point."
    oracle = "Positions of the test set in which something is at stake, by pieces on the board; all"
    oracle += " together with 95 % intervals."
    return [
        Section("Learning curve", curve_rows(points, x, title), text=ladder),
        Section("Right turns, by the oracle", figure=turns_figure(points, x, title), text=oracle),
        Section("Points against the ladder", figure=ladder_figure(points, x, title)),
    ]


def curve_rows(points: list[Point], x: list[int], title: str) -> list[list[str]]:
    rows = [[title, "right turns, %", "95 %", *map(label, points[0].ladder)]]
    for place, point in zip(x, points, strict=True):
        right, total = point.right
        counts = [(right, total), *point.ladder.values()]
        share, *shares = [f"{100 * hits / games:.1f}" for hits, games in counts]
        rows.append([f"{place:,}", share, interval_text(right, total), *shares])
    return rows


def named(name: str) -> dict[str, str]:
    return {"name": name, "hover": f"{name}: %{{y:.1f}} %"}


def turns_figure(points: list[Point], x: list[int], title: str) -> Any:
    figure = new_figure(title, "right turns, %")
    add_shares(figure, 0, x, [point.right for point in points], **named("all"))
    for number, placed in enumerate(points[0].turns, 1):
        counts = [point.turns[placed] for point in points]
        add_shares(figure, number, x, counts, error_y=None, **named(f"{placed} pieces"))
    return figure


def ladder_figure(points: list[Point], x: list[int], title: str) -> Any:
    figure = new_figure(title, "points, %")
    for number, player in enumerate(points[0].ladder):
        counts = [point.ladder[player] for point in points]
        add_shares(figure, number, x, counts, **named(label(player)))
    return figure
