"""The look of all figures: distinguishable colours, symbols and dashes, lines with error bands, and
a layout for light and dark pages."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from arena.statistics import wilson

# 24 colours at least 20 apart in CIE Lab, which colour-blind readers can distinguish, too, with a
# contrast of at least 2 to a light page and 3 to a dark one, where thin lines are harder to see.
# tests/web/pages/test_palette.py measures this.
COLOURS = (
    *("#1f7ac2", "#c2661f", "#00cc99", "#cc297a", "#e099ff", "#7a7a52", "#008f99", "#99c252"),
    *("#b8add6", "#ff8585", "#995299", "#c23d3d", "#667085", "#e070ad", "#a36670", "#3d7a3d"),
    *("#7a7ae0", "#c28f5c", "#14adeb", "#c29929", "#a3b8b8", "#8f660a", "#857ab8", "#8f8f33"),
)
# For readers who see no colours: two lines with the same symbol have very different colours.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
# From loss over draw to win; orange and blue also differ for colour-blind readers.
SCALE = ((0.0, "#b4500f"), (0.5, "#d9d2c5"), (1.0, "#0b5e9c"))
MOST_TICKS = 12
ON_DEMAND = {"visible": "legendonly"}  # of a line that is drawn when its name is chosen
GREY, GRID = "#8a8178", "rgba(138,129,120,0.28)"
AXIS = {"gridcolor": GRID, "zerolinecolor": GRID, "automargin": True}
LAYOUT = {
    "template": "none",
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "font": {"color": GREY, "family": "system-ui, sans-serif", "size": 13},
    "margin": {"l": 60, "r": 16, "t": 16, "b": 48},
    # the page shows the legend below the figure, where it covers nothing
    "showlegend": False,
    "hovermode": "closest",
    "height": 380,
    "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": GREY},
}


def new_figure(
    x: str | None = None, y: str | None = None, steps: Sequence[int] = (), **layout: Any
) -> Any:
    """Return an empty figure with these titles of its axes. `steps`: whole numbers on the x axis,
    which has no ticks between them."""
    prepare_plotly()
    # plotly takes half a second to import
    from plotly.graph_objects import Figure

    figure = lay_out(Figure(), **layout).update_xaxes(title_text=x).update_yaxes(title_text=y)
    return whole_ticks(figure, steps)


@cache
def prepare_plotly() -> None:
    """Import pandas if it is installed. pyarrow imports it at some time, and while it does so in
    another thread, plotly fails at the half-imported module."""
    with suppress(ImportError):
        import_module("pandas")


def whole_ticks(figure: Any, steps: Sequence[int]) -> Any:
    few = len(steps) and max(steps) <= MOST_TICKS
    return figure.update_xaxes(dtick=1) if few else figure


def mark(number: int) -> dict[str, Any]:
    """Return colour, symbol and dash of a line."""
    colour = COLOURS[number % len(COLOURS)]
    return {
        "line": {"color": colour, "dash": DASHES[number // 8 % len(DASHES)], "width": 2},
        "marker": {"color": colour, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 7},
    }


def add_line(figure: Any, number: int, x: Any, y: Any, name: str, hover: str, **more: Any) -> None:
    """Add a line in the style of its number; `hover` is a template for its points."""
    style = {"mode": "lines", "hovertemplate": f"{hover}<extra></extra>"} | mark(number)
    figure.add_scatter(x=x, y=y, name=name, **(style | more))


def add_shares(figure: Any, number: int, x: Any, counts: Sequence, **more: Any) -> None:
    """Add a line of shares in percent with 95 % intervals; `counts` are pairs (hits, total)."""
    share = np.array([100 * hits / total for hits, total in counts])
    low, high = 100 * np.array([wilson(*count) for count in counts]).T
    errors = {"type": "data", "array": high - share, "arrayminus": share - low, "width": 2}
    style = {"mode": "lines+markers", "error_y": errors}
    add_line(figure, number, x, share, **(style | more))


def shares_figure(
    x: Any, axes: tuple[str, str], lines: Mapping[str, Sequence], shown: Sequence[str] = ()
) -> Any:
    """Return a figure with a line of shares for each name. `x`: whole numbers; `axes`: titles of
    both axes; `shown`: names of the lines that are shown at first, all if it is empty."""
    figure = new_figure(*axes, x)
    for number, (name, counts) in enumerate(lines.items()):
        more = {} if not shown or name in shown else ON_DEMAND
        hover = f"{name}: %{{y:.1f}} %"
        add_shares(figure, number, x, counts, name=name, hover=hover, **more)
    return figure


def add_band(figure: Any, number: int, x: Any, low: Any, high: Any, name: str) -> None:
    """Add the area between two curves in a pale version of a line's colour. `name`: of the line
    with which it is shown and hidden."""
    colour = COLOURS[number % len(COLOURS)]
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    figure.add_scatter(
        x=[*x, *x[::-1]],
        y=[*high, *low[::-1]],
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.18)",
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        legendgroup=name,
    )


def stack(curves: dict[str, Any], x: Any, axis: str) -> Any:
    """Return a figure with a row for each curve, all over the same axis."""
    prepare_plotly()
    from plotly.subplots import make_subplots

    gap = 0.22 / len(curves)
    figure = make_subplots(
        len(curves), 1, shared_xaxes=True, subplot_titles=list(curves), vertical_spacing=gap
    )
    for row, y in enumerate(curves.values(), 1):
        line = {"color": COLOURS[row - 1], "width": 2}
        figure.add_scatter(x=x, y=y, mode="lines", line=line, row=row, col=1)
    margin = {"l": 60, "r": 16, "t": 36, "b": 48}
    lay_out(figure, height=80 + 160 * len(curves), margin=margin)
    return whole_ticks(figure, x).update_xaxes(title_text=axis, row=len(curves))


def lay_out(figure: Any, **more: Any) -> Any:
    """Give a figure the common layout and return it."""
    return figure.update_xaxes(AXIS).update_yaxes(AXIS).update_layout(LAYOUT | more)
