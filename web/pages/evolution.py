"""The page of an evolution run: the champion's tables, its fitness and genes, the population's
spread, islands, diversity, sigma, speed, ancestors, and configuration. On islands, steps are
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
from evo.summary import JUDGED, amounts_of, amounts_text, by_label, champion_tables
from store import Run, StoreError
from store.curve import read_curve
from web.pages.curve import curve_sections
from web.pages.evolution_figures import History, figures, gene_sections
from web.pages.page import Page, Section, champion_of, configuration, not_yet

MIND = "mind"
MAX_STEPS = 500  # read for a page, which takes about a second
RECENT_STEPS = 5  # steps over which the recent speed is measured


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


def recent_speed(run: Run, history: History) -> str:
    """Games per second of the last few steps, by the modification times of their files."""
    first = max(0, len(history.measured) - 1 - RECENT_STEPS)
    steps = [f"{history.unit}-{history.numbers[which]:05d}.parquet" for which in (first, -1)]
    times = {info.base_name: info.mtime_ns or 0 for info in run.folder.infos()}
    seconds = (times.get(steps[1], 0) - times.get(steps[0], 0)) / 1e9
    games = history.measured[-1]["games"] - history.measured[first]["games"]
    return f"{short(games / seconds)}/s" if seconds > 0 and games > 0 else "-"


def contents(run: Run) -> Page:
    """Return the page of an evolution run, complete or not."""
    history = read_history(run)
    champions, mind, config = history.champions(), read_mind(run), history.config
    count, unit = history.count, history.unit
    generations = count * (config["epoch"] or 1)
    amounts = amounts_of(config, generations, history.measured[-1]["games"])
    points = [point for point in read_curve(run) if point.number < count]
    player = champion_of(run)
    options = shlex.split(mind.get("made_by", ""))[3:]
    words = ["evo.run", *options] if options else command_words(config)
    sections = [
        *champion_sections(history, mind),
        *curve_sections(points, [point.number for point in points], unit),
        *figures(history, champions),
        *gene_sections(history, champions[-1]),
        configuration(run, config, words, player=player),
    ]
    steps = f"{count} {unit}{'s' * (count != 1)}"
    if history.islands > 1:
        steps += f" of {config['epoch']} generations on {config['islands']} islands"
    facts = {
        f"{unit}s": f"{count:,}",
        **{name: f"{amount:,}" for name, amount in amounts.items()},
        f"{' and '.join(amounts)}/s (recent)": recent_speed(run, history),
        "opponents": ", ".join(name for name in history.opponents if name not in JUDGED) or "none",
    }
    about = f"genome {config['genome']}, {steps}, {amounts_text(amounts)}, stored in {run.address}"
    remarks = []
    if history.thinned:
        drawn = f"{len(history.numbers)} of {count:,} {unit}s are drawn, evenly spread"
        remarks = [f"{drawn}; the champion's ancestors are left out"]
    return Page("Evolution in Quarto", about, sections, facts, remarks, player)
