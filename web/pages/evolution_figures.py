"""Figures of an evolution run: the champion's score and genes, the population's spread, islands,
the Pareto front, and the champion's ancestors. `figures` returns them as sections of the page."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.statistics import wilson
from evo.fitness import Scoring, best_of, shares
from evo.genomes import GENOMES
from evo.individual import Individual, Population
from evo.nsga2 import NAME as NSGA2
from evo.nsga2 import Objectives
from evo.summary import JUDGED
from web.pages.page import Section
from web.pages.palette import GREY, add_band, add_line, mark, new_figure, stack

MOST_GENES = 12  # drawn of a longer genome: those that changed most
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
    def shares_named(self) -> str:
        """Title of the axis of scores."""
        judged = [JUDGED.get(name, "wins") for name in self.opponents]
        return f"{' or '.join(dict.fromkeys(judged))}, %"

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


def figures(history: History, champions: list[Individual]) -> list[Section]:
    most = f" (the {MOST_GENES} that changed most)" if len(history.genes) > MOST_GENES else ""
    interval = "The band is the 95 % interval of the games that this champion had played by then. "
    interval += "It was selected by these games, so they flatter it."
    spread = "10th to 90th percentile of the population, corrected for sampling noise."
    champion, unit = champion_figure(history, champions), history.unit
    sections = [
        Section(f"The champion of each {unit}", figure=champion, text=interval),
        Section(f"The population of each {unit}", figure=spread_figure(history), text=spread),
    ]
    if history.objectives_named:
        front = "No individual beats one of the front in all objectives. Selection uses these"
        front += " shares; those of few games are drawn towards the mean."
        sections.insert(0, Section("Pareto front", figure=front_figure(history), text=front))
    if history.islands > 1:
        title = f"Islands: mean of each, {measured_by(history.opponents[0])}"
        sections.append(Section(title, figure=islands_figure(history)))
    if not history.of_programs:
        title = f"Genes of the champion{most}"
        sections.append(Section(title, figure=gene_figure(history, champions)))
    course = "Diversity: standard deviation of a gene, mean of all genes; of programs the share"
    course += " that are different. Sigma: of the mutation."
    course += " Speed: since the start of the command."
    sections.append(Section("Diversity, sigma, speed", figure=course_figure(history), text=course))
    if history.populations[-1].survives.any() and not history.thinned:
        title = "The champion's ancestors, by generation of birth"
        sections.append(Section(title, figure=family_figure(history, champions[-1])))
    return sections


def gene_sections(history: History, champion: Individual) -> list[Section]:
    """Return a table of the champion's genes; of programs those of the front, the best first."""
    if not history.of_programs:
        values = zip(history.genes, champion, strict=True)
        genes = [[name, f"{value:.4g}"] for name, value in values]
        return [Section("The champion's genes", [["gene", "value"], *genes])]
    members, names = [champion], history.objectives_named
    if names:
        members = history.objectives.front(living(history.populations[-1]).individuals())
    rows = []
    for member in members:
        shares = list(member.fitness.values if names else [])
        rows.append([*(f"{100 * value:.2f} %" for value in shares), on_a_line(member)])
    title = "Programs of the front" if names else "The champion's program"
    return [Section(title, [[*names, "program"], *rows])]


def measured_by(opponent: str) -> str:
    """A column of the fitness in words."""
    return JUDGED.get(opponent, f"against {opponent}")


def on_a_line(individual: Individual) -> str:
    """Return a program on one line."""
    return " | ".join(individual[0].splitlines())


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


def champion_figure(history: History, champions: list[Individual]) -> Any:
    """Wins against each opponent, with the 95 % interval of the games played by then."""
    figure = new_figure(history.unit, history.shares_named)
    for which, opponent in enumerate(history.opponents):
        wins = np.array([champion.counts[which, 0] for champion in champions])
        games = np.array([champion.counts[which].sum() for champion in champions])
        # two games between deterministic players are exact: there is no interval
        exact = bool(history.config["repeats"][which])
        ends = [(w / g, w / g) if exact else wilson(w, g) for w, g in zip(wins, games, strict=True)]
        add_band(figure, which, history.numbers, *100 * np.array(ends).T)
        hover = f"{measured_by(opponent)}: %{{y:.2f}} %, {history.unit} %{{x}}"
        share = 100 * wins / np.maximum(games, 1)
        add_line(figure, which, history.numbers, share, opponent, hover)
    return figure


