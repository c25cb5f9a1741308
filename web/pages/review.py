"""A reviewed game as a page to step through: review.html with the game and the pieces in it. One
file that opens offline; nothing is built."""

import html
import json
import re
from pathlib import Path
from typing import Any

from engine.lines import PIECES
from engine.svg import piece_svg

TEMPLATE = Path(__file__).with_name("review.html")


def review_page(told: dict[str, Any]) -> str:
    """Of what `report` (review.py) tells."""
    first, second = told["players"]
    # the page writes their names itself, as large as there is room for
    drawn = {f"p{piece:x}": piece_svg(piece, named=False) for piece in range(PIECES)}
    pieces = [svg.replace("<g>", f'<g id="{name}">') for name, svg in drawn.items()]
    parts = {
        "title": html.escape(f"{first} against {second}"),
        "pieces": "\n".join(pieces),
        # inside a script a `<` could end it
        "data": json.dumps(told).replace("<", "\\u003c"),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], text)
