"""The page of many reviewed games: tables, and the most instructive mistakes on their boards."""

from typing import Any

from engine.svg import piece_symbols
from oracle.summary import facts, tables
from web.pages.offline import offline_page, read_static
from web.pages.page import Section

MORE = "python -m oracle.review --most N takes more"


def games_view(summary: dict[str, Any], title: str) -> dict[str, Any]:
    """Return what `show` of summary_view.js shows."""
    note = f"The first {summary['games']:,} games; {MORE}." if summary["is_cut"] else ""
    sections = [Section(name, rows).as_json() for name, rows in tables(summary).items()]
    parts = {"facts": facts(summary), "sections": sections, "lessons": summary["instructive"]}
    return {"title": title, "note": note} | parts


def games_page(summary: dict[str, Any], title: str) -> str:
    """Return a page that opens offline."""
    view, data = read_static("summary_view.html"), games_view(summary, title)
    parts = {"name": "review", "view": view, "pieces": piece_symbols()}
    return offline_page(title, data, "summary_view", **parts)
