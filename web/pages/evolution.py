"""The page of a run of evolution.

First what came of it: the champion's table, its fitness with the interval of its own games. Then
the population's spread without its luck, the champion's genes, islands, diversity, sigma, games/s,
the champion's ancestors, configuration and command. On islands the steps are epochs.
"""

import shlex

import numpy as np

from agents.guests.champion import NAME as CHAMPION
from arena.score import Score
from console.errors import BadInput
from console.progress import short
from console.typed import command_line
from evo.archive import Archive
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.genomes import GENOMES
from evo.individual import Individual
from evo.summary import JUDGED, amounts_of, amounts_text, by_label, champion_tables
from oracle.curve import read_curve
from store import Run, StoreError
from store.parts import PREFIX
from web.pages.curve import Axis, curve_sections
from web.pages.evolution_figures import (
    MOST_GENES,
    History,
    champion_figure,
    course_figure,
    family_figure,
    front_figure,
    gene_figure,
    islands_figure,
    measured_by,
    spread_figure,
)
from web.pages.page import Page, Section, not_yet, settings_rows

MIND = "mind"
MOST_STEPS = 500  # that are read: a second's work
NOW = 5  # steps from which the speed of now is reckoned


def thin_out(count: int) -> list[int]:
    """Of a long run, not all can be read and drawn: evenly spread ones, the first and the last
    among them."""
    if count <= MOST_STEPS:
        return list(range(count))
    return sorted({round(i * (count - 1) / (MOST_STEPS - 1)) for i in range(MOST_STEPS)})


def read_history(run: Run) -> History:
    archive = Archive(run)
    try:
        config = archive.config()
    except BadInput:
        if parts := [*run.steps(f"{PREFIX}generation-"), *run.steps(f"{PREFIX}epoch-")]:
            config = run.about(parts[0])["config"]
            unit = "epoch" if config["islands"] > 1 else "generation"
            raise not_yet(run, unit, "evo.run", *EvolveConfig.words(config)) from None
        raise
    count = len(archive)
    numbers = thin_out(count)
    populations = [archive.read(number) for number in numbers]
    measured = [archive.measured(number) for number in numbers]
    history = History(config, archive.unit, numbers, count, populations, measured)
    if populations[0].genes.shape[1] != len(history.genes):
        other = "was evolved by another version of this program, with other genes"
        raise BadInput(f"{run.address}: {other}")
    return history


def champion_sections(history: History, mind: dict) -> list[Section]:
    """What it claims and what it did in fresh games: the tables that the command prints."""
    fresh = {name: Score(np.array(counts)) for name, counts in mind.get("fresh", {}).items()}
    claims = [measured.get("claim") for measured in history.measured]
    claim = mind.get("claim") or Claims(history.scoring.repeats, claims).recent()
    claimed = by_label(history.opponents, claim if claim is None else np.array(claim))
    tables = champion_tables(history.config["strategy"], claimed, fresh)
    text = "Fresh games are games that no selection has seen." if fresh else ""
    titles = (("The champion", text), ("The champion, judged without games", ""))
    named_tables = zip(titles, tables, strict=False)
    return [Section(title, rows, text=text) for (title, text), rows in named_tables]


def gene_rows(history: History, champion: Individual) -> list[list[str]]:
    named = zip(history.genes, champion, strict=True)
    return [["gene", "value"], *([name, f"{value:.4g}"] for name, value in named)]


def read_mind(run: Run) -> dict:
    """What is known of the champion when the run has come to its end."""
    try:
        return run.about(MIND)["measured"] if run.has(MIND) else {}
    except StoreError:
        return {}


def speed_now(run: Run, history: History) -> str:
    """Games a second of the last few steps, by when their files were written."""
    first = max(0, len(history.measured) - 1 - NOW)
    steps = [f"{history.unit}-{history.numbers[which]:05d}.parquet" for which in (first, -1)]
    times = {info.base_name: info.mtime_ns or 0 for info in run.folder.infos()}
    seconds = (times.get(steps[1], 0) - times.get(steps[0], 0)) / 1e9
    games = history.measured[-1]["games"] - history.measured[first]["games"]
    return f"{short(games / seconds)}/s" if seconds > 0 and games > 0 else "-"


