"""Single HTML files that open offline, made of the server's style sheet and modules."""

import html
import json
import re
from pathlib import Path
from typing import Any

from engine.svg import piece_symbols

STATIC = Path(__file__).parents[1] / "static"
TEMPLATE = Path(__file__).with_name("offline.html")
# In the order of their imports, since an inline script cannot import modules. The last one of each
# page exports `show`.
REVIEW = ("dom", "position", "board", "table", "review_view")
REPORT = ("dom", "chart", "table", "sections", "report")
IMPORT = re.compile(r'^import .* from "/static/(\w+)\.js";\n', re.MULTILINE)
PLACE = re.compile(r"\{\{(\w+)\}\}")


def fill(template: str, parts: dict[str, str]) -> str:
    """Return the template with {{name}} replaced, in one pass, since parts may contain braces."""
    return PLACE.sub(lambda match: parts[match[1]], template)


def bundle(modules: tuple[str, ...]) -> str:
    """Return the modules as one script; raise ValueError if one imports a later one."""
    texts: list[str] = []
    for i, name in enumerate(modules):
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        missing = set(IMPORT.findall(text)) - set(modules[:i])
        if missing:
            raise ValueError(f"{name}.js imports {', '.join(sorted(missing))}")
        texts.append(re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE))
    return "\n".join(texts)


def offline_page(title: str, data: Any, modules: tuple[str, ...], **parts: str) -> str:
    """Return a page on which the last of the modules shows the data."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    common = {
        "title": html.escape(title),
        "style": (STATIC / "style.css").read_text(encoding="utf-8"),
        # `<` could end the script element
        "data": text.replace("<", "\\u003c"),
        "script": bundle(modules),
    }
    empty = dict.fromkeys(("name", "refresh", "plotly", "view", "pieces"), "")
    return fill(TEMPLATE.read_text(encoding="utf-8"), empty | common | parts)


def review_page(reviewed: dict[str, Any]) -> str:
    """Return the page of a reviewed game (`report` of oracle/review.py)."""
    first, second = reviewed["players"]
    view = (STATIC / "review_view.html").read_text(encoding="utf-8")
    title, pieces = f"{first} against {second}", piece_symbols()
    return offline_page(title, reviewed, REVIEW, name="review", view=view, pieces=pieces)
