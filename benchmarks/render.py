"""Put the stored results into the pages.

A table stands between `<!-- results: NAME/TABLE -->` and `<!-- end -->`. A block of text is
replaced. In a Markdown table the columns that the result has, too, are filled in by the first of
them, and the rows take the order of the result. A block whose result is not stored stays as it is.
The league comes from arena/league.json."""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.standings import LEAGUE
from benchmarks.record import FOLDER, ROOT, changed_players
from console.command import command
from console.config import Config
from oracle.measure_accuracy import whole
from web.league import Field, shipped
from web.pages.page import replace_page

PAGES = (
    "README.md",
    *(f"docs/{name}.md" for name in ("analysis", "reports", "results", "strategy")),
)
BLOCK = re.compile(r"(<!-- results: ([\w/-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
EARLIER = "Measured with an earlier version of "
COLUMNS = 120  # of a page
MEASURED = ["result", "measured", "commit", "processor", "cores", "load before", "minutes"]
KINDS = ("turn", "place", "give")

Tables = dict[str, dict[str, Any]]


def league_tables(field: Field) -> Tables:
    """Return Elo, points and accuracy of the players, strongest first."""
    elo = [[*row] for row in field.standings.elo.text]
    accuracy = [["player", *KINDS]]
    elo[0].append("a move")
    for row in elo[1:]:
        row.append(f"{1e6 * field.seconds[row[1]]:.2f} us")
        counts = [whole(field.accuracy[row[1]], kind) for kind in KINDS]
        accuracy.append([row[1], *(f"{100 * count.right / count.of:.1f}" for count in counts)])
    points = field.standings.points.text
    tables = {"elo": ("><", elo), "points": ("<", points), "accuracy": ("<", accuracy)}
    return {
        f"league/{key}": {"align": align, "rows": rows, "players": field.players}
        for key, (align, rows) in tables.items()
    }


def read_tables(folder: Path) -> Tables:
    """Return the stored tables by NAME/TABLE; `measured` lists their files."""
    date = json.loads(LEAGUE.read_text(encoding="utf-8")).get("date", "")
    tables, measured = league_tables(shipped()), [MEASURED, ["league", date, *[""] * 5]]
    for file in sorted(folder.glob("*.json")):
        stored = json.loads(file.read_text(encoding="utf-8"))
        machine = [stored["cpu"], str(stored["cores"]), str(stored["load"])]
        minutes = f"{stored['seconds'] / 60:.1f}"
        measured.append([file.stem, stored["date"], stored["commit"], *machine, minutes])
        tables |= {f"{file.stem}/{key}": table for key, table in stored["tables"].items()}
    tables["measured"] = {"align": "<<<<", "rows": measured}
    return tables


def as_text(table: dict[str, Any]) -> str:
    """Return a block with aligned columns: to the right, unless `align` has a "<" for a column."""
    widths = [max(map(len, column)) for column in zip(*table["rows"], strict=True)]
    lines = [table["title"]] if table.get("title") else []
    for row in table["rows"]:
        sides = table["align"].ljust(len(row), ">")
        cells = zip(row, sides, widths, strict=True)
        lines.append("  ".join(f"{cell:{side}{width}}" for cell, side, width in cells).rstrip())
    return "\n".join(["```text", *lines, "```\n"])


def as_markdown(old: str, table: dict[str, Any]) -> str:
    """Return the Markdown table with the figures of the result."""
    lines = [line for line in old.splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    names, *results = table["rows"]
    key, *columns = (name for name in head if name in names)
    data = {row[names.index(key)]: row for row in results}

    def result_of(row: list[str]) -> str:
        return row[head.index(key)].replace("`", "")

    for row in rows:
        for name in columns if result_of(row) in data else ():
            row[head.index(name)] = data[result_of(row)][names.index(name)]
    order = [*data, *map(result_of, rows)]
    rows.sort(key=lambda row: order.index(result_of(row)))
    return "".join(f"{line}\n" for line in [*lines[:2], *(f"| {' | '.join(r)} |" for r in rows)])


def fill(page: str, tables: Tables) -> str:
    """Return the page with the stored tables."""

    def filled(match: re.Match) -> str:
        begin, name, old, end = match.groups()
        if name not in tables:
            return match[0]
        table = tables[name]
        text = as_markdown(old, table) if old.startswith("|") else as_text(table)
        changed = [f"`{spec}`" for spec in changed_players(table)]
        note = textwrap.fill(f"{EARLIER}{', '.join(changed)}.", COLUMNS) if changed else ""
        return begin + text + (f"\n{note}\n" if note else "") + end

    return BLOCK.sub(filled, page)


def unmeasured(page: str, tables: Tables) -> Iterator[str]:
    """Yield the tables of a page that are not stored."""
    return (match[2] for match in BLOCK.finditer(page) if match[2] not in tables)


def work(config: Config) -> None:
    tables = read_tables(FOLDER)
    for name in PAGES:
        before = (ROOT / name).read_text(encoding="utf-8")
        after = fill(before, tables)
        if after != before:
            replace_page(ROOT / name, after)
        missing = ", ".join(unmeasured(before, tables))
        state = "filled in" if after != before else "as before"
        print(f"{name}: {state}{f'; not measured yet: {missing}' if missing else ''}")


main = command("benchmarks.render", __name__, __doc__, Config, work)
