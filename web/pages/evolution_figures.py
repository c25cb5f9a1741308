"""The figures of an evolution: what is sure of the champion, what the population can do without its
luck, how the genes move."""

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
from web.pages.palette import COLOURS, GREY, band, go, lay_out, mark, subplots

MOST_GENES = 12  # of a longer genome, those that changed most
TEN_PERCENT = 1.2815515594  # standard deviations beyond which a tenth of a normal population is


@dataclass(frozen=True)
class History:
    """What is stored of a run; of a long one, some generations."""

    config: dict
    # generation, or epoch
    unit: str
    # of those that are here, and how many there are in all
    numbers: list[int]
    count: int
    populations: list[Population]
    # games, games a second
    measured: list[dict]

    @property
    def thinned(self) -> bool:
        return len(self.numbers) < self.count

    @property
    def opponents(self) -> list[str]:
        return list(self.config["minds"])

    @property
    def shares_named(self) -> str:
        """The axis of what individuals score in each column of the fitness."""
        played = [JUDGED.get(name, "wins") for name in self.opponents]
        return f"{' or '.join(dict.fromkeys(played))}, %"

    @property
    def islands(self) -> int:
        return self.config["islands"]

    @property
    def genes(self) -> list[str]:
        """One's own genome is told by the run alone."""
        return self.config.get("genes") or list(GENOMES[self.config["genome"]].genes)

    @property
    def scoring(self) -> Scoring:
        compare = self.config.get("compare") or GENOMES[self.config["genome"]].compare
        compare = "sum" if self.objectives_named else compare
        return Scoring(compare, np.array(self.config["repeats"]))

    @property
    def objectives_named(self) -> list[str]:
        """With NSGA-II."""
        return self.config["fitness"].split("+") if self.config["strategy"] == NSGA2 else []

    @property
    def objectives(self) -> Objectives:
        return Objectives.of(self.objectives_named, self.scoring, self.config["games"])

    def champions(self) -> list[Individual]:
        """Of every generation: by the games that each had played until then."""
        everybody = (living(one).individuals() for one in self.populations)
        if self.objectives_named:
            return [self.objectives.champion(ones) for ones in everybody]
        return [best_of(ones, self.scoring) for ones in everybody]


def measured_by(opponent: str) -> str:
    """A column of the fitness in words."""
    return JUDGED.get(opponent, f"against {opponent}")


def living(population: Population) -> Population:
    """Those who survive; with CMA-ES, which has no survivors, all."""
    return population.take(population.survives) if population.survives.any() else population


def true_spread(population: Population, which: int) -> tuple[float, float]:
    """(mean, standard deviation) of the share of wins against an opponent, in percent, without what
    chance adds to it: of the variance of what was seen, that of the games themselves is taken off.
    """
    games = population.counts[:, which].sum(axis=1)
    share = shares(population.counts, population.counts[..., 0])[:, which]
    luck = np.mean(share * (1 - share) / np.maximum(games, 1))
    spread = np.sqrt(max(0.0, np.var(share) - luck))
    return 100 * float(share.mean()), 100 * float(spread)


