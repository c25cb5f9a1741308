"""What was learned, as a page to look at: one self-contained HTML file that opens offline.

python -m selfplay.report RUN                 of self-play: learning curve, exploration, positions known; of python -m selfplay.fit_reward: the reward's error by pieces
python -m selfplay.report RUN --watch 10      writes it again every 10 s while the run goes on, and the open page follows
"""

import sys

import numpy as np

from agents.outcomes import Results
from arena.statistics import wilson
from console.command import BadInput
from console.page import figure_page, report_command
from selfplay.rounds import Table
from store import Run


def curve_figure(about: list[dict], games: np.ndarray):
    import plotly.graph_objects as go

    played = [a["wins"] + a["draws"] + a["losses"] for a in about]
    share = np.array([100 * a["wins"] / n for a, n in zip(about, played, strict=True)])
    low, high = (
        100 * np.array(e) for e in zip(*(wilson(a["wins"], n) for a, n in zip(about, played, strict=True)), strict=True)
    )
    spread = {"type": "data", "symmetric": False, "array": high - share, "arrayminus": share - low}
    figure = go.Figure(go.Scatter(x=games, y=share, error_y=spread, mode="lines+markers"))
    title = f"Wins against {about[0]['against']} after each round, in earnest, with 95 % intervals"
    figure.update_layout(title=title, xaxis_title="games of self-play", yaxis_title="wins, %")
    return figure


def course_figure(about: list[dict], games: np.ndarray):
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    titles = (
        "Decisions by chance, %",
        "Handed over by the position's own results, %; the rest by those of its like",
        "Games/s",
    )
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, subplot_titles=titles)
    for row, ys in enumerate(([100 * a["explore"] for a in about], [100 * a["exact"] for a in about], [a["games"] / a["seconds"] for a in about]), 1):  # fmt: skip
        figure.add_trace(go.Scatter(x=games, y=ys), row=row, col=1)
    figure.update_layout(height=700, showlegend=False)
    return figure


def visits_figure(results: Results):
    import plotly.graph_objects as go

    bounds = 2 ** np.arange(0, 24)
    counts = [int(((results.visits >= low) & (results.visits < 2 * low)).sum()) for low in bounds]
    last = max((i for i, n in enumerate(counts) if n), default=0) + 1
    figure = go.Figure(go.Bar(x=[f"{low:,} to {2 * low - 1:,}" for low in bounds[:last]], y=counts[:last]))
    figure.update_layout(title="Positions of the table by how often they were met", yaxis_title="positions", yaxis_type="log")  # fmt: skip
    return figure


def reward_figures(judged: dict[int, dict]):
    import plotly.graph_objects as go

    for word, title in (("error", "Mean squared error"), ("signs", "Right signs of won and lost positions"), ("nearest", "Nearest value right")):  # fmt: skip
        figure = go.Figure()
        for name in next(iter(judged.values())):
            ys = [judged[placed][name][word] for placed in judged]
            scaled = ys if word == "error" else [None if y is None else 100 * y for y in ys]
            figure.add_bar(x=list(judged), y=scaled, name=name)
        unit = "points squared" if word == "error" else "%"
        figure.update_layout(title=f"{title}, on positions for validation", xaxis_title="pieces on the board", yaxis_title=unit)  # fmt: skip
        yield figure


def page(address: str, watch: float | None) -> str:
    run = Run(address)
    rounds, rewards = run.steps("round-"), run.steps("pieces-")
    if rounds:
        about = [run.about(step)["measured"] for step in rounds]
        config = run.about(rounds[0])["config"]
        games = np.cumsum([a["games"] for a in about])
        table = Table.from_parquet(run.read(rounds[-1]))
        figures = [curve_figure(about, games), course_figure(about, games), visits_figure(table.exact)]
        said = f"learner {config['learner']}, {len(rounds)} rounds, {games[-1]:,} games, kept in {address}"
        return figure_page("Self-play in Quarto", said, figures, watch)
    if rewards and "judged" in run.about(rewards[0])["measured"]:
        judged = {int(step[-2:]): run.about(step)["measured"]["judged"] for step in rewards}
        said = f"method {run.about(rewards[0])['config']['method']}, kept in {address}"
        return figure_page("The reward function of beam", said, list(reward_figures(judged)), watch)
    raise BadInput(f"{address}: holds no self-play; make some with: python -m selfplay.run --store {address}")


def main(arguments: list[str] | None = None) -> int:
    return report_command("selfplay.report", __doc__, "self-play, or of a learned reward", page, arguments)


if __name__ == "__main__":
    sys.exit(main())
