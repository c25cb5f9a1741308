"""The comparison of runs: their curves in one figure, final results side by side, with the
probability that one is better, and what differs in their configuration."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arena.statistics import chances_of_best, interval_text
from evo.summary import JUDGED, Evolution
from selfplay.steps import SelfPlay, learning_curve
from store.curve import Point, read_curve
from store.kinds import MIND, Summary, Unit, different_results, different_settings
from store.run import interpreting
from web.pages.curve import EXPLAINED, label
from web.pages.kinds import state_of
from web.pages.page import Page, Section
from web.pages.palette import add_shares, new_figure

RIGHT = "right turns by the oracle"
EXACT = 2  # games between two players without chance, which show no probability
BETTER = (
    "In percent, with 95 % intervals. The last column names the run that is probably the best in "
    "this result, with the probability that it is better than the others."
)
LIKELY = "probably the best"
Measures = dict[str, tuple[float, int]]  # by name: hits or points, and of how many


@dataclass(frozen=True)
class Side:
    """One of the compared runs, by the name that the list of runs has for it."""

    name: str
    summary: Summary

    @cached_property
    def progress(self) -> tuple[Unit, list[str]]:
        """The unit of progress and the complete steps."""
        return self.summary.kind.progress(self.summary)

    @property
    def unit(self) -> str:
        return self.progress[0].many

    @cached_property
    def points(self) -> list[Point]:
        return read_curve(self.summary.run, len(self.progress[1]))

    @cached_property
    def seconds(self) -> list[float] | None:
        """The time of all commands until each point; None if it was not stored."""
        run = self.summary.run
        if isinstance(self.summary.kind, SelfPlay):
            times = np.cumsum([row["seconds"] for row in learning_curve(run)])
            return [float(times[point.number]) for point in self.points]
        steps = [f"{self.progress[0].prefix}-{point.number:05d}" for point in self.points]
        stored = [run.about(step)["measured"].get("seconds") for step in steps]
        return None if None in stored else stored

    @property
    def measures(self) -> Measures:
        """Return the final results that other runs may have, too."""
        measures: Measures = {}
        if self.points:
            last = self.points[-1]
            measures[RIGHT] = last.right
            measures |= {f"points against {label(name)}": last.ladder[name] for name in last.ladder}
        for name, counts in self.fresh.items():
            wins, draws, losses = np.sum(counts, axis=0).tolist()
            games = wins + draws + losses
            if games > EXACT:
                named = JUDGED.get(name, f"points against {name}")
                measures[f"{named}, fresh"] = wins + draws / 2, games
        return measures

    @property
    def fresh(self) -> dict[str, Any]:
        """The champion's fresh games, if it is an evolution that has ended."""
        run = self.summary.run
        if not isinstance(self.summary.kind, Evolution) or not run.has(MIND):
            return {}
        return run.about(MIND)["measured"].get("fresh", {})


def listed(names: list[str]) -> str:
    """Return `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def compare(runs: dict[str, Summary]) -> Page:
    """Return the page that compares runs, by their names. Raise StoreError if one is damaged."""
    sides = [Side(*run) for run in runs.items()]
    with interpreting(listed(list(runs))):
        results = result_section(sides)
        sections = [
            results,
            settings_section(runs),
            overview(sides),
            Section("Other results", other_rows(runs), folded=True),
        ]
        figures = curve_figures(sides)
    hero = Section("Which one gets better?", figure=figures, text=EXPLAINED) if figures else None
    shown = [section for section in sections if section.rows or section.text]
    return Page(listed(list(runs)), "", shown, remarks=remarks(sides), hero=hero)


def curve_figures(sides: list[Side]) -> dict[str, Any]:
    """Return the curves of the runs that have one: right turns by steps, if all count in the same
    unit, and by time; points against each player of the ladder."""
    sides = [side for side in sides if side.points]
    if not sides:
        return {}
    axes: dict[str, list[Any]] = {}
    if len({side.unit for side in sides}) == 1:
        axes[sides[0].unit] = [[point.number + 1 for point in side.points] for side in sides]
    if all(side.seconds is not None for side in sides):
        axes["seconds"] = [side.seconds for side in sides]
    right, figures = [[point.right for point in side.points] for side in sides], {}
    for axis, places in axes.items():
        name = f"Right turns by {'time' if axis == 'seconds' else axis}"
        figures[name] = overlay(sides, (axis, "right turns, %"), places, right)
    for name in sides[0].points[0].ladder if axes else ():
        axis, places = next(iter(axes.items()))
        counts = [[point.ladder[name] for point in side.points] for side in sides]
        figures[f"Against {name}"] = overlay(sides, (axis, "points, %"), places, counts)
    return figures


def overlay(sides: list[Side], axes: tuple[str, str], places: list[Any], counts: list[Any]) -> Any:
    """Return a figure with a curve for each run; `axes`: the titles of both."""
    axis, title = axes
    whole = [] if axis == "seconds" else [place for each in places for place in each]
    figure = new_figure(axis, title, whole)
    for number, (side, x, shares) in enumerate(zip(sides, places, counts, strict=True)):
        hover = f"{side.name}: %{{y:.1f}} %, {axis} %{{x:,.4~g}}"
        add_shares(figure, number, x, shares, name=side.name, hover=hover)
    return figure


def common_measures(sides: list[Side]) -> list[tuple[str, list[tuple[float, int]]]]:
    every = [side.measures for side in sides]
    names = [name for name in every[0] if all(name in measures for measures in every)]
    return [(name, [measures[name] for measures in every]) for name in names]


def result_section(sides: list[Side]) -> Section:
    rows = [["result, %", *(side.name for side in sides), LIKELY]]
    for name, counts in common_measures(sides):
        shares = [
            f"{100 * hits / total:.1f} ({interval_text(hits, total)})" for hits, total in counts
        ]
        rows.append([name, *shares, best_text(sides, counts)])
    if len(rows) > 1:
        return Section("Final results", rows, text=BETTER)
    names = listed([side.name for side in sides])
    why = "they have no learning curve and no opponent of fresh games in common"
    return Section("Final results", text=f"The results of {names} cannot be compared: {why}.")


def best_text(sides: list[Side], counts: list[tuple[float, int]]) -> str:
    if len(set(counts)) == 1:
        return "equal"
    chances = chances_of_best(counts)
    best = int(np.argmax(chances))
    return f"{sides[best].name}: {100 * chances[best]:.1f} %"


def settings_section(runs: dict[str, Summary]) -> Section:
    title = "What differs in the configuration"
    rows = different_settings(*runs.values())
    if not rows:
        return Section(title, text="Nothing: the configurations are equal.")
    return Section(title, [["setting", *runs], *rows])


def other_rows(runs: dict[str, Summary]) -> list[list[str]] | None:
    rows = different_results(*runs.values())
    return [["result", *runs], *rows] if rows else None


def overview(sides: list[Side]) -> Section:
    rows = [["run", "what", "state", "how far"]]
    for side in sides:
        state = state_of(side.summary)
        rows.append([side.name, side.summary.about["kind"], state.name, state.how_far])
    return Section("The runs", rows)


def remarks(sides: list[Side]) -> list[str]:
    without = [side.name for side in sides if not side.points]
    if not without or len(without) == len(sides):
        return []
    verb = "have" if len(without) > 1 else "has"
    return [f"{listed(without)} {verb} no learning curve, so the figure leaves it out"]
