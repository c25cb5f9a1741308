"""Descriptions and pages of all kinds of runs."""

from collections.abc import Callable
from dataclasses import replace

from arena.kind import Tournament
from console.errors import BadInput
from console.progress import duration
from evo.summary import Evolution
from oracle.measure_accuracy import from_table, text_rows
from selfplay.steps import Dataset, Net, Reward, SelfPlay, Turns
from store.kinds import DONE, RUNNING, Kind, Summary, by_name
from store.lock import is_held
from store.run import ENDING, Run, interpreting
from web.pages import evolution, selfplay, tournament
from web.pages.page import Page, Section, State, configuration

# kinds with a page of their own
PAGES: dict[type[Kind], Callable[[Run], Page]] = {
    Tournament: tournament.contents,
    Evolution: evolution.contents,
    SelfPlay: selfplay.contents,
    Reward: selfplay.contents,
}
KINDS = by_name([*PAGES, Dataset, Turns, Net])


def page_at(address: str) -> Page:
    """Return the page of the run at an address; raise BadInput if there is none."""
    run = Run(address)
    files = [info for info in run.folder.infos() if info.base_name.endswith(ENDING)]
    if not files:
        raise BadInput(f"{address}: holds no run")
    return page_of(Summary(run, files, KINDS))


def page_of(summary: Summary) -> Page:
    """Return the page of a run; kinds without a page of their own get a list of steps."""
    with interpreting(summary.run.address):
        make = PAGES.get(type(summary.kind))
        page = make(summary.run) if make else steps_page(summary)
        return replace(page, state=state_of(summary, page.pace))


def state_of(summary: Summary, pace: float | None = None) -> State:
    """Return how far the run has come; `pace`: seconds for each step."""
    kind, name = summary.kind, summary.state(is_held(summary.run.folder))
    total, done = kind.total(summary), len(kind.progress(summary)[1])
    left = ""
    if name == RUNNING and total and pace is not None and done < total:
        left = f"{duration((total - done) * pace)} left"
    share = done / total if total and name != DONE else None
    return State(name, kind.how_far(summary).removesuffix(", done"), share, left)


def steps_page(summary: Summary) -> Page:
    run, about = summary.run, summary.about
    sections = []
    if run.has("accuracy"):
        rows = text_rows(from_table(run.read("accuracy")))
        sections.append(Section("Right decisions in percent", rows))
    rows = [["step", "rows", "columns"]]
    for step in summary.steps:
        table = run.read(step)
        rows.append([step, f"{table.num_rows:,}", " ".join(table.column_names)])
    sections.append(Section("Steps", rows))
    sections.append(configuration(run, summary.kind, about["config"]))
    facts = {"steps": str(len(summary.steps))}
    return Page(f"A run of kind {about['kind']}", f"Stored in {run.address}", sections, facts)
