"""Players as the play page offers them: levels from easy to perfect, and all players with their
measured strength."""

from typing import Any

from arena.published import MATCHES
from arena.statistics import interval_text
from oracle.measure_accuracy import text_rows, whole
from web.league import Field, shipped
from web.pages.page import Section
from web.roster import Roster

# weakest first, about 250 Elo apart
LEVELS = {
    "random": ("Random", "plays anything"),
    "rulebased": ("Beginner", "wins if it can, gives safely if it can"),
    "frontier": ("Casual", "looks at what pieces share, searches late"),
    "pro": ("Club", "looks ahead, deeper towards the end"),
    "evolved": ("Expert", "weights found by evolution, one turn ahead"),
    "perfect": ("Perfect", "never gives anything away, and sets traps"),
}
SOURCE = "Elo of the league that ships: all pairs of players, from drawn openings; random has 0"


def strength(field: Field, name: str) -> dict[str, Any]:
    """Return what was measured: Elo with its interval, right turns in percent, microseconds."""
    measured: dict[str, Any] = {}
    for row in field.standings.elo:
        if row.player == name:
            measured |= {"elo": round(row.elo), "low": round(row.low), "high": round(row.high)}
    if name in field.accuracy:
        count = whole(field.accuracy[name], "turn")
        measured["right"] = round(100 * count.right / count.of, 1)
    if name in field.seconds:
        measured["microseconds"] = round(1e6 * field.seconds[name], 2)
    return measured


def levels(roster: Roster) -> dict[str, Any]:
    field = shipped()
    levels = [
        {"player": name, "level": level, "about": about} | strength(field, name)
        for name, (level, about) in LEVELS.items()
    ]
    players = [roster.describe(name) | strength(field, name) for name in roster.names()]
    return {"levels": levels, "players": players, "source": SOURCE, "made_by": field.made_by}


def player_page(roster: Roster, name: str) -> dict[str, Any]:
    by_name = {listed.lower(): listed for listed in roster.names()}
    if name.lower() not in by_name:
        raise roster.no_player(name)
    name, field = by_name[name.lower()], shipped()
    sections = []
    if name in field.accuracy:
        rows = text_rows({name: field.accuracy[name]})
        turns = "Decisions that keep the exact value, in percent, where something is at stake."
        sections.append(Section("Accuracy by stage", rows, text=turns))
    if name in field.standings.players:
        sections.append(Section("Against all players", pair_rows(field, name)))
    if rows := published_rows(name):
        wins = "Wins of the first player in percent; reproduced: with the report's own code."
        sections.append(Section("Published", rows, text=wins))
    page = {"source": SOURCE, "sections": [section.as_json() for section in sections]}
    return roster.describe(name) | strength(field, name) | page


def pair_rows(field: Field, name: str) -> list[list[str]]:
    """The matches of a player in the league, strongest opponent first."""
    rows = [["against", "points, %", "95 %", "wins", "draws", "losses"]]
    for other in field.standings.ranked:
        if score := field.standings.both_ways.get((name, other)):
            bounds = interval_text(score.wins + score.draws / 2, score.games)
            rows.append([other, f"{100 * score.points:.1f}", bounds, *map(str, score.totals)])
    return rows


def published_rows(name: str) -> list[list[str]]:
    rows = [["first", "second", "published, %", "95 %", "reproduced"]]
    for first, second, wins, games, again, _ in MATCHES:
        if name in (first.partition(":")[0], second.partition(":")[0]):
            share = "" if wins is None else f"{100 * wins / games:.1f}"
            rows.append([first, second, share, interval_text(wins, games) if wins else "", again])
    return rows if len(rows) > 1 else []
