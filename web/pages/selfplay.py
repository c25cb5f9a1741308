"""The pages of self-play and of a fitted reward."""

from typing import Any

import numpy as np

from agents.outcomes import OutcomeTable, Results
from console.errors import BadInput
from console.progress import short
from selfplay.config import LearnConfig
from selfplay.steps import (
    ROUND,
    STAGE,
    Reward,
    SelfPlay,
    check,
    delete_it,
    learning_curve,
    rounds_of,
)
from store import Run
from store.curve import read_curve
from store.kinds import PLANNED
from web.pages.curve import EXPLAINED, curve_figures, curve_sections, curve_table, player_card
from web.pages.page import Page, Section, champion_of, configuration, not_yet
from web.pages.palette import COLOURS, new_figure, shares_figure, stack

# measures of a reward: title, unit and factor
REWARD_FIGURES = {
    "error": ("Mean squared error", "points squared", 1),
    "signs": ("Right signs of won and lost positions", "%", 100),
    "nearest": ("Nearest value right", "%", 100),
}
RECENT_ROUNDS = 5  # whose time gives the time left
GAMES = "games of self-play"  # title of the x axis
OWN_RESULTS = (
    "Own results: the share of decisions to hand over a piece that rest on results of the position "
    "itself, not of similar ones."
)


def column(curve: list[dict], name: str) -> np.ndarray:
    return np.array([row[name] for row in curve])


def course_figure(curve: list[dict]) -> Any:
    lines = {
        "Random decisions, %": 100 * column(curve, "explore"),
        "Decided by a position's own results, %": 100 * column(curve, "exact"),
        "Games per second": speeds(curve),
    }
    # learners without exploration, or without a table of results
    shown = {name: values for name, values in lines.items() if values.any()}
    return stack(shown, column(curve, "games_so_far"), GAMES)


def speeds(curve: list[dict]) -> np.ndarray:
    """Return the games per second of each round."""
    return column(curve, "games") / np.maximum(column(curve, "seconds"), 1e-3)


def wins_figure(curve: list[dict]) -> Any:
    """The test games, for a run without a learning curve."""
    counts = [(row["wins"], row["wins"] + row["draws"] + row["losses"]) for row in curve]
    lines = {"wins against random": counts}
    return shares_figure(column(curve, "games_so_far"), (GAMES, "wins, %"), lines)


def visits_figure(results: Results) -> Any:
    bounds = 2 ** np.arange(25)
    counts = np.trim_zeros(np.histogram(results.visits, bounds)[0], "b").tolist() or [0]
    names = [f"{low:,} to {2 * low - 1:,}" for low in bounds[: len(counts)]]
    figure = new_figure("visits", "positions")
    figure.add_bar(x=names, y=counts, marker={"color": COLOURS[0]})
    return figure.update_yaxes(type="log", dtick=1)


def reward_figure(name: str, judged: dict[int, dict]) -> Any:
    _, unit, factor = REWARD_FIGURES[name]
    figure = new_figure("pieces on the board", unit)
    for number, rows in enumerate(next(iter(judged.values()))):
        values = [of_stage[rows][name] for of_stage in judged.values()]
        scaled = [None if value is None else factor * value for value in values]
        colour = {"color": COLOURS[number]}
        figure.add_bar(x=list(judged), y=scaled, name=rows, marker=colour)
    return figure


def table_sections(run: Run) -> list[Section]:
    """Return the figure of the outcome table, if the learner has one."""
    table = run.read(run.steps(ROUND)[-1])
    if "level" not in table.column_names:
        return []
    title = "Positions of the table by number of visits"
    return [Section(title, figure=visits_figure(OutcomeTable.from_arrow(table).exact))]


def command_words(config: dict[str, Any]) -> list[str]:
    return ["selfplay.run", *LearnConfig.words(config)]


def rounds_page(run: Run) -> Page:
    about, curve = rounds_of(run), learning_curve(run)
    config, games = about[0]["config"], column(curve, "games_so_far")
    points = read_curve(run, len(curve))
    places = [int(games[point.number]) for point in points]
    player = champion_of(run, SelfPlay())
    rounds = max(len(curve), about[-1]["measured"].get(PLANNED, 0))
    words = [*command_words(config), "--games", str(rounds * curve[-1]["games"])]
    sections = [
        *curve_sections(points, places, GAMES),
        Section("Exploration and speed", figure=course_figure(curve), text=OWN_RESULTS),
        *table_sections(run),
        *curve_table(points, places, GAMES),
        configuration(run, SelfPlay(), config, words),
    ]
    facts = {
        "games": f"{int(games[-1]):,}",
        "games/s, last round": short(round(speeds(curve)[-1])),
        "positions": f"{curve[-1]['positions']:,}",
        "memory": f"{curve[-1]['memory']} MiB",
    }
    figures = curve_figures(points, places, GAMES) or {"Wins against random": wins_figure(curve)}
    learner = config["learner"]
    title, text = "The player" if player else "The player so far", f"Made by the learner {learner}"
    return Page(
        f"Self-play of {learner}",
        f"Self-play of the learner {learner}, stored in {run.address}",
        sections,
        facts,
        player=player,
        hero=Section("Is it getting better?", figure=figures, text=EXPLAINED if points else ""),
        card=player_card(title, f"{text}, from {int(games[-1]):,} games.", points, player),
        pace=float(column(curve, "seconds")[-RECENT_ROUNDS:].mean()),
    )


def reward_page(run: Run, about: list[dict]) -> Page:
    config = about[0]["config"]
    judged = {stage["placed"]: stage["judged"] for stage in (step["measured"] for step in about)}
    text = f"Fitted by the method {config['method']}, stored in {run.address}"
    figures = {title: reward_figure(name, judged) for name, (title, _, _) in REWARD_FIGURES.items()}
    hero = Section("On positions for validation", figure=figures)
    sections = [configuration(run, Reward(), config)]
    return Page("The reward function of beam", text, sections, hero=hero)


def contents(run: Run) -> Page:
    if rounds_of(run):
        return rounds_page(run)
    about = check(run, run.steps(STAGE), delete_it(run, "selfplay.fit.fit_reward ..."))
    if about and about[0]["kind"] == "reward":
        return reward_page(run, about)
    not_yet(run, "round", command_words)
    raise BadInput(f"{run.address}: holds neither a round nor a fitted reward")
