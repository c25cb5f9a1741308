"""The page of an evolution run: the learning curve and the champion's card, programs of the front,
genes, islands, diversity and speed, the champion's tables, and configuration. On islands, steps are
epochs."""

import shlex
from typing import Any

import numpy as np

from arena.score import Score
from console.errors import BadInput
from console.progress import short
from evo.archive import Archive
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.individual import Individual
from evo.measure import BREVITY, UNITS
from evo.nsga2 import STEP as NSGA2_FRONT
from evo.summary import JUDGED, Evolution, amounts_of, by_label, champion_tables, choice_text
from store import Run, StoreError
from store.curve import Point, read_curve
from store.kinds import MIND
from web.pages.curve import EXPLAINED, curve_figures, curve_sections, curve_table, player_card
from web.pages.evolution_figures import (
    History,
    best_and_median,
    figures,
    front_figure,
    gene_table,
    program_sections,
    speeds,
)
from web.pages.page import Card, Page, Section, champion_of, configuration, not_yet

MAX_STEPS = 500  # read for a page, which takes about a second
RECENT_STEPS = 5  # whose time gives the time left
BANDS = (
    "Against an opponent: the champion with the 95 % interval of its games, by which it was "
    "selected, so they flatter it; and the median of the population, with its 10th to 90th "
    "percentile, corrected for sampling noise."
)
FRONT = (
    "Front: no individual beats one of the front in all objectives. Selection uses these shares; "
    "those of few games are drawn towards the mean."
)


def command_words(config: dict[str, Any]) -> list[str]:
    return ["evo.run", *EvolveConfig.words(config)]


def read_history(run: Run) -> History:
    archive = Archive(run)
    try:
        config = archive.config()
    except BadInput:
        not_yet(run, "generation", command_words)
        not_yet(run, "epoch", command_words)
        raise
    count = len(archive)
    # evenly spread, with the first and the last
    numbers = np.linspace(0, count - 1, min(count, MAX_STEPS)).round().astype(int).tolist()
    populations = [archive.read(number) for number in numbers]
    measured = [archive.measured(number) for number in numbers]
    history = History(config, archive.unit, numbers, count, populations, measured)
    if populations[0].genes.shape[1] != len(history.genes):
        raise BadInput(f"{run.address}: the genome has other genes in this version of the program")
    return history


def champion_sections(history: History, mind: dict) -> list[Section]:
    """Return the champion's claim and its results in fresh games, as the command prints them."""
    fresh = {name: Score(np.array(counts)) for name, counts in mind.get("fresh", {}).items()}
    claims = [measured.get("claim") for measured in history.measured]
    claim = mind.get("claim") or Claims(history.scoring.repeats, claims).recent()
    claimed = by_label(history.opponents, claim)
    tables = champion_tables(history.config["strategy"], claimed, fresh)
    titles = "The champion", "The champion, judged without games"
    texts = "Fresh games are games that were not used for selection." if fresh else "", ""
    parts = zip(titles, tables, texts, strict=False)
    return [Section(title, rows, text=text) for title, rows, text in parts]


def read_mind(run: Run) -> dict:
    """Return what was measured of the champion at the end of the run; empty before."""
    try:
        return run.about(MIND)["measured"] if run.has(MIND) else {}
    except StoreError:
        return {}


def hero_of(history: History, champions: list[Individual], points: list[Point]) -> Section:
    """Return the figure of the page: the front of NSGA-II, the learning curve, and the champion and
    the population against each opponent."""
    x = [point.number + 1 for point in points]
    figures = curve_figures(points, x, history.axis) | best_and_median(history, champions)
    explained = [EXPLAINED, BANDS] if points else [BANDS]
    if history.objectives_named:
        figures, explained = {"Front": front_figure(history), **figures}, [FRONT, *explained]
    return Section("Is it getting better?", figure=figures, text=" ".join(explained))


def card_of(history: History, run: Run, points: list[Point], player: str) -> Card:
    """Return the champion's card: its genome, and why it was chosen from a front."""
    genome, count = history.config["genome"], history.count
    size = "a program" if history.of_programs else f"{len(history.genes)} genes"
    steps = f"{count} {history.unit}{'s' * (count != 1)}"
    words = [f"{size} of the player {genome}, the best after {steps}."]
    if player and run.has(NSGA2_FRONT):
        mind, front = run.read(MIND), run.read(NSGA2_FRONT)
        words.append(f"{choice_text(front, mind['value'].to_pylist())}.")
    title = "The champion" if player else "The champion so far"
    return player_card(
        title, " ".join(word[0].upper() + word[1:] for word in words), points, player
    )


def pace_of(history: History) -> float | None:
    """Return the seconds of a step, by the last few steps that were read."""
    recent = list(zip(history.x, history.measured, strict=True))[-RECENT_STEPS:]
    (first, before), (last, now) = recent[0], recent[-1]
    if first == last:
        first, before = 0, {"seconds": 0.0}
    if before.get("seconds") is None or now.get("seconds") is None:
        return None
    return (now["seconds"] - before["seconds"]) / (last - first)


def facts_of(history: History) -> dict[str, str]:
    generations = history.count * (history.config["epoch"] or 1)
    amounts = amounts_of(history.config, generations, history.measured[-1]["games"])
    against = ", ".join(name for name in history.opponents if name not in JUDGED)
    # the length of each program is counted, which is no work
    facts = {name: f"{amounts[name]:,}" for name in amounts if name != UNITS[BREVITY]}
    unit = "games" if [*amounts] == ["games"] else "evaluations"
    speed = {f"{unit}/s, last {history.unit}": short(round(speeds(history)[-1]))}
    return facts | speed | ({"opponents": against} if against else {})


def sections_of(
    run: Run, history: History, champions: list[Individual], points: list[Point]
) -> list[Section]:
    mind, config = read_mind(run), history.config
    x, axis = [point.number + 1 for point in points], history.axis
    options = shlex.split(mind.get("made_by", ""))[3:]
    words = ["evo.run", *options] if options else command_words(config)
    return [
        *program_sections(history, champions[-1]),
        *curve_sections(points, x, axis),
        *figures(history, champions),
        *champion_sections(history, mind),
        *curve_table(points, x, axis),
        *gene_table(history, champions[-1]),
        configuration(run, Evolution(), config, words),
    ]


def contents(run: Run) -> Page:
    """Return the page of an evolution run, complete or not."""
    history = read_history(run)
    champions, points = history.champions(), read_curve(run, history.count)
    config = history.config
    player = champion_of(run, Evolution())
    islands = f" on {config['islands']} islands, in epochs of {config['epoch']} generations"
    about = f"Evolution of the genome {config['genome']}{islands if history.islands > 1 else ''}, "
    remarks = []
    if history.thinned:
        drawn = f"{len(history.numbers)} of {history.count:,} {history.unit}s"
        remarks = [f"{drawn} are drawn, evenly spread"]
    return Page(
        f"Evolution of {config['genome']}",
        f"{about}stored in {run.address}",
        sections_of(run, history, champions, points),
        facts_of(history),
        remarks,
        player,
        hero=hero_of(history, champions, points),
        card=card_of(history, run, points, player),
        pace=pace_of(history),
    )
