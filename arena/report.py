"""A tournament as a page to look at: one self-contained HTML file that opens offline.

    python -m arena.report RUN      writes RUN/report.html (for an s3:// run: report.html here);
                                    --out names another file

Heat map of the points, Elo with error bars, accuracy by stage (measured on the frozen test set the
first time, then kept in the run).
"""

import sys
from typing import Any

import numpy as np
import plotly.graph_objects as go

import agents
from agents.player import PlayerError
from arena.accuracy import Counts, accuracies, as_table, from_table
from arena.round_robin import read_match
from arena.run import TournamentConfig
from arena.score import Score
from arena.standings import Standings
from arena.statistics import wilson
from console.page import figure_page, report_command
from console.typed import command_line
from store import Run, StoreError
from store.page import not_here, not_yet
from store.parts import PREFIX


def read_standings(run: Run, steps: list[str]) -> Standings:
    """Of the matches that are there."""
    matches: dict[tuple[str, str], Score] = {}
    for step in steps:
        first, second, score = read_match(run, step)
        # the rounds of a sequential test are matches of the same two
        matches[first, second] = matches.get((first, second), Score()) + score
    players = dict.fromkeys(name for pair in matches for name in pair)
    return Standings(list(players), matches)


def missing_matches(config: dict[str, Any], steps: list[str]) -> list[str]:
    """Steps that a tournament of this configuration has when it is done, and that are not there."""
    players = len(config["players"])
    count = players * (players - 1) // 2
    if config["sprt"]:
        count = int(steps[-1].rpartition("-")[2]) + 1
    return sorted({f"match-{index:04d}" for index in range(count)} - set(steps))


def heat_map(standings: Standings) -> go.Figure:
    names = standings.ranked
    points = 100 * np.array([row[1:] for row in standings.points])
    texts = [[hover_text(standings.both_ways.get((a, b))) for b in names] for a in names]
    heat = go.Heatmap(z=points, x=names, y=names, zmin=0, zmax=100, colorscale="RdYlGn")
    hover = "%{y} against %{x}: %{z:.1f} % of the points<br>%{text}<extra></extra>"
    heat.update(text=texts, texttemplate="%{z:.0f}", hovertemplate=hover)
    figure = go.Figure(heat.update(colorbar={"title": "points, %"}))
    figure.update_yaxes(autorange="reversed")
    title = "Points in percent, row against column, strongest first"
    figure.update_layout(title=title, height=200 + 32 * len(names))
    return figure


def hover_text(score: Score | None) -> str:
    if score is None:
        return ""
    wins, draws, losses = score.totals
    low, high = wilson(wins + draws / 2, score.games)
    counts = f"{wins} wins, {draws} draws, {losses} losses of {score.games}"
    return f"{counts}<br>{100 * low:.1f} .. {100 * high:.1f} %"


def elo_figure(standings: Standings) -> go.Figure:
    weakest_first = list(standings.elo)[::-1]
    names, elo = [row.player for row in weakest_first], [row.elo for row in weakest_first]
    bars = {"type": "data", "array": [row.high - row.elo for row in weakest_first]}
    dots = go.Scatter(x=elo, y=names, error_x=bars, mode="markers", marker={"size": 9})
    title = f"Elo with 95 % error bars (giving first is worth {standings.ratings.seat:+.0f} Elo)"
    figure = go.Figure(dots)
    height = 160 + 26 * len(weakest_first)
    figure.update_layout(title=title, xaxis_title="Elo, mean 0", height=height)
    return figure


def accuracy_figure(measured: dict[str, Counts]) -> go.Figure:
    figure = go.Figure()
    for name, counts in measured.items():
        stages = sorted(placed for kind, placed in counts if kind == "turn")
        turns = [counts["turn", stage] for stage in stages]
        share = np.array([100 * count.right / count.of for count in turns])
        low, high = 100 * np.array([wilson(*count) for count in turns]).T
        errors = {"type": "data", "array": high - share, "arrayminus": share - low}
        figure.add_scatter(x=stages, y=share, name=name, error_y=errors, mode="lines+markers")
    figure.update_layout(
        title="Turns that keep the exact value, where something is at stake",
        xaxis_title="pieces on the board",
        yaxis_title="right turns, %",
        height=600,
    )
    return figure


def accuracy_of(run: Run, about: dict[str, Any]) -> tuple[dict[str, Counts], list[str]]:
    """(by player, why some are left out). Kept in the run; or measured now, and kept unless the
    tournament still goes on and has the run for itself."""
    stored = from_table(run.read("accuracy")) if run.has("accuracy") else {}
    measured, left_out = dict(stored), []
    for label, spec, digest in about["config"]["players"]:
        if label in stored:
            continue
        try:
            player = agents.make(spec).called(label)
            if player.digest != digest:
                raise ValueError(f"{spec} has changed since")
            measured |= accuracies([player])
        except (ValueError, PlayerError) as error:
            left_out.append(f"no accuracy of {label}: {error}")
    if measured != stored:
        try:
            with Run(run.address, about["kind"], about["config"]) as writer:
                writer.write("accuracy", as_table(measured))
        except StoreError:
            pass
    return measured, left_out


def page(address: str, watch: float | None) -> str:
    run = Run(address)
    steps = run.steps("match-")
    if not steps and (parts := run.steps(f"{PREFIX}match-")):
        config = run.about(parts[0])["config"]
        players = [one if one == spec else f"{one}={spec}" for one, spec, _ in config["players"]]
        raise not_yet(run, "match", "arena.run", *players, *TournamentConfig.words(config))
    if not steps:
        command = command_line("arena.run", "A", "B", "--store", address)
        raise not_here(address, "tournament", command)
    about, standings = run.about(steps[0]), read_standings(run, steps)
    measured, remarks = accuracy_of(run, about)
    missing = missing_matches(about["config"], steps)
    if missing:
        total = len(steps) + len(missing)
        names = f"{', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''}"
        remarks.insert(0, f"{len(missing)} of {total} matches are missing: {names}")
    for remark in remarks:
        print(f"{address}: {remark}", file=sys.stderr)
    figures = [heat_map(standings), elo_figure(standings), accuracy_figure(measured)]
    count = f"{len(standings.players)} players, {standings.games:,} games, kept in {address}"
    return figure_page("Quarto tournament", "; ".join([count, *remarks]), figures, watch)


def main(arguments: list[str] | None = None) -> int:
    return report_command("arena.report", __doc__, page, arguments)


if __name__ == "__main__":
    sys.exit(main())
