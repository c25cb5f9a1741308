"""Figures of an evolution run: the champion and the population against each opponent, the Pareto
front, genes, islands, diversity and speed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.rules.english import explain
from agents.rules.language import Strategy
from arena.statistics import wilson
from evo.fitness import Scoring, best_of, shares
from evo.genomes import GENOMES
from evo.individual import Individual, Population
from evo.measure import GAMES
from evo.nsga2 import NAME as NSGA2
from evo.nsga2 import Objectives
from evo.summary import JUDGED
from web.pages.page import Section
from web.pages.palette import GREY, SCALE, add_band, add_line, new_figure, stack

AXES = {GAMES: "points in games"}  # objectives in words
MOST_GENES = 12  # drawn as lines; more of them are a heat map
MOST_MARKS = 60  # points of a line that are marked
MOST_HIGH = 640  # pixels of the heat map
HEAT_TEXT = "Colour: the value, divided by the largest size of the gene in this run."
COURSE = (
    "Diversity: standard deviation of a gene, mean of all genes; of programs the share that are "
    "different. The speed is that of each generation."
)
TEN_PERCENT = 1.2815515594  # a tenth of a normal distribution is more standard deviations above


@dataclass(frozen=True)
class History:
    """The stored generations of a run, or some of them if there are many."""

    config: dict
    # generation or epoch
    unit: str
    # of the generations that were read
    numbers: list[int]
    # generations that are stored
    count: int
    populations: list[Population]
    # games, games per second
    measured: list[dict]

    @property
    def thinned(self) -> bool:
        return len(self.numbers) < self.count

    @property
    def opponents(self) -> list[str]:
        return list(self.config["minds"])

    @property
    def x(self) -> list[int]:
        """The generations so far, at each of those that were read."""
        return [number + 1 for number in self.numbers]

    @property
    def axis(self) -> str:
        return f"{self.unit}s"

    @property
    def islands(self) -> int:
        return self.config["islands"]

    @property
    def genes(self) -> list[str]:
        """Names of the genes; those of a user's genome are in the run."""
        return self.config.get("genes") or list(GENOMES[self.config["genome"]].genes)

    @property
    def of_programs(self) -> bool:
        """Whether the individuals are programs, not vectors of numbers."""
        return self.populations[0].genes.dtype.kind == "U"

    @property
    def scoring(self) -> Scoring:
        compare = self.config.get("compare") or GENOMES[self.config["genome"]].compare
        compare = "sum" if self.objectives_named else compare
        return Scoring(compare, np.array(self.config["repeats"]))

    @property
    def objectives_named(self) -> list[str]:
        return self.config["fitness"].split("+") if self.config["strategy"] == NSGA2 else []

    @property
    def objectives(self) -> Objectives:
        return Objectives.of(self.objectives_named, self.scoring, self.config["games"])

    def champions(self) -> list[Individual]:
        """Return the champion of each generation, by the games that it had played by then."""
        survivors = (living(population).individuals() for population in self.populations)
        if self.objectives_named:
            return [self.objectives.champion(individuals) for individuals in survivors]
        return [best_of(individuals, self.scoring) for individuals in survivors]


def best_and_median(history: History, champions: list[Individual]) -> dict[str, Any]:
    """Return a figure for each opponent or other measure of the fitness, by its name."""
    return {
        measured_by(opponent).capitalize(): measure_figure(history, champions, which)
        for which, opponent in enumerate(history.opponents)
    }


def figures(history: History, champions: list[Individual]) -> list[Section]:
    sections = []
    if not history.of_programs:
        text = "" if len(history.genes) <= MOST_GENES else HEAT_TEXT
        genes = gene_figure(history, champions)
        sections.append(Section("The champion's genes", figure=genes, text=text))
    if history.islands > 1:
        title = f"Islands: mean of each, {measured_by(history.opponents[0])}"
        sections.append(Section(title, figure=islands_figure(history)))
    sections.append(Section("Diversity and speed", figure=course_figure(history), text=COURSE))
    return sections


