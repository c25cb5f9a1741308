"""The pages of self-play and of a fitted reward."""

from agents.guests.champion import NAME as CHAMPION
from agents.outcomes import OutcomeTable
from console.errors import BadInput
from console.typed import command_line
from oracle.curve import read_curve
from selfplay.config import LearnConfig
from selfplay.steps import MIND, ROUND, STAGE, check, delete_it, learning_curve, rounds_of
from store import Run
from store.parts import PREFIX
from web.pages.curve import Axis, curve_sections
from web.pages.page import Page, Section, not_yet, settings_rows
from web.pages.selfplay_figures import column, course_figure, reward_figures, visits_figure


def table_sections(run: Run) -> list[Section]:
    """Of learners that keep an outcome table."""
    table = run.read(run.steps(ROUND)[-1])
    if "level" not in table.column_names:
        return []
    title = "Positions of the table by how often they were met"
    return [Section(title, figure=visits_figure(OutcomeTable.from_arrow(table).exact))]


def rounds_page(run: Run) -> Page:
    about, curve = rounds_of(run), learning_curve(run)
    config, games = about[0]["config"], column(curve, "games_so_far")
    own = "source" in config
    axis = Axis("games of self-play", lambda number: int(games[number]))
    points = [point for point in read_curve(run) if point.number < len(curve)]
    done = run.has(MIND)
    player = f"{CHAMPION if own else config['learner']}:run={run.address}" if done else ""
    command = command_line("selfplay.run", *LearnConfig.words(config), "--store", run.address)
    commands = {"what made it, and goes on": command}
    if player:
        commands["a game against it"] = command_line("terminal", "human", player)
    text = "Own results: of what was handed over, judged by the position's own, not by its like's."
    sections = [
        *curve_sections(points, axis),
        Section("Exploration and speed", figure=course_figure(curve), text=text),
        *table_sections(run),
        Section("Configuration", settings_rows(config), commands=commands),
    ]
    facts = {
        "rounds": str(len(curve)),
        "games": f"{int(games[-1]):,}",
        "positions": f"{curve[-1]['positions']:,}",
        "memory": f"{curve[-1]['memory']} MiB",
    }
    text = f"learner {config['learner']}, {len(curve)} rounds, {games[-1]:,} games"
    about_it = f"{text}, kept in {run.address}"
    return Page("Self-play in Quarto", about_it, sections, facts, player=player)


def reward_page(run: Run, about: list[dict]) -> Page:
    measured = [of_stage["measured"] for of_stage in about]
    judged = {stage["placed"]: stage["judged"] for stage in measured}
    text = f"method {about[0]['config']['method']}, kept in {run.address}"
    sections = [Section(title, figure=figure) for title, figure in reward_figures(judged)]
    sections.append(Section("Configuration", settings_rows(about[0]["config"])))
    return Page("The reward function of beam", text, sections)


def contents(run: Run) -> Page:
    """All that there is to see."""
    if rounds_of(run):
        return rounds_page(run)
    about = check(run, run.steps(STAGE), delete_it(run, "selfplay.fit.fit_reward ..."))
    if about and about[0]["kind"] == "reward":
        return reward_page(run, about)
    if parts := run.steps(f"{PREFIX}round-"):
        config = run.about(parts[0])["config"]
        raise not_yet(run, "round", "selfplay.run", *LearnConfig.words(config))
    raise BadInput(f"{run.address}: holds neither a round nor a fitted reward")
