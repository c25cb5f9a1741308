"""A run of evolution as a page to look at: one self-contained HTML file that opens offline.

    python -m evo.report RUN               writes RUN/report.html (report.html here if it is on S3)
    python -m evo.report RUN --watch 10    writes it again every 10 s, and the open page follows

Wins by generation against each opponent with their spread, genes, diversity, sigma, games/s, and
the champion's ancestors. On islands the steps are epochs.
"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from console.errors import BadInput
from console.page import figure_page, report_command
from console.typed import command_line
from evo.archive import Archive
from evo.config import EvolveConfig
from evo.fitness import Scoring, best_of, shares
from evo.genomes import GENOMES
from evo.individual import Population
from store import Run
from store.page import not_here, not_yet
from store.parts import PREFIX

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_GENES = 12  # of a longer genome, those that changed most


@dataclass(frozen=True)
class History:
    """All that is stored of a run."""

    config: dict
    # generation, or epoch
    unit: str
    populations: list[Population]
    # games, games a second
    measured: list[dict]

    @property
    def opponents(self) -> list[str]:
        return list(self.config["minds"])

    @property
    def genes(self) -> list[str]:
        """One's own genome is told by the run alone."""
        return self.config.get("genes") or list(GENOMES[self.config["genome"]].genes)

    @property
    def scoring(self) -> Scoring:
        compare = self.config.get("compare") or GENOMES[self.config["genome"]].compare
        return Scoring(compare, np.array(self.config["repeats"]))

    def wins(self, which: int) -> list[np.ndarray]:
        """Of everybody, against one opponent, in percent of its games."""
        return [100 * shares(p.counts, p.counts[..., 0])[:, which] for p in self.populations]


def read_history(run: Run) -> History:
    archive = Archive(run)
    try:
        config = archive.config()
    except BadInput:
        if parts := [*run.steps(f"{PREFIX}generation-"), *run.steps(f"{PREFIX}epoch-")]:
            config = run.about(parts[0])["config"]
            unit = "epoch" if config["islands"] > 1 else "generation"
            raise not_yet(run, unit, "evo.run", *EvolveConfig.words(config)) from None
        make = command_line("evo.run", "--store", run.address)
        raise not_here(run.address, "evolution", make) from None
    numbers = range(len(archive))
    populations = [archive.read(number) for number in numbers]
    measured = [archive.measured(number) for number in numbers]
    history = History(config, archive.unit, populations, measured)
    if populations[0].genes.shape[1] != len(history.genes):
        other = "was evolved by another version of this program, with other genes"
        raise BadInput(f"{run.address}: {other}")
    return history


def fitness_figure(history: History, which: int) -> "Figure":
    import plotly.graph_objects as go

    wins = history.wins(which)
    lines = {
        "90 %": ([np.percentile(share, 90) for share in wins], "#9ecae1", None),
        "10 %": ([np.percentile(share, 10) for share in wins], "#9ecae1", "tonexty"),
        "mean": ([share.mean() for share in wins], "#3182bd", None),
        "best": ([share.max() for share in wins], "#e6550d", None),
    }
    figure = go.Figure()
    for name, (values, colour, fill) in lines.items():
        figure.add_scatter(y=values, name=name, line={"color": colour}, fill=fill)
    title = f"Wins against {history.opponents[which]}, all individuals of the {history.unit}"
    return figure.update_layout(title=title, xaxis_title=history.unit, yaxis_title="wins, %")


def gene_figure(history: History) -> "Figure":
    import plotly.graph_objects as go

    means = np.stack([population.genes.mean(axis=0) for population in history.populations])
    names = history.genes
    figure = go.Figure()
    for i in sorted(np.argsort(-np.abs(means[-1] - means[0]))[:MOST_GENES]):
        figure.add_scatter(y=means[:, i], name=names[i])
    most = f" (the {MOST_GENES} that changed most)" if len(names) > MOST_GENES else ""
    title = f"Genes, mean of the {history.unit}{most}"
    return figure.update_layout(title=title, xaxis_title=history.unit, yaxis_title="gene")


def course_figure(history: History) -> "Figure":
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    curves = {
        "Diversity: standard deviation of a gene, mean of all genes": [
            population.genes.std(axis=0).mean() for population in history.populations
        ],
        "Sigma of the mutation": [
            # of those born last
            population.sigma[population.born == population.born.max()].max()
            for population in history.populations
        ],
        "Games a second": [measured["games_per_second"] for measured in history.measured],
    }
    figure = make_subplots(len(curves), 1, shared_xaxes=True, subplot_titles=list(curves))
    for row, values in enumerate(curves.values(), 1):
        figure.add_trace(go.Scatter(y=values), row=row, col=1)
    figure.update_xaxes(title=history.unit, row=len(curves))
    return figure.update_layout(height=700, showlegend=False)


def family_figure(history: History) -> "Figure":
    """The champion's line of parents, back to the first generation, with what each scored in the
    end."""
    import plotly.graph_objects as go

    last, everybody = history.populations[-1], Population.join(history.populations)
    champion = best_of(last.take(last.survives).individuals(), history.scoring)
    # where each individual was seen last; on islands, not those who died within an epoch
    seen = {id: row for row, id in enumerate(everybody.id.tolist())}
    rows = [seen[champion.id]]
    while (parents := everybody.parents[rows[-1]]) and parents[0] in seen:
        rows.append(seen[parents[0]])
    line = everybody.take(np.array(rows))
    wins, text = (
        100 * shares(line.counts, line.counts[..., 0]),
        [f"individual {i}" for i in line.id],
    )
    figure = go.Figure()
    for which, opponent in enumerate(history.opponents):
        values = {"x": line.born, "y": wins[:, which], "text": text}
        figure.add_scatter(name=opponent, mode="lines+markers", **values)
    title = "The champion's ancestors, by the generation of their birth"
    labels = {"xaxis_title": "generation of birth", "yaxis_title": "wins in all games, %"}
    return figure.update_layout(title=title, **labels)


def page(address: str, watch: float | None) -> str:
    history = read_history(Run(address))
    figures = [
        *(fitness_figure(history, which) for which in range(len(history.opponents))),
        gene_figure(history),
        course_figure(history),
    ]
    if history.populations[-1].survives.any():
        figures.append(family_figure(history))
    config, games = history.config, history.measured[-1]["games"]
    steps = f"{len(history.populations)} {history.unit}s"
    if config["islands"] > 1:
        steps += f" of {config['epoch']} generations on {config['islands']} islands"
    about = f"genome {config['genome']}, {steps}, {games:,} games, kept in {address}"
    return figure_page("Evolution in Quarto", about, figures, watch)


def main(arguments: list[str] | None = None) -> int:
    return report_command("evo.report", __doc__, page, arguments)


if __name__ == "__main__":
    sys.exit(main())
