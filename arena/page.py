"""A page of plots: one HTML file with everything in it."""

import html
from pathlib import Path

from arena.options import BadInput

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>{refresh}
<style>body {{ font-family: sans-serif; margin: 2em auto; max-width: 1200px; }} p {{ color: #555; }}</style>
</head><body><h1>{title}</h1><p>{about}</p>
{plots}
</body></html>
"""


def figure_page(title: str, about: str, figures: list, refresh: float | None = None) -> str:
    """The plotting library's own script goes into the page once, so it opens without a network. `refresh`: seconds after which it is read again."""
    plots = [figure.to_html(full_html=False, include_plotlyjs=i == 0) for i, figure in enumerate(figures)]
    again = f'<meta http-equiv="refresh" content="{refresh:g}">' if refresh else ""
    return PAGE.format(title=html.escape(title), about=html.escape(about), plots="\n".join(plots), refresh=again)


def write_page(out: Path, page: str) -> Path:
    try:
        out.write_text(page)
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror}") from None
    return out