def spread_figure(history: History) -> Any:
    """Mean and 10th to 90th percentile of the population."""
    figure = new_figure(history.unit, history.shares_named)
    for which, opponent in enumerate(history.opponents):
        spreads = [true_spread(population, which) for population in history.populations]
        mean, spread = np.array(spreads).T
        low, high = np.clip([mean - TEN_PERCENT * spread, mean + TEN_PERCENT * spread], 0, 100)
        add_band(figure, which, history.numbers, low, high)
        add_line(figure, which, history.numbers, mean, opponent, f"{opponent}: mean %{{y:.1f}} %")
    return figure


def gene_figure(history: History, champions: list[Individual]) -> Any:
    genes: np.ndarray = np.array(champions)
    moved = np.argsort(-np.ptp(genes, axis=0), kind="stable")[:MOST_GENES]
    figure = new_figure(history.unit, "gene", height=400 + 6 * len(moved))
    for number, i in enumerate(sorted(moved)):
        name = history.genes[i]
        add_line(figure, number, history.numbers, genes[:, i], name, f"{name}: %{{y:.3g}}")
    return figure


def islands_figure(history: History) -> Any:
    size = history.config["population"]
    figure = new_figure(history.unit, history.shares_named, height=400 + 4 * history.islands)
    for island in range(history.islands):
        rows = slice(island * size, (island + 1) * size)
        means = [true_spread(population.take(rows), 0)[0] for population in history.populations]
        name = f"island {island + 1}"
        hover = f"{name}: %{{y:.1f}} %"
        add_line(figure, island, history.numbers, means, name, hover, mode="lines+markers")
    return figure


def front_figure(history: History) -> Any:
    """The first objective against the second: the Pareto fronts of the first, a middle and the last
    generation, and all individuals of the last."""
    (x, y, *_), last = history.objectives_named, len(history.populations) - 1
    figure = new_figure(f"{x}, %", f"{y}, %")
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
        name = f"generation {history.numbers[which]}"
        add_line(figure, number, xs, ys, name, hover, text=text, mode="lines+markers")
    return figure


def diversity(genes: np.ndarray) -> float:
    """The mean standard deviation of a gene; of programs the share that are different."""
    if genes.dtype.kind == "U":
        return len(np.unique(genes)) / len(genes)
    return float(genes.std(axis=0).mean())


def course_figure(history: History) -> Any:
    """Diversity, sigma of the newborn, and speed."""
    populations = history.populations
    speeds = [measured["games_per_second"] for measured in history.measured]
    curves = {
        "Diversity": [diversity(each.genes) for each in populations],
        "Sigma": [each.sigma[each.born == each.born.max()].max() for each in populations],
        "Games or judged positions per second": speeds,
    }
    return stack(curves, history.numbers, history.unit)


def family_figure(history: History, champion: Individual) -> Any:
    """The champion's line of first parents back to the first generation, with the final score of
    each."""
    everyone = Population.join(history.populations)
    # last row of each individual; on islands, those that died within an epoch are missing
    row_of = {id: row for row, id in enumerate(everyone.id.tolist())}
    rows = [row_of[champion.id]]
    while (parents := everyone.parents[rows[-1]]) and parents[0] in row_of:
        rows.append(row_of[parents[0]])
    line = everyone.take(np.array(rows))
    wins = 100 * shares(line.counts, line.counts[..., 0])
    text = [f"individual {i}" for i in line.id]
    figure = new_figure("generation of birth", f"{history.shares_named[:-3]} in all, %")
    for which, opponent in enumerate(history.opponents):
        values = {"x": line.born, "y": wins[:, which], "text": text}
        figure.add_scatter(name=opponent, mode="lines+markers", **values, **mark(which))
    return figure
