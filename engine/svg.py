"""The picture of a position, as SVG. A piece is a prism seen from slightly above, with a hollow in
its top unless it is solid; the digit beside it is its name."""

from collections.abc import Collection

from engine.lines import CELLS, PIECES
from engine.position import NONE, Position

CELL, LEFT, TOP = 92, 46, 46
SIDE = 4 * CELL
WIDTH, HEIGHT = LEFT + SIDE + 400, TOP + SIDE + 26
# heights of a piece, and the half axes of its top
HIGH, LOW, WIDE, FLAT = 46, 20, 24, 14
# top, light side, dark side, hollow
COLOURED = ("#d9694a", "#b84c31", "#96381f", "#5f2112")
PLAIN = ("#f3e3c0", "#d9c193", "#bea371", "#84693d")


def board_svg(position: Position, marked: Collection[int] = ()) -> str:
    """Return a picture of the board, the piece in hand and the pool, with `marked` cells green."""
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    board = f'x="{LEFT - 6}" y="{TOP - 6}" width="{SIDE + 12}" height="{SIDE + 12}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {size}>',
        f"<title>{position.to_text()}</title>",
        f'<rect {size} rx="16" fill="#3b2a20"/><rect {board} rx="10" fill="#6b4a33"/>',
    ]
    for i in range(4):
        parts.append(_text(LEFT + (i + 0.5) * CELL, TOP - 16, str(i + 1)))
        parts.append(_text(LEFT - 24, TOP + (i + 0.5) * CELL + 5, "abcd"[i]))
    for cell in range(CELLS):
        colours = ("#4f6a43", "#8fd08a") if cell in marked else ("#5a3d2a", "#9b7452")
        x, y = LEFT + (cell % 4 + 0.5) * CELL, TOP + (cell // 4 + 0.5) * CELL
        parts.append(_place(x, y, *colours) + piece_svg(position.piece_at(cell), x, y + 14))
    right = LEFT + SIDE + 204
    parts.append(_text(right, TOP + 4, "in hand") + _place(right, TOP + 58, "#5a3d2a", "#e9c46a"))
    parts.append(piece_svg(position.hand, right, TOP + 72))
    pool = [piece for piece in range(16) if position.pool >> piece & 1]
    parts.append(_text(right, TOP + 130, "pool"))
    for i, piece in enumerate(pool):
        parts.append(piece_svg(piece, right + 62 * (i % 6 - 2.5), TOP + 198 + 84 * (i // 6)))
    return "\n".join([*parts, "</svg>", ""])


def piece_symbols() -> str:
    """Return all pieces as groups `p0` to `pf`, to be drawn with `<use>`."""
    drawn = ((f"p{piece:x}", piece_svg(piece, named=False)) for piece in range(PIECES))
    return "".join(svg.replace("<g>", f'<g id="{name}">', 1) for name, svg in drawn)


def piece_svg(piece: int, x: float = 0, y: float = 0, named: bool = True) -> str:
    """Return a piece on a base centred at (x, y), with its digit beside it if `named`."""
    if piece == NONE:
        return ""
    top, light, dark, hole = COLOURED if piece & 4 else PLAIN
    up, left, right = y - (HIGH if piece & 8 else LOW), x - WIDE, x + WIDE
    parts = [_ellipse(x + 3, y + 3, 1.2, "#000000", ' fill-opacity="0.22"')]
    if piece & 1:
        parts.append(_polygon([(left, up), (x, up + FLAT), (x, y + FLAT), (left, y)], light))
        parts.append(_polygon([(right, up), (x, up + FLAT), (x, y + FLAT), (right, y)], dark))
    else:
        parts.append(_ellipse(x, y, 1, light))
        parts.append(_polygon([(left, up), (right, up), (right, y), (left, y)], light))
        # the right half in shade
        parts.append(
            f'<path d="M{x + 6:g},{up:g} L{right:g},{up:g} L{right:g},{y:g} '
            f'A{WIDE},{FLAT} 0 0 1 {x + 6:g},{y + FLAT - 0.5:g} Z" fill="{dark}"/>'
        )
    lid = _rhombus if piece & 1 else _ellipse
    parts.append(lid(x, up, 1, top) + ("" if piece & 2 else lid(x, up, 0.52, hole)))
    parts.append(_text(right + 4, y + FLAT + 4, f"{piece:x}") if named else "")
    return f"<g>{''.join(parts)}</g>"


def _place(x: float, y: float, fill: str, ring: str) -> str:
    style = f'r="40" fill="{fill}" stroke="{ring}" stroke-width="3"'
    return f'<circle cx="{x:g}" cy="{y:g}" {style}/>'


def _polygon(points: list[tuple[float, float]], colour: str) -> str:
    corners = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _rhombus(x: float, y: float, scale: float, colour: str) -> str:
    wide, flat = scale * WIDE, scale * FLAT
    return _polygon([(x - wide, y), (x, y - flat), (x + wide, y), (x, y + flat)], colour)


def _ellipse(x: float, y: float, scale: float, colour: str, style: str = "") -> str:
    half = f'rx="{scale * WIDE:g}" ry="{scale * FLAT:g}"'
    return f'<ellipse cx="{x:g}" cy="{y:g}" {half} fill="{colour}"{style}/>'


def _text(x: float, y: float, words: str) -> str:
    style = 'font-family="sans-serif" font-size="15" fill="#e9dfcf" text-anchor="middle"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{words}</text>'