def figures(history: History, champions: list[Individual]) -> list[Section]:
    names = history.genes
    most = f" (the {MOST_GENES} that moved most)" if len(names) > MOST_GENES else ""
    each = f"of each {history.unit}"
    sure = "The band is the 95 % interval of the games that this champion had played until then; "
    sure += "they have chosen it, so they flatter it."
    luck = "Without what luck adds: four fifths of the population lie inside the band."
    sections = [
        Section(f"The champion {each}", figure=champion_figure(history, champions), text=sure),
        Section(f"The population {each}", figure=spread_figure(history), text=luck),
    ]
    if history.objectives_named:
        front = "Nobody beats those of a front in all objectives at once. The shares are those that"
        front += " selection goes by: few games are drawn towards the mean."
        sections.insert(0, Section("The front", figure=front_figure(history), text=front))
    if history.islands > 1:
        title = f"Islands: mean of each, {measured_by(history.opponents[0])}"
        sections.append(Section(title, figure=islands_figure(history)))
    sections.append(Section(f"Genes of the champion{most}", figure=gene_figure(history, champions)))
    course = "Diversity: standard deviation of a gene, mean of all. Sigma: of the mutation. Speed: "
    course += "since the command was started."
    sections.append(Section("Diversity, sigma, speed", figure=course_figure(history), text=course))
    if history.populations[-1].survives.any() and not history.thinned:
        title = "The champion's ancestors, by the generation of their birth"
        sections.append(Section(title, figure=family_figure(history, champions[-1])))
    return sections


def champion_spec(run: Run, config: dict) -> str:
    """As Genome.spec; the source of a user's genome is not loaded for it."""
    name = config["genome"]
    return (
        f"{CHAMPION}:run={run.address}" if "source" in config else GENOMES[name].spec(run.address)
    )


def contents(run: Run) -> Page:
    """All that there is to see."""
    history = read_history(run)
    champions, mind, config = history.champions(), read_mind(run), history.config
    champion, count = champions[-1], history.count
    generations = count * (config["epoch"] or 1)
    amounts = amounts_of(config, generations, history.measured[-1]["games"])
    points = [point for point in read_curve(run) if point.number < history.count]
    player = champion_spec(run, config) if mind else ""
    made_by = shlex.split(mind.get("made_by", ""))[3:] or EvolveConfig.words(config)
    goes_on = command_line("evo.run", *made_by, "--store", run.address)
    commands = {"what made it, and goes on": goes_on}
    if player:
        commands["a game against it"] = command_line("terminal", "human", player)
    sections = [
        *champion_sections(history, mind),
        *curve_sections(points, Axis(history.unit, lambda number: number)),
        *figures(history, champions),
        Section("The champion's genes", gene_rows(history, champion)),
        Section("Configuration", settings_rows(config), commands=commands),
    ]
    steps = f"{count} {history.unit}{'s' * (count != 1)}"
    if history.islands > 1:
        steps += f" of {config['epoch']} generations on {config['islands']} islands"
    facts = {
        f"{history.unit}s": f"{count:,}",
        **{unit: f"{amount:,}" for unit, amount in amounts.items()},
        f"{' and '.join(amounts)} a second, last steps": speed_now(run, history),
        "opponents": ", ".join(one for one in history.opponents if one not in JUDGED) or "none",
    }
    about = f"genome {config['genome']}, {steps}, {amounts_text(amounts)}, kept in {run.address}"
    remarks = []
    if history.thinned:
        many = f"{len(history.numbers)} of {count:,} {history.unit}s are drawn, evenly spread"
        remarks = [f"{many}; the champion's ancestors are left out"]
    return Page("Evolution in Quarto", about, sections, facts, remarks, player)