def champion_figure(history: History, champions: list[Individual]) -> Any:
    """Its wins against each opponent, with the 95 % interval of the games that it had played."""
    figure = go.Figure()
    for which, opponent in enumerate(history.opponents):
        wins = np.array([one.counts[which, 0] for one in champions])
        games = np.array([one.counts[which].sum() for one in champions])
        # two games in which nobody uses chance tell all: there is no interval
        exact = bool(history.config["repeats"][which])
        ends = [(w / g, w / g) if exact else wilson(w, g) for w, g in zip(wins, games, strict=True)]
        low, high = 100 * np.array(ends).T
        x = history.numbers
        figure.add_scatter(
            x=[*x, *x[::-1]],
            y=[*high, *low[::-1]],
            fill="toself",
            fillcolor=band(which),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
        line = go.Scatter(x=x, y=100 * wins / np.maximum(games, 1), name=opponent, mode="lines")
        hover = f"{measured_by(opponent)}: %{{y:.2f}} %, {history.unit} %{{x}}<extra></extra>"
        figure.add_trace(line.update(hovertemplate=hover, line=mark(which)["line"]))
    return lay_out(figure, history.unit, history.shares_named)


def spread_figure(history: History) -> Any:
    """Mean of the population, and where nine tenths of it are above and below."""
    figure = go.Figure()
    x = history.numbers
    for which, opponent in enumerate(history.opponents):
        told = [true_spread(one, which) for one in history.populations]
        mean, spread = np.array(told).T
        wide = TEN_PERCENT * spread
        figure.add_scatter(
            x=[*x, *x[::-1]],
            y=np.clip([*(mean + wide), *(mean - wide)[::-1]], 0, 100),
            fill="toself",
            fillcolor=band(which),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
        )
        line = go.Scatter(x=x, y=mean, name=opponent, mode="lines", line=mark(which)["line"])
        figure.add_trace(line.update(hovertemplate=f"{opponent}: mean %{{y:.1f}} %<extra></extra>"))
    return lay_out(figure, history.unit, history.shares_named)


def gene_figure(history: History, champions: list[Individual]) -> Any:
    """The genes of the champion."""
    genes: np.ndarray = np.array(champions)
    names = history.genes
    figure = go.Figure()
    moved = np.argsort(-np.ptp(genes, axis=0), kind="stable")[:MOST_GENES]
    for number, i in enumerate(sorted(moved)):
        line = go.Scatter(x=history.numbers, y=genes[:, i], name=names[i], mode="lines")
        hover = f"{names[i]}: %{{y:.3g}}<extra></extra>"
        figure.add_trace(line.update(hovertemplate=hover, line=mark(number)["line"]))
    return lay_out(figure, history.unit, "gene", height=400 + 6 * len(moved))


def islands_figure(history: History) -> Any:
    """Against the first opponent: the mean of each island."""
    size = history.config["population"]
    figure = go.Figure()
    for island in range(history.islands):
        rows = slice(island * size, (island + 1) * size)
        means = [true_spread(one.take(rows), 0)[0] for one in history.populations]
        name = f"island {island + 1}"
        line = go.Scatter(x=history.numbers, y=means, name=name, mode="lines+markers")
        hover = f"{name}: %{{y:.1f}} %<extra></extra>"
        figure.add_trace(line.update(hovertemplate=hover, **mark(island)))
    return lay_out(figure, history.unit, history.shares_named, height=400 + 4 * history.islands)


def front_figure(history: History) -> Any:
    """The first objective against the second: the fronts of the first generation, of one in the
    middle and of the last, and everybody who lived last."""
    (x, y, *_), last = history.objectives_named, len(history.populations) - 1
    figure = go.Figure()
    everybody = history.populations[-1].individuals()
    values = 100 * history.objectives.values(everybody)
    faint = {"color": GREY, "size": 5, "opacity": 0.5}
    figure.add_scatter(
        x=values[:, 0], y=values[:, 1], mode="markers", name="all of the last", marker=faint
    )
    for number, which in enumerate(sorted({0, last // 2, last})):
        front = history.objectives.front(living(history.populations[which]).individuals())
        points = 100 * np.array([one.fitness.values for one in front])
        line = go.Scatter(x=points[:, 0], y=points[:, 1], mode="lines+markers", **mark(number))
        hover = f"{x} %{{x:.2f}} %, {y} %{{y:.2f}} %, %{{text}}<extra></extra>"
        text = [f"individual {one.id}" for one in front]
        figure.add_trace(
            line.update(name=f"generation {history.numbers[which]}", text=text, hovertemplate=hover)
        )
    return lay_out(figure, f"{x}, %", f"{y}, %")


def course_figure(history: History) -> Any:
    """Diversity, sigma and speed."""
    curves = {
        "Diversity": [population.genes.std(axis=0).mean() for population in history.populations],
        "Sigma": [
            # of those born last
            population.sigma[population.born == population.born.max()].max()
            for population in history.populations
        ],
        "Games or judged positions a second": [
            measured["games_per_second"] for measured in history.measured
        ],
    }
    figure = subplots.make_subplots(len(curves), 1, shared_xaxes=True, subplot_titles=list(curves))
    for row, values in enumerate(curves.values(), 1):
        line = {"color": COLOURS[row - 1], "width": 2}
        curve = go.Scatter(x=history.numbers, y=values, mode="lines", line=line)
        figure.add_trace(curve, row=row, col=1)
    margin = {"l": 60, "r": 16, "t": 36, "b": 48}
    lay_out(figure, height=620, showlegend=False, margin=margin)
    return figure.update_xaxes(title_text=history.unit, row=len(curves))


def family_figure(history: History, champion: Individual) -> Any:
    """The champion's line of parents, back to the first generation, with what each scored in the
    end."""
    everybody = Population.join(history.populations)
    # where each individual was seen last; on islands, not those who died within an epoch
    seen = {id: row for row, id in enumerate(everybody.id.tolist())}
    rows = [seen[champion.id]]
    while (parents := everybody.parents[rows[-1]]) and parents[0] in seen:
        rows.append(seen[parents[0]])
    line = everybody.take(np.array(rows))
    wins = 100 * shares(line.counts, line.counts[..., 0])
    text = [f"individual {i}" for i in line.id]
    figure = go.Figure()
    for which, opponent in enumerate(history.opponents):
        values = {"x": line.born, "y": wins[:, which], "text": text}
        figure.add_scatter(name=opponent, mode="lines+markers", **values, **mark(which))
    return lay_out(figure, "generation of birth", f"{history.shares_named[:-3]} in all, %")
