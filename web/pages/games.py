"""The page of many reviewed games: tables, and the most instructive mistakes on their boards."""

from typing import Any

from oracle.summary import facts, tables
from web.pages.offline import view_page
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
    return view_page(title, games_view(summary, title), "summary_view")