def gene_table(history: History, champion: Individual) -> list[Section]:
    """Return the champion's genes; none of programs, which have a table of their own."""
    if history.of_programs:
        return []
    values = zip(history.genes, champion, strict=True)
    rows = [["gene", "value"], *([name, f"{value:.4g}"] for name, value in values)]
    return [Section("The champion's genes, as numbers", rows, folded=True)]


def program_sections(history: History, champion: Individual) -> list[Section]:
    """Return the programs of the front, the best first, or the champion's."""
    if not history.of_programs:
        return []
    members, names = [champion], history.objectives_named
    if names:
        members = history.objectives.front(living(history.populations[-1]).individuals())
    rows = []
    for member in members:
        shares = list(member.fitness.values if names else [])
        rows.append([*(f"{100 * value:.2f} %" for value in shares), on_a_line(member)])
    title, text = "Programs of the front" if names else "The champion's program", ""
    if history.config["genome"] == "rules":
        text = f"The champion in English. {explain(Strategy.parse(champion[0]))}"
    return [Section(title, [[*names, "program"], *rows], text=text)]


def measured_by(opponent: str) -> str:
    """A column of the fitness in words."""
    return JUDGED.get(opponent, f"against {opponent}")


def on_a_line(individual: Individual) -> str:
    """Return a program on one line."""
    return " | ".join(individual[0].splitlines()) or "no rules"


def living(population: Population) -> Population:
    """The survivors; all individuals with CMA-ES, which has no survivors."""
    return population.take(population.survives) if population.survives.any() else population


def true_spread(population: Population, which: int) -> tuple[float, float]:
    """Mean and standard deviation of the share of wins against an opponent, in percent, corrected
    for sampling noise: the variance of the games is subtracted from the observed variance."""
    games = population.counts[:, which].sum(axis=1)
    share = shares(population.counts, population.counts[..., 0])[:, which]
    noise = np.mean(share * (1 - share) / np.maximum(games, 1))
    spread = np.sqrt(max(0.0, np.var(share) - noise))
    return 100 * float(share.mean()), 100 * float(spread)


def measure_figure(history: History, champions: list[Individual], which: int) -> Any:
    """The champion with the 95 % interval of the games that it had played by then, and the median
    of the population with its 10th to 90th percentile, against one opponent."""
    judged = JUDGED.get(history.opponents[which])
    figure = new_figure(history.axis, f"{judged or 'wins'}, %", history.x)
    wins = np.array([champion.counts[which, 0] for champion in champions])
    games = np.array([champion.counts[which].sum() for champion in champions])
    # two games between deterministic players are exact: there is no interval
    exact = bool(history.config["repeats"][which])
    ends = [(w / g, w / g) if exact else wilson(w, g) for w, g in zip(wins, games, strict=True)]
    spreads = [true_spread(population, which) for population in history.populations]
    mean, spread = np.array(spreads).T
    percentiles = np.clip([mean - TEN_PERCENT * spread, mean + TEN_PERCENT * spread], 0, 100)
    shown = (
        ("champion", 100 * wins / np.maximum(games, 1), 100 * np.array(ends).T),
        ("median of the population", medians(history, which), percentiles),
    )
    mode = "lines+markers" if len(history.x) <= MOST_MARKS else "lines"
    for number, (name, values, (low, high)) in enumerate(shown):
        add_band(figure, number, history.x, low, high, name)
        hover = f"{name}: %{{y:.2f}} %, {history.unit} %{{x}}"
        add_line(figure, number, history.x, values, name, hover, mode=mode)
    return figure


def medians(history: History, which: int) -> list[float]:
    """Return the median share of each population, in percent."""
    every = [shares(each.counts, each.counts[..., 0]) for each in history.populations]
    return [100 * float(np.median(share[:, which])) for share in every]


