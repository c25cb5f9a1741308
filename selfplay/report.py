"""What was learned, as a page to look at: one self-contained HTML file that opens offline.

python -m selfplay.report RUN                 of self-play: learning curve, exploration,
                                              positions; of a fitted reward: error by pieces
python -m selfplay.report RUN --watch 10      writes it again every 10 s while the run goes on,
                                              and the open page follows
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.outcomes import OutcomeTable, Results
from console.page import figure_page, report_command
from console.typed import command_line
from selfplay.learning import LearnConfig, learning_curve
from selfplay.steps import ROUND, STAGE, check, delete_it, rounds_of
from store import Run
from store.page import not_here, not_yet
from store.parts import PREFIX

# what is measured of a reward: title, unit, and by what it is multiplied
REWARD_FIGURES = {
    "error": ("Mean squared error", "points squared", 1),
    "signs": ("Right signs of won and lost positions", "%", 100),
    "nearest": ("Nearest value right", "%", 100),
}


def curve_figure(curve: list[dict]) -> Any:
    import plotly.graph_objects as go

    games, low, high = (column(curve, name) for name in ("games_so_far", "low", "high"))
    share = column(curve, "wins") / sum(column(curve, name) for name in ("wins", "draws", "losses"))
    spread = {"type": "data", "array": 100 * (high - share), "arrayminus": 100 * (share - low)}
    figure = go.Figure(go.Scatter(x=games, y=100 * share, error_y=spread, mode="lines+markers"))
    against = f"Wins against {curve[0]['against']} after each round"
    title = f"{against}, without exploration, with 95 % intervals"
    figure.update_layout(title=title, xaxis_title="games of self-play", yaxis_title="wins, %")
    return figure


def course_figure(curve: list[dict]) -> Any:
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    own = "Handed over by the position's own results, %; the rest by those of its like"
    lines = {
        "Exploration: decisions by chance, %": 100 * column(curve, "explore"),
        own: 100 * column(curve, "exact"),
        "Games/s": column(curve, "games") / column(curve, "seconds"),
    }
    figure = make_subplots(rows=len(lines), shared_xaxes=True, subplot_titles=tuple(lines))
    for number, ys in enumerate(lines.values(), 1):
        figure.add_trace(go.Scatter(x=column(curve, "games_so_far"), y=ys), row=number, col=1)
    figure.update_layout(height=700, showlegend=False)
    return figure


def column(curve: list[dict], name: str) -> np.ndarray:
    return np.array([row[name] for row in curve])


def visits_figure(results: Results) -> Any:
    import plotly.graph_objects as go

    bounds = 2 ** np.arange(0, 24)
    counts = [int(((results.visits >= low) & (results.visits < 2 * low)).sum()) for low in bounds]
    last = max((i for i, n in enumerate(counts) if n), default=0) + 1
    names = [f"{low:,} to {2 * low - 1:,}" for low in bounds[:last]]
    figure = go.Figure(go.Bar(x=names, y=counts[:last]))
    title = "Positions of the table by how often they were met"
    figure.update_layout(title=title, yaxis_title="positions", yaxis_type="log")
    return figure


def oracle_figure(curve: list[dict]) -> Any:
    """Of learners that tell how many of their turns are right: by number of pieces."""
    import plotly.graph_objects as go

    figure = go.Figure()
    games = column(curve, "games_so_far")
    for placed in curve[-1]["right_turns"]:
        shares = [100 * row["right_turns"][placed] for row in curve]
        figure.add_scatter(x=games, y=shares, name=f"{placed} pieces", mode="lines+markers")
    title = "Turns that keep the exact value, where something is at stake, without search"
    return figure.update_layout(title=title, xaxis_title="games", yaxis_title="right turns, %")


def reward_figures(judged: dict[int, dict]) -> Iterator[Any]:
    import plotly.graph_objects as go

    for name, (title, unit, scale) in REWARD_FIGURES.items():
        figure = go.Figure()
        for rows in next(iter(judged.values())):
            ys = [of_stage[rows][name] for of_stage in judged.values()]
            scaled = [None if y is None else scale * y for y in ys]
            figure.add_bar(x=list(judged), y=scaled, name=rows)
        title += ", on positions for validation"
        figure.update_layout(title=title, xaxis_title="pieces on the board", yaxis_title=unit)
        yield figure


def rounds_page(run: Run, watch: float | None) -> str:
    about, curve = rounds_of(run), learning_curve(run)
    figures = [curve_figure(curve), course_figure(curve)]
    if "right_turns" in curve[-1]:
        figures.insert(0, oracle_figure(curve))
    table = run.read(run.steps(ROUND)[-1])
    if "level" in table.column_names:
        figures.append(visits_figure(OutcomeTable.from_arrow(table).exact))
    learner, games = about[0]["config"]["learner"], curve[-1]["games_so_far"]
    text = f"learner {learner}, {len(curve)} rounds, {games:,} games, kept in {run.address}"
    return figure_page("Self-play in Quarto", text, figures, watch)


def page(address: str, watch: float | None) -> str:
    run = Run(address)
    if rounds_of(run):
        return rounds_page(run, watch)
    stages = run.steps(STAGE)
    about = check(run, stages, delete_it(run, "selfplay.fit_reward ..."))
    if about and about[0]["kind"] == "reward":
        measured = [of_stage["measured"] for of_stage in about]
        judged = {stage["placed"]: stage["judged"] for stage in measured}
        text = f"method {about[0]['config']['method']}, kept in {address}"
        return figure_page("The reward function of beam", text, list(reward_figures(judged)), watch)
    if parts := run.steps(f"{PREFIX}round-"):
        config = run.about(parts[0])["config"]
        raise not_yet(run, "round", "selfplay.run", *LearnConfig.words(config))
    make = command_line("selfplay.run", "--store", address)
    raise not_here(address, "self-play and no fitted reward", make)


def main(arguments: list[str] | None = None) -> int:
    return report_command("selfplay.report", __doc__, page, arguments)


if __name__ == "__main__":
    sys.exit(main())
