"""Single HTML files that open offline, made of the server's style sheet and modules."""

import html
import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

from engine.svg import piece_symbols

STATIC = Path(__file__).parents[1] / "static"
TEMPLATE = Path(__file__).with_name("offline.html")
IMPORT = re.compile(r'^import .* from "/static/(\w+)\.js";\n', re.MULTILINE)
PLACE = re.compile(r"\{\{(\w+)\}\}")


def fill(template: str, parts: dict[str, str]) -> str:
    """Return the template with {{name}} replaced, in one pass, since parts may contain braces."""
    return PLACE.sub(lambda match: parts[match[1]], template)


def read_static(file: str) -> str:
    return (STATIC / file).read_text(encoding="utf-8")


def with_imports(name: str) -> list[str]:
    """Return all modules that a module imports, each after its own imports, and the module."""
    imported = map(with_imports, IMPORT.findall(read_static(f"{name}.js")))
    return [*dict.fromkeys(chain.from_iterable(imported)), name]


def bundle(name: str) -> str:
    """Return a module and its imports as one script, since inline scripts cannot import modules."""
    texts = (IMPORT.sub("", read_static(f"{each}.js")) for each in with_imports(name))
    return re.sub(r"^export ", "", "\n".join(texts), flags=re.MULTILINE)


def offline_page(title: str, data: Any, module: str, **parts: str) -> str:
    """Return a page on which `show` of a module shows the data."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    common = {
        "title": html.escape(title),
        "style": read_static("style.css"),
        # `<` could end the script element
        "data": text.replace("<", "\\u003c"),
        "script": bundle(module),
    }
    empty = dict.fromkeys(("name", "refresh", "plotly", "view", "pieces"), "")
    return fill(TEMPLATE.read_text(encoding="utf-8"), empty | common | parts)


def view_page(title: str, data: Any, module: str) -> str:
    """Return a page with the HTML of the same name as the module, in the style of reviews."""
    view = read_static(f"{module}.html")
    return offline_page(title, data, module, view=view, name="review", pieces=piece_symbols())


def review_page(reviewed: dict[str, Any]) -> str:
    """Return the page of a reviewed game (`report` of oracle/review.py)."""
    return view_page(" against ".join(reviewed["players"]), reviewed, "review_view")