def gene_figure(history: History, champions: list[Individual]) -> Any:
    """Lines of a few genes, or a heat map of many. There a colour is the gene's value divided by
    its largest size in the run, since genes have different scales."""
    genes: np.ndarray = np.array(champions).T
    if len(genes) <= MOST_GENES:
        figure = new_figure(history.axis, "gene", history.x)
        for number, (name, values) in enumerate(zip(history.genes, genes, strict=True)):
            add_line(figure, number, history.x, values, name, f"{name}: %{{y:.3g}}")
        return figure
    size = np.maximum(np.abs(genes).max(axis=1, keepdims=True), 1e-12)
    figure = new_figure(history.axis, None, history.x, height=min(MOST_HIGH, 120 + 14 * len(genes)))
    figure.add_heatmap(
        **{"z": genes / size, "x": history.x, "y": history.genes, "customdata": genes},
        **{"colorscale": SCALE, "zmin": -1, "zmax": 1, "showscale": False},
        hovertemplate="%{y}: %{customdata:.3g}, " + f"{history.unit} %{{x}}<extra></extra>",
    )
    # on a phone the names would fill the figure
    return figure.update_yaxes(autorange="reversed").update_layout(meta={"long_names": True})


def islands_figure(history: History) -> Any:
    size = history.config["population"]
    judged = JUDGED.get(history.opponents[0], "wins")
    figure = new_figure(history.axis, f"{judged}, %", history.x, height=400 + 4 * history.islands)
    for island in range(history.islands):
        rows = slice(island * size, (island + 1) * size)
        means = [true_spread(population.take(rows), 0)[0] for population in history.populations]
        name = f"island {island + 1}"
        hover = f"{name}: %{{y:.1f}} %"
        add_line(figure, island, history.x, means, name, hover, mode="lines+markers")
    return figure


def front_figure(history: History) -> Any:
    """The first objective against the second: the Pareto fronts of the first, a middle and the last
    generation, and all individuals of the last."""
    (x, y, *_), last = history.objectives_named, len(history.populations) - 1
    figure = new_figure(f"{AXES.get(x, x)}, %", f"{AXES.get(y, y)}, %")
    values = 100 * history.objectives.values(history.populations[-1].individuals())
    faint = {"color": GREY, "size": 5, "opacity": 0.5}
    figure.add_scatter(
        x=values[:, 0], y=values[:, 1], mode="markers", name="last generation", marker=faint
    )
    hover = f"{x} %{{x:.2f}} %, {y} %{{y:.2f}} %, %{{text}}"
    for number, which in enumerate(sorted({0, last // 2, last})):
        front = history.objectives.front(living(history.populations[which]).individuals())
        xs, ys, *_ = 100 * np.array([individual.fitness.values for individual in front]).T
        text = [f"individual {individual.id}" for individual in front]
        if history.of_programs:
            text = [on_a_line(individual) for individual in front]
        count = history.x[which]
        name = f"after {count} {history.unit}{'s' * (count != 1)}"
        add_line(figure, number, xs, ys, name, hover, text=text, mode="lines+markers")
    return figure


def diversity(genes: np.ndarray) -> float:
    """The mean standard deviation of a gene; of programs the share that are different."""
    if genes.dtype.kind == "U":
        return len(np.unique(genes)) / len(genes)
    return float(genes.std(axis=0).mean())


def speeds(history: History) -> list[float]:
    """Return the games, or other evaluations, a second in each generation. Runs of early versions
    stored the mean since the start of their command only."""
    if any(measured.get("seconds") is None for measured in history.measured):
        return [measured["games_per_second"] for measured in history.measured]
    games, seconds = (
        np.diff([measured[name] for measured in history.measured], prepend=0)
        for name in ("games", "seconds")
    )
    return (games / np.maximum(seconds, 1e-3)).tolist()


def course_figure(history: History) -> Any:
    """Diversity, speed, and the step size of CMA-ES, which adapts."""
    populations = history.populations
    curves: dict[str, Any] = {"Diversity": [diversity(each.genes) for each in populations]}
    if history.config["strategy"] == "cma":
        curves["Sigma"] = [each.sigma[each.born == each.born.max()].max() for each in populations]
    curves["Games or judged positions per second"] = speeds(history)
    return stack(curves, history.x, history.axis)
