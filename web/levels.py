"""The players as the page offers them: levels from easy to perfect, and everybody with what is
known of their strength."""

from typing import Any

from arena.published import MATCHES
from arena.standings import Rating
from arena.statistics import wilson
from oracle.measure_accuracy import text_rows, whole
from web.league import Field, shipped
from web.pages.page import Section
from web.roster import Roster

# weakest first; by the league, about 250 Elo apart
LEVELS = {
    "random": ("Chance", "plays anything"),
    "rulebased": ("Beginner", "wins if it can, gives safely if it can"),
    "frontier": ("Casual", "looks at what pieces share, searches late"),
    "pro": ("Club", "looks ahead, deeper towards the end"),
    "evolved": ("Expert", "weights found by evolution, one turn ahead"),
    "perfect": ("Perfect", "never gives anything away, and sets traps"),
}
SOURCE = "Elo of the league that ships: 1,000 games a pair of all players, mean 0"


def rating_told(rating: Rating | None) -> dict[str, Any]:
    if rating is None:
        return {}
    return {"elo": round(rating.elo), "low": round(rating.low), "high": round(rating.high)}


def strength(field: Field, name: str) -> dict[str, Any]:
    """Elo, right turns in percent and microseconds a move, of those who took part."""
    rating = next((row for row in field.standings.elo if row.player == name), None)
    told = rating_told(rating)
    if name in field.accuracy:
        count = whole(field.accuracy[name], "turn")
        told["right"] = round(100 * count.right / count.of, 1)
    if name in field.seconds:
        told["microseconds"] = round(1e6 * field.seconds[name], 2)
    return told


def levels_told(roster: Roster) -> dict[str, Any]:
    field = shipped()
    levels = [
        {"player": name, "level": level, "about": about} | strength(field, name)
        for name, (level, about) in LEVELS.items()
    ]
    players = [roster.told(name) | strength(field, name) for name in roster.names()]
    return {"levels": levels, "players": players, "source": SOURCE, "made_by": field.made_by}


def player_told(roster: Roster, name: str) -> dict[str, Any]:
    """All of one player: who it is, what was published of it, what was measured."""
    named = {one.lower(): one for one in roster.names()}
    if name.lower() not in named:
        raise roster.no_player(name)
    name, field = named[name.lower()], shipped()
    sections = []
    if name in field.accuracy:
        rows = text_rows({name: field.accuracy[name]})
        turns = "Decisions that keep the exact value, in percent, where something is at stake."
        sections.append(Section("Accuracy by stage", rows, text=turns))
    if name in field.standings.players:
        sections.append(Section("Against everybody", pair_rows(field, name)))
    if rows := published_rows(name):
        wins = "Wins of the first player in percent; run again: the report's own code."
        sections.append(Section("Published", rows, text=wins))
    return (
        roster.told(name)
        | strength(field, name)
        | {"source": SOURCE, "sections": [section.as_json() for section in sections]}
    )


def pair_rows(field: Field, name: str) -> list[list[str]]:
    """Its matches in the league, strongest opponent first."""
    rows = [["against", "points, %", "95 %", "wins", "draws", "losses"]]
    for other in field.standings.ranked:
        score = field.standings.both_ways.get((name, other))
        if score:
            low, high = wilson(score.wins + score.draws / 2, score.games)
            interval = f"{100 * low:.1f} .. {100 * high:.1f}"
            rows.append([other, f"{100 * score.points:.1f}", interval, *map(str, score.totals)])
    return rows


def published_rows(name: str) -> list[list[str]]:
    """What the report of a player says of it."""
    rows = [["first", "second", "published, %", "95 %", "run again"]]
    for first, second, wins, of, again, _ in MATCHES:
        if name not in (first.partition(":")[0], second.partition(":")[0]):
            continue
        share, interval = "", ""
        if wins is not None:
            low, high = wilson(wins, of)
            share, interval = f"{100 * wins / of:.1f}", f"{100 * low:.1f} .. {100 * high:.1f}"
        rows.append([first, second, share, interval, again])
    return rows if len(rows) > 1 else []
