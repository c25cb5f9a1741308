"""Figures of a tournament and of the league."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.score import Score
from arena.standings import Rating, Standings
from arena.statistics import wilson
from oracle.measure_accuracy import Counts, whole
from web.pages.palette import GREY, SCALE, add_line, add_shares, go, lay_out, mark


def heat_map(standings: Standings) -> Any:
    """Points in percent, row against column, strongest first."""
    names = standings.ranked
    texts = [[hover_text(standings.both_ways.get((a, b))) for b in names] for a in names]
    points = 100 * np.array([row[1:] for row in standings.points])
    colours = {"colorscale": SCALE, "zmin": 0, "zmax": 100, "xgap": 1, "ygap": 1}
    hover = "%{y} against %{x}: %{z:.1f} % of the points<br>%{text}<extra></extra>"
    figure = go.Figure()
    figure.add_heatmap(
        **{"z": points, "x": names, "y": names, "text": texts, "texttemplate": "%{z:.0f}"},
        **colours,
        hovertemplate=hover,
        colorbar={"title": {"text": "points, %"}, "thickness": 12},
    )
    lay_out(figure, height=170 + 30 * len(names))
    figure.update_xaxes(side="top", tickangle=-45)
    return figure.update_yaxes(autorange="reversed")


def hover_text(score: Score | None) -> str:
    if score is None:
        return ""
    wins, draws, losses = score.totals
    low, high = wilson(wins + draws / 2, score.games)
    counts = f"{wins} wins, {draws} draws, {losses} losses of {score.games}"
    return f"{counts}<br>{100 * low:.1f} .. {100 * high:.1f} %"


def elo_figure(elo: Sequence[Rating]) -> Any:
    """Elo with 95 % error bars."""
    weakest_first = list(elo)[::-1]
    names = [row.player for row in weakest_first]
    figure = go.Figure()
    elos = [row.elo for row in weakest_first]
    bars = {"type": "data", "array": [row.high - row.elo for row in weakest_first]}
    hover = "%{y}: %{x:+.0f} Elo (+-%{error_x.array:.0f})"
    add_line(figure, 0, elos, names, "", hover, error_x=bars, mode="markers")
    return lay_out(figure, "Elo, mean 0", height=110 + 26 * len(names))


def accuracy_figure(accuracy: dict[str, Counts]) -> Any:
    """Turns that keep the exact value, where something is at stake, by stage."""
    figure = go.Figure()
    for number, (player, counts) in enumerate(accuracy.items()):
        stages = sorted(placed for kind, placed in counts if kind == "turn")
        turns = [counts["turn", stage] for stage in stages]
        hover = "%{fullData.name}: %{y:.1f} % with %{x} pieces"
        add_shares(figure, number, stages, turns, name=player, hover=hover)
    height = 440 + 8 * len(accuracy)
    return lay_out(figure, "pieces on the board", "right turns, %", height=height)


class Dot(NamedTuple):
    """A player in the figure of the field: its right turns in percent, with their interval."""

    player: str
    microseconds: float
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, player: str, seconds: float, counts: Counts) -> "Dot":
        """Return the dot of a player; `seconds` is the CPU time of a decision."""
        count = whole(counts, "turn")
        low, high = wilson(*count)
        share = count.right / max(count.of, 1)
        return cls(player, 1e6 * seconds, 100 * share, 100 * low, 100 * high)


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of the Pareto front of (time, quality), from the quickest point to the best."""
    best, chosen = -1.0, []
    for i in sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1])):
        if points[i][1] > best:
            best = points[i][1]
            chosen.append(i)
    return chosen


def field_figure(dots: Sequence[Dot], unit: str = "a move") -> Any:
    """Right turns against time, a dot for each player, with the Pareto front."""
    best = [dots[i] for i in front([(dot.microseconds, dot.share) for dot in dots])]
    figure = go.Figure()
    figure.add_scatter(
        x=[dot.microseconds for dot in best],
        y=[dot.share for dot in best],
        mode="lines",
        name="the front: no player is both quicker and better",
        line={"color": GREY, "width": 2, "dash": "dot", "shape": "hv"},
        hoverinfo="skip",
    )
    for number, dot in enumerate(dots):
        errors = {"array": [dot.high - dot.share], "arrayminus": [dot.share - dot.low]}
        figure.add_scatter(
            x=[dot.microseconds],
            y=[dot.share],
            error_y={"type": "data"} | errors,
            mode="markers+text",
            text=[dot.player],
            textposition="top center" if number % 2 else "bottom center",
            name=dot.player,
            showlegend=False,
            marker=mark(number)["marker"] | {"size": 11},
            hovertemplate=f"{dot.player}: %{{y:.1f}} %, %{{x:.2f}} us {unit}<extra></extra>",
        )
    axis = f"{unit}, microseconds of one core (logarithmic)"
    lay_out(figure, axis, "right turns, %", height=520)
    return figure.update_xaxes(type="log", dtick=1, exponentformat="none")
