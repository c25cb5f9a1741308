"""The learning curve on the pages of runs: right turns, points against the ladder, and the card of
the player that is measured."""

from collections.abc import Sequence
from typing import Any

from arena.standings import shipped_right_turns
from arena.statistics import interval_text
from oracle.curve import league_elo
from store.curve import Point
from web.pages.page import Bar, Card, Section, play_command
from web.pages.palette import shares_figure

BESIDE = ("random", "rulebased", "pro", "evolved", "perfect")  # known players on a card
SHOWN_STAGES = ("5 pieces", "8 pieces", "12 pieces")  # whose curves are shown at first
RIGHT, LADDER = "Right turns", "Known players"
EXPLAINED = (
    "Right turns: share of the player's turns that keep the exact value, on positions with "
    "something at stake, with its 95 % interval."
)


def label(player: str) -> str:
    """Return the name of a player, with its Elo in the league that ships if it takes part."""
    elo = league_elo(player)
    return player if elo is None else f"{player} (Elo {elo})"


def curve_figures(points: list[Point], x: list[int], title: str) -> dict[str, Any]:
    """Return the figures of a learning curve by name; none without points. `x`: the places of the
    points on the x axis; `title`: of the axis."""
    if not points:
        return {}
    right = {"right turns": [point.right for point in points]}
    ladder = {label(name): [point.ladder[name] for point in points] for name in points[0].ladder}
    return {
        RIGHT: shares_figure(x, (title, "right turns, %"), right),
        LADDER: shares_figure(x, (title, "points, %"), ladder),
    }


def curve_sections(points: list[Point], x: list[int], title: str) -> list[Section]:
    """Return the right turns by number of pieces; none without points."""
    if not points:
        return []
    turns = {f"{n} pieces": [point.turns[n] for point in points] for n in points[0].turns}
    figure = shares_figure(x, (title, "right turns, %"), turns, SHOWN_STAGES)
    text = "Choose more numbers of pieces below the figure."
    return [Section("Right turns by number of pieces", figure=figure, text=text)]


def curve_table(points: list[Point], x: list[int], title: str) -> list[Section]:
    if not points:
        return []
    text = "Points in percent against five players, with their Elo; a draw is half a point."
    return [Section("Learning curve", curve_rows(points, x, title), text=text, folded=True)]


def curve_rows(points: list[Point], x: list[int], title: str) -> list[list[str]]:
    rows = [[title, "right turns, %", "95 %", *map(label, points[0].ladder)]]
    for place, point in zip(x, points, strict=True):
        right, total = point.right
        counts = [(right, total), *point.ladder.values()]
        share, *shares = [f"{100 * hits / games:.1f}" for hits, games in counts]
        rows.append([f"{place:,}", share, interval_text(right, total), *shares])
    return rows


def player_card(title: str, text: str, points: Sequence[Point], player: str) -> Card:
    """Return the card of the player that a run has made so far, beside players of the league."""
    commands = play_command(player)
    if not points:
        return Card(title, text, commands=commands)
    right, total = points[-1].right
    share, known = 100 * right / total, shipped_right_turns()
    own = Bar("this player", share, f"{share:.1f} %", True)
    others = [Bar(name, 100 * known[name], f"{100 * known[name]:.1f} %") for name in BESIDE]
    bars = sorted([own, *others], key=lambda bar: bar.share)
    scale = f"Right turns by the oracle, 95 %: {interval_text(right, total)}"
    return Card(title, text, scale, bars, commands)
