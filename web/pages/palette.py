"""How figures look, on every page: colours that can be told apart, marks beside every colour, and a
layout that lies on a light page and on a dark one."""

import importlib
from typing import Any

# 24 colours, each as far from those before it as can be (CIE Lab, also as the colour-blind see
# them; at least 20 apart), each with a contrast of 2 or more to a light and to a dark page.
# tests/web/pages/test_palette.py measures it.
COLOURS = (
    *("#0a70b8", "#c2661f", "#00cc99", "#a3005c", "#e099ff", "#7a7a52", "#008f99", "#99c252"),
    *("#b8add6", "#ff8585", "#703d85", "#a31f29", "#525c70", "#e070ad", "#a36670", "#1f5c29"),
    *("#7a7ae0", "#c28f5c", "#14adeb", "#c29929", "#adb8b8", "#7a5200", "#857ab8", "#8f8f33"),
)
# Beside the colour, for who sees none: of two lines with the same mark the colours differ most.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
# From loss over draw to win: orange and blue are told apart by everybody.
SCALE = ((0.0, "#b4500f"), (0.5, "#d9d2c5"), (1.0, "#0b5e9c"))
GREY, GRID = "#8a8178", "rgba(138,129,120,0.28)"
CONFIG = {"displaylogo": False, "responsive": True}


class Lazy:
    """A module that is imported when it is first used: plotly takes half a second."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


go: Any = Lazy("plotly.graph_objects")
subplots: Any = Lazy("plotly.subplots")


def mark(number: int) -> dict[str, Any]:
    """Colour, symbol and dash of the line of this number."""
    colour = COLOURS[number % len(COLOURS)]
    return {
        "line": {"color": colour, "dash": DASHES[number // 8 % len(DASHES)], "width": 2},
        "marker": {"color": colour, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 7},
    }


def band(number: int) -> str:
    """The colour of an area around the line of this number."""
    colour = COLOURS[number % len(COLOURS)]
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def lay_out(figure: Any, x: str = "", y: str = "", **more: Any) -> Any:
    """The figure without a title, which stands above it, with these names of its axes."""
    axis = {"gridcolor": GRID, "zerolinecolor": GRID, "automargin": True}
    figure.update_xaxes(**axis).update_yaxes(**axis)
    figure.update_layout(
        **{
            "template": "none",
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"color": GREY, "family": "system-ui, sans-serif", "size": 13},
            "margin": {"l": 60, "r": 16, "t": 16, "b": 48},
            "legend": {"orientation": "h", "y": -0.18},
            "hovermode": "closest",
            "height": 380,
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": GREY},
        }
        | more
    )
    if x:
        figure.update_xaxes(title_text=x)
    if y:
        figure.update_yaxes(title_text=y)
    return figure
