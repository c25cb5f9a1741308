"""The page of a tournament: Elo, the winner's card, heat map, accuracy if it was measured, tables,
and configuration.

The page is made of the stored tables alone. No player is created, so the page of a received run
executes nothing."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.kind import Tournament, number_of_matches, player_words
from arena.round_robin import read_match
from arena.run import TournamentConfig
from arena.score import Score
from arena.standings import Rating, Standings
from arena.statistics import interval_text, wilson
from arena.suite import NO_OPENINGS
from console.errors import BadInput
from console.typed import command_line
from oracle.measure_accuracy import Counts, stored_accuracy, whole
from store import Run
from store.run import ENDING
from web.pages.page import Bar, Card, Page, Section, configuration, not_yet
from web.pages.palette import GREY, ON_DEMAND, SCALE, add_line, add_shares, mark, new_figure

HEAT = "Points in percent, row against column, strongest first"
FEW = 6  # players of the chart by stage that are shown at first
MOST_BARS = 6  # players on the winner's card
HIGH = 380  # pixels of the Elo chart, if the names have room
MANY = 15  # players whose names need a smaller font
RECENT_MATCHES = 5  # whose time gives the time left


def read_standings(run: Run, steps: list[str]) -> Standings:
    matches: dict[tuple[str, str], Score] = {}
    for step in steps:
        first, second, score = read_match(run, step)
        # the rounds of a sequential test are matches of the same pair
        matches[first, second] = matches.get((first, second), Score()) + score
    players = dict.fromkeys(name for pair in matches for name in pair)
    specs = {label: spec for label, spec, _ in run.about(steps[0])["config"]["players"]}
    return Standings(list(players), matches, specs=specs)


def missing_matches(config: dict[str, Any], steps: list[str]) -> list[str]:
    """Steps of the complete tournament that are not stored."""
    count = number_of_matches(config) or int(steps[-1].rpartition("-")[2]) + 1
    return sorted({f"match-{index:04d}" for index in range(count)} - set(steps))


def few(names: list[str]) -> str:
    return f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''}"


def without_accuracy(run: Run, config: dict[str, Any], accuracy: dict[str, Counts]) -> list[str]:
    """Return a remark with the players whose accuracy is not stored and the command for it."""
    missing = [label for label, _, _ in config["players"] if label not in accuracy]
    command = command_line("oracle.accuracy", "--tournament", run.address)
    remark = f"no accuracy of {few(missing)} is stored; to measure it: {command}"
    return [remark] if missing else []


def command_words(config: dict[str, Any]) -> list[str]:
    """Module, players and options of the command that makes or resumes the run."""
    players = player_words(config)
    return ["arena.run", *players, *TournamentConfig.words({"openings": NO_OPENINGS} | config)]


def contents(run: Run) -> Page:
    """Return the page of a tournament, complete or not."""
    steps = run.steps("match-")
    if not steps:
        not_yet(run, "match", command_words)
        raise BadInput(f"{run.address}: holds no match")
    config, standings = run.about(steps[0])["config"], read_standings(run, steps)
    accuracy = stored_accuracy(run)
    remarks = without_accuracy(run, config, accuracy)
    missing = missing_matches(config, steps)
    total = len(steps) + len(missing)
    if missing:
        remarks.insert(0, f"{len(missing)} of {total} matches are missing: {few(missing)}")
    annotate = {"annotates every decision": command_line("oracle.annotate", run.address)}
    commands = annotate if run.steps("games-") else {}
    stake = "Turns that keep the exact value, where something is at stake"
    sections = [
        *figures(standings, accuracy, stake),
        Section("Table", standings.elo.text, text=standings.scale),
        Section("Pair by pair, in percent", standings.pairs.text, folded=True),
        configuration(run, Tournament(), config, command_words(config), commands),
    ]
    giving = f"{standings.ratings.seat:+.0f} Elo (+-{standings.ratings.seat_error:.0f})"
    facts = {"players": str(len(standings.players)), "games": f"{standings.games:,}"}
    return Page(
        "Quarto tournament",
        f"Tournament, stored in {run.address}",
        sections,
        facts | {"giving first is worth": giving},
        remarks,
        hero=Section("Elo with 95 % error bars", figure=elo_figure(standings.elo)),
        card=winner_card(standings),
        pace=pace_of(run, steps),
    )


def winner_card(standings: Standings) -> Card:
    """Return the card of the first player, beside those that follow it."""
    rows = list(standings.elo)[:MOST_BARS]
    first, *others = rows
    text = f"{first.player} has {first.elo:+.0f} Elo ({first.low:+.0f} .. {first.high:+.0f})."
    if first.better is not None:
        chance = f"{100 * first.better:.1f} %"
        text += f" With a probability of {chance} it is stronger than {others[0].player}."
    bars = [
        Bar(row.player, 100 * row.points, f"{100 * row.points:.1f} %", row is first) for row in rows
    ]
    return Card(f"The winner: {first.player}", text, "Points in all games", bars)


def pace_of(run: Run, steps: list[str]) -> float | None:
    """Return the seconds of a match, by the time at which the files of the last ones were written;
    None if there are too few."""
    times = {info.base_name: (info.mtime_ns or 0) / 1e9 for info in run.folder.infos()}
    last = [times.get(f"{step}{ENDING}") for step in steps[-RECENT_MATCHES:]]
    alone = sorted(time for time in last if time is not None)
    return (alone[-1] - alone[0]) / (len(alone) - 1) if len(alone) > 1 else None


def figures(standings: Standings, accuracy: dict[str, Counts], turns: str) -> list[Section]:
    """Return the figures of a tournament. `turns`: the title of the one with the accuracy, if it
    was measured."""
    sections = [Section(HEAT, figure=heat_map(standings))]
    if accuracy:
        more = "Choose more players below the figure." if len(accuracy) > FEW else ""
        sections.append(Section(turns, figure=accuracy_figure(accuracy), text=more))
    return sections


def heat_map(standings: Standings) -> Any:
    names = standings.ranked
    texts = [[hover_text(standings.both_ways.get((a, b))) for b in names] for a in names]
    points = 100 * np.array([row[1:] for row in standings.points])
    figure = new_figure(height=170 + 30 * len(names))
    figure.add_heatmap(
        **{"z": points, "x": names, "y": names, "text": texts, "texttemplate": "%{z:.0f}"},
        **{"colorscale": SCALE, "zmin": 0, "zmax": 100, "xgap": 1, "ygap": 1},
        hovertemplate="%{y} against %{x}: %{z:.1f} % of the points<br>%{text}<extra></extra>",
        colorbar={"title": {"text": "points, %"}, "thickness": 12},
    )
    figure.update_xaxes(side="top", tickangle=-45)
    return figure.update_yaxes(autorange="reversed")


def hover_text(score: Score | None) -> str:
    if score is None:
        return ""
    wins, draws, losses = score.totals
    counts = f"{wins} won, {draws} drawn, {losses} lost of {score.games}"
    return f"{counts}<br>{interval_text(wins + draws / 2, score.games)} %"


def elo_figure(elo: Sequence[Rating]) -> Any:
    weakest_first = list(elo)[::-1]
    names, elos = [row.player for row in weakest_first], [row.elo for row in weakest_first]
    bars = {"type": "data", "array": [row.high - row.elo for row in weakest_first]}
    hover = "%{y}: %{x:+.0f} Elo (+-%{error_x.array:.0f})"
    figure = new_figure("Elo", height=max(HIGH, 80 + 16 * len(names)))
    add_line(figure, 0, elos, names, "", hover, error_x=bars, mode="markers")
    return figure.update_yaxes(dtick=1, tickfont={"size": 11 if len(names) > MANY else 13})


def accuracy_figure(accuracy: dict[str, Counts]) -> Any:
    """Turns that keep the exact value, where something is at stake, by stage."""
    figure = new_figure("pieces on the board", "right turns, %", height=440)
    # the strongest, the weakest, and some in between
    shown = set(np.linspace(0, len(accuracy) - 1, min(FEW, len(accuracy))).round().astype(int))
    for number, (player, counts) in enumerate(accuracy.items()):
        stages = sorted(placed for kind, placed in counts if kind == "turn")
        turns = [counts["turn", stage] for stage in stages]
        hover = "%{fullData.name}: %{y:.1f} % with %{x} pieces"
        more = {} if number in shown else ON_DEMAND
        add_shares(figure, number, stages, turns, name=player, hover=hover, **more)
    return figure


class Dot(NamedTuple):
    """A player in the figure of the field: its right turns in percent, with their interval."""

    player: str
    microseconds: float
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, player: str, seconds: float, counts: Counts) -> "Dot":
        """Return the dot of a player; `seconds` is the CPU time of a decision."""
        count = whole(counts, "turn")
        low, high = wilson(*count)
        share = count.right / max(count.of, 1)
        return cls(player, 1e6 * seconds, 100 * share, 100 * low, 100 * high)


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of the Pareto front of (time, quality), from the quickest point to the best."""
    chosen: list[int] = []
    for i in sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1])):
        if not chosen or points[i][1] > points[chosen[-1]][1]:
            chosen.append(i)
    return chosen


def field_figure(dots: Sequence[Dot]) -> Any:
    """Right turns against time, a dot for each player, with the Pareto front."""
    best = [dots[i] for i in front([(dot.microseconds, dot.share) for dot in dots])]
    figure = new_figure("microseconds of one core, a move", "right turns, %", height=520)
    figure.add_scatter(
        x=[dot.microseconds for dot in best],
        y=[dot.share for dot in best],
        mode="lines",
        name="the front: no player is both quicker and better",
        line={"color": GREY, "width": 2, "dash": "dot", "shape": "hv"},
        hoverinfo="skip",
    )
    for number, dot in enumerate(dots):
        above, below = [dot.high - dot.share], [dot.share - dot.low]
        hover = f"{dot.player}: %{{y:.1f}} %, %{{x:.2f}} us a move"
        add_line(
            *(figure, number, [dot.microseconds], [dot.share], dot.player, hover),
            error_y={"type": "data", "array": above, "arrayminus": below},
            mode="markers",
            # the page places the labels, where they have room
            meta={"label": dot.player, "first": dot in best},
            showlegend=False,
            marker=mark(number)["marker"] | {"size": 11},
        )
    return figure.update_xaxes(type="log", dtick=1, exponentformat="none")
