"""The figures of what was learned."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.outcomes import Results
from web.pages.palette import COLOURS, go, lay_out, subplots

# what is measured of a reward: title, unit, and by what it is multiplied
REWARD_FIGURES = {
    "error": ("Mean squared error", "points squared", 1),
    "signs": ("Right signs of won and lost positions", "%", 100),
    "nearest": ("Nearest value right", "%", 100),
}


def course_figure(curve: list[dict]) -> Any:
    lines = {
        "Decisions by chance, %": 100 * column(curve, "explore"),
        "By own results, %": 100 * column(curve, "exact"),
        "Games/s": column(curve, "games") / np.maximum(column(curve, "seconds"), 1e-3),
    }
    figure = subplots.make_subplots(rows=len(lines), shared_xaxes=True, subplot_titles=tuple(lines))
    for number, ys in enumerate(lines.values(), 1):
        line = {"color": COLOURS[number - 1], "width": 2}
        one = go.Scatter(x=column(curve, "games_so_far"), y=ys, line=line)
        figure.add_trace(one, row=number, col=1)
    margin = {"l": 60, "r": 16, "t": 36, "b": 48}
    lay_out(figure, height=620, showlegend=False, margin=margin)
    return figure.update_xaxes(title_text="games of self-play", row=len(lines))


def column(curve: list[dict], name: str) -> np.ndarray:
    return np.array([row[name] for row in curve])


def visits_figure(results: Results) -> Any:
    """Positions of the table by how often they were met."""
    bounds = 2 ** np.arange(0, 24)
    counts = [int(((results.visits >= low) & (results.visits < 2 * low)).sum()) for low in bounds]
    last = max((i for i, n in enumerate(counts) if n), default=0) + 1
    names = [f"{low:,} to {2 * low - 1:,}" for low in bounds[:last]]
    figure = go.Figure(go.Bar(x=names, y=counts[:last], marker={"color": COLOURS[0]}))
    lay_out(figure, "times met", "positions")
    return figure.update_yaxes(type="log", dtick=1)


def reward_figures(judged: dict[int, dict]) -> Iterator[tuple[str, Any]]:
    """(title, figure)."""
    for name, (title, unit, scale) in REWARD_FIGURES.items():
        figure = go.Figure()
        for number, rows in enumerate(next(iter(judged.values()))):
            ys = [of_stage[rows][name] for of_stage in judged.values()]
            scaled = [None if y is None else scale * y for y in ys]
            colour = {"color": COLOURS[number]}
            figure.add_bar(x=list(judged), y=scaled, name=rows, marker=colour)
        yield f"{title}, on positions for validation", lay_out(figure, "pieces on the board", unit)
