"""A tournament as a page to look at: one self-contained HTML file that opens offline.

    python -m arena.report RUN                writes RUN/report.html (for an s3:// run: report.html here); --out names another file

Heat map of the matrix, Elo with error bars, accuracy by stage (measured on the frozen test set the first time, then kept in the run).
"""

import sys

import numpy as np

import agents
from arena.accuracy import Count, accuracies, as_table, from_table
from arena.run import ratings_of
from arena.standings import order
from arena.statistics import wilson
from arena.tournament import Match, restore
from console.command import BadInput
from console.page import figure_page, report_command
from store import Run, StoreError


def read_tournament(run: Run) -> tuple[list, list[Match]]:
    """The players of a run and their matches."""
    steps = run.steps("match-")
    if not steps:
        raise BadInput(
            f"{run.address}: holds no tournament; make one with: python -m arena.run A B --store {run.address}"
        )
    matches, players = {}, {}
    for step in steps:
        names = run.read(step).to_pydict()
        first, second = (players.setdefault(n, agents.make(n)) for n in (names["first"][0], names["second"][0]))
        match = Match(int(step.rpartition("-")[2]), first, second, 0, 0)
        restore(run, match)
        known = matches.setdefault((first.spec, second.spec), match)
        if known is not match:  # a round of a sequential test
            known.counts += match.counts
            known.played = known.games = known.played + match.played
    return list(players.values()), list(matches.values())


def heat_map(players, matches, ratings):
    import plotly.graph_objects as go

    names = [players[i].spec for i in order(ratings)]
    place = {name: i for i, name in enumerate(names)}
    points = np.full((len(names), len(names)), np.nan)
    told = np.full((len(names), len(names)), "", object)
    for match in matches:
        i, j = place[match.first.spec], place[match.second.spec]
        wins, draws, losses = match.total
        share = (wins + draws / 2) / match.played
        points[i, j], points[j, i] = 100 * share, 100 - 100 * share
        low, high = wilson(wins + draws / 2, match.played)
        told[i, j] = (
            f"{wins} wins, {draws} draws, {losses} losses of {match.played}<br>{100 * low:.1f} .. {100 * high:.1f} %"
        )
        told[j, i] = f"{losses} wins, {draws} draws, {wins} losses of {match.played}"
    heat = go.Heatmap(
        z=points, x=names, y=names, zmin=0, zmax=100, colorscale="RdYlGn", text=told, texttemplate="%{z:.0f}",
        hovertemplate="%{y} against %{x}: %{z:.1f} % of the points<br>%{text}<extra></extra>", colorbar={"title": "points, %"},
    )  # fmt: skip
    figure = go.Figure(heat)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(title="Points in percent, row against column, strongest first", height=200 + 32 * len(names))
    return figure


def elo_figure(players, ratings):
    import plotly.graph_objects as go

    ranked = order(ratings)[::-1]
    elo = [ratings.elo[i] for i in ranked]
    half = [ratings.interval(i)[1] - ratings.elo[i] for i in ranked]
    names = [players[i].spec for i in ranked]
    dots = go.Scatter(x=elo, y=names, mode="markers", error_x={"type": "data", "array": half}, marker={"size": 9})
    figure = go.Figure(dots)
    seat = f"giving first is worth {ratings.seat:+.0f} Elo"
    figure.update_layout(
        title=f"Elo with 95 % error bars ({seat})", xaxis_title="Elo, mean 0", height=160 + 26 * len(names)
    )
    return figure


def accuracy_figure(measured: dict):
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, counts in measured.items():
        stages = sorted(placed for kind, placed in counts if kind == "turn")
        found = [counts.get(("turn", stage), Count(0, 0)) for stage in stages]
        share = [100 * count.right / count.of for count in found]
        low, high = zip(*(wilson(*count) for count in found), strict=True)
        errors = {
            "type": "data",
            "array": [100 * h - s for h, s in zip(high, share, strict=True)],
            "arrayminus": [s - 100 * x for x, s in zip(low, share, strict=True)],
        }
        figure.add_scatter(x=stages, y=share, name=name, error_y=errors, mode="lines+markers")
    figure.update_layout(
        title="Turns that keep the exact value, where something is at stake", xaxis_title="pieces on the board", yaxis_title="right turns, %", height=600
    )  # fmt: skip
    return figure


def accuracy_of(run: Run, players) -> dict:
    """Kept in the run; or measured now, and kept unless the tournament still goes on and has the run for itself."""
    names = {player.spec for player in players}
    if not run.has("accuracy") or not names <= set(run.read("accuracy")["player"].to_pylist()):
        about, measured = run.about(run.steps("match-")[0]), as_table(accuracies(players))
        try:
            with Run(run.address, about["kind"], about["config"]) as writer:
                writer.write("accuracy", measured)
        except StoreError:
            return from_table(measured)
    return from_table(run.read("accuracy"))


def page(address: str, watch: float | None) -> str:
    run = Run(address)
    players, matches = read_tournament(run)
    ratings = ratings_of(players, matches)
    measured = accuracy_of(run, players)
    figures = [heat_map(players, matches, ratings), elo_figure(players, ratings), accuracy_figure(measured)]
    games = sum(match.played for match in matches)
    about = f"{len(players)} players, {games:,} games, kept in {address}"
    return figure_page("Quarto tournament", about, figures, watch)


def main(arguments: list[str] | None = None) -> int:
    return report_command("arena.report", __doc__, "a tournament", page, arguments)


if __name__ == "__main__":
    sys.exit(main())
