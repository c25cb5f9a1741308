"""A run as a notebook shows it: the picture of its learning curve, or a table of its steps.

Names in a run may come from strangers, so all text is escaped, and shares that are no percentages
are left out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import escape

from console.table import as_html
from console.typed import printable
from store.curve import Point, read_curve
from store.folder import StoreError
from store.run import Run, interpreting
from store.step_file import prefix_of

MOST_POINTS, MOST_LINES, MOST_TEXT = 200, 8, 28
WIDTH, HEIGHT, LEFT, TOP = 640, 300, 46, 42
PLOT_WIDTH, PLOT_HEIGHT = 400, 214
# dark enough for white, and different for colour-blind readers
COLOURS = ("#0b5e9c", "#c2661f", "#00926e", "#a3005c", "#7a5cb8", "#7a7a52", "#525c70", "#a31f29")
MIDDLE = 'text-anchor="middle"'
INK, SOFT, GRID = "#2b2b2b", "#666666", "#dddddd"
Line = list[tuple[int, float]]  # (number of the point, percent)


def notebook_view(run: Run) -> dict[str, str]:
    """Return what a notebook may show of a run, by media type; text alone if it is damaged."""
    view = {"text/plain": repr(run)}
    with suppress(StoreError), interpreting(run.address):
        if points := read_curve(run):
            view["image/svg+xml"] = curve_svg(points, repr(run).strip("<>"))
        elif steps := run.steps():
            counts = Counter(prefix_of(step).rstrip("-") for step in steps)
            rows = [["step", "count"], *([name, f"{count:,}"] for name, count in counts.items())]
            view["text/html"] = as_html(rows, repr(run).strip("<>"))
    return view


def curve_svg(points: Sequence[Point], title: str) -> str:
    """Return the picture of a learning curve: the share of right turns, and the share of points
    against each player of the ladder."""
    points = points[:: -(-len(points) // MOST_POINTS)]
    lines = lines_of(points)
    first, last = points[0].number, points[-1].number
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {size} '
        'font-family="sans-serif" font-size="12">',
        f'<rect {size} rx="6" fill="#ffffff"/>',
        _text(LEFT, 24, title, INK, 'font-size="14"', 80),
        *_axes(first, last, points[0].unit),
    ]
    for number, (name, line) in enumerate(lines.items()):
        parts += _line(line, first, last, number)
        y = TOP + 8 + 22 * number
        x = LEFT + PLOT_WIDTH + 18
        parts.append(f'<path d="M{x} {y}h18" {_stroke(number)}/>')
        parts.append(_text(x + 24, y + 4, name, INK))
    return "\n".join([*parts, "</svg>", ""])


def lines_of(points: Sequence[Point]) -> dict[str, Line]:
    """Return the lines of the picture by name; each point is (number, percent)."""
    counts = [({"right turns": point.right} | dict(point.ladder), point) for point in points]
    names = list(counts[0][0])[:MOST_LINES]
    lines: dict[str, Line] = {}
    for name in names:
        label = name if name == "right turns" else f"against {name}"
        shares = ((point.number, *of[name]) for of, point in counts if name in of)
        percents = [(number, 100 * hits / games) for number, hits, games in shares if games]
        lines[label] = [(number, share) for number, share in percents if 0 <= share <= 100]
    return lines


def _line(line: Line, first: int, last: int, number: int) -> Iterator[str]:
    """Yield a line and a dot at its end, which is all that shows of a single point."""
    places = [(_x(at, first, last), _y(share)) for at, share in line]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" {_stroke(number)}/>'
    for x, y in places[-1:]:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[number]}"/>'


def _axes(first: int, last: int, unit: str) -> Iterator[str]:
    for percent in range(0, 101, 25):
        y = _y(percent)
        yield f'<path d="M{LEFT} {y:.1f}h{PLOT_WIDTH}" stroke="{GRID}"/>'
        yield _text(LEFT - 6, y + 4, f"{percent} %", SOFT, 'text-anchor="end"')
    below = TOP + PLOT_HEIGHT + 20
    for number in dict.fromkeys((first, last)):
        yield _text(_x(number, first, last), below, f"{number:,}", SOFT, MIDDLE)
    yield _text(LEFT + PLOT_WIDTH / 2, below + 12, unit, SOFT, MIDDLE)


def _x(number: int, first: int, last: int) -> float:
    return LEFT + PLOT_WIDTH * ((number - first) / (last - first) if last != first else 0.5)


def _y(share: float) -> float:
    return TOP + PLOT_HEIGHT * (1 - share / 100)


def _stroke(number: int) -> str:
    return f'stroke="{COLOURS[number]}" stroke-width="{1.6 if number else 3}"'


def _text(x: float, y: float, words: str, fill: str, style: str = "", most: int = MOST_TEXT) -> str:
    short = words if len(words) <= most else f"{words[: most - 1]}…"
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" {style}>{escape(printable(short))}</text>'
