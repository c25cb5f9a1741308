"""A reviewed game as a page to step through: one file that opens offline, made of the style sheet
and the modules that the server's review page uses."""

import html
import json
import re
from pathlib import Path
from typing import Any

from engine.svg import piece_symbols
from web.pages.page import fill

STATIC = Path(__file__).parents[1] / "static"
# In the order of their imports: an inline script has no modules to import from.
MODULES = ("dom", "position", "board", "table", "review_view")
IMPORT = re.compile(r'^import .* from "/static/(\w+)\.js";\n', re.MULTILINE)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
{{style}}
</style>
</head>
<body class="review">
<main id="main">
{{view}}
</main>
<p id="spoken" class="unseen" aria-live="polite"></p>
<svg width="0" height="0" class="defs" aria-hidden="true"><defs>{{pieces}}</defs></svg>
<script type="application/json" id="data">{{data}}</script>
<script type="module">
{{script}}
showReview(JSON.parse($("data").textContent));
</script>
</body>
</html>
"""


def bundled(modules: tuple[str, ...]) -> str:
    """Return the modules as one script; raise ValueError if one imports a module that is not
    before it."""
    texts: list[str] = []
    for i, name in enumerate(modules):
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        missing = set(IMPORT.findall(text)) - set(modules[:i])
        if missing:
            raise ValueError(f"{name}.js imports {', '.join(sorted(missing))}")
        texts.append(re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE))
    return "\n".join(texts)


def review_page(reviewed: dict[str, Any]) -> str:
    """Return the page of a reviewed game (`report` of oracle/review.py)."""
    first, second = reviewed["players"]
    parts = {
        "title": html.escape(f"{first} against {second}"),
        "style": (STATIC / "style.css").read_text(encoding="utf-8"),
        "view": (STATIC / "review_view.html").read_text(encoding="utf-8"),
        "pieces": piece_symbols(),
        # inside a script a `<` could end it
        "data": json.dumps(reviewed).replace("<", "\\u003c"),
        "script": bundled(MODULES),
    }
    return fill(PAGE, parts)
