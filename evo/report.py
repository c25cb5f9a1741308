"""A run of evolution as a page to look at: one self-contained HTML file that opens offline.

    python -m evo.report RUN                 writes RUN/report.html (for an s3:// run: report.html here); --out names another file
    python -m evo.report RUN --watch 10      writes it again every 10 s while the run goes on, and the open page follows

Fitness by generation against each opponent with its spread, genes, diversity, sigma, games/s, and the family tree of the champion.
"""

import sys

import numpy as np

from console.command import BadInput
from console.page import figure_page, report_command
from evo.archive import last_generation, step_of
from evo.genomes import GENOMES, Genome
from evo.individual import sure_fitness
from store import Run

MOST_GENES = 12  # of a longer genome, those that changed most


def read(run: Run) -> tuple[Genome, list[dict]]:
    """The genome and every generation's columns."""
    steps = run.steps("generation-")
    if not steps:
        raise BadInput(f"{run.address}: holds no evolution; make one with: python -m evo.run --store {run.address}")
    config = run.about(steps[0])["config"]
    if len(run.read(steps[0])["genes"][0]) != len(GENOMES[config["genome"]].genes):
        raise BadInput(f"{run.address}: was evolved by another version of this program, with other genes")
    genome = Genome(**{**GENOMES[config["genome"]].__dict__, "opponents": tuple(config["opponents"])})
    generations = []
    for step in steps:
        rows = run.read(step).to_pydict()
        generations.append({name: np.array(column) if name != "parents" else column for name, column in rows.items()})
        generations[-1]["measured"] = run.about(step)["measured"]
    return genome, generations


def fitness_figures(genome: Genome, generations: list[dict]):
    import plotly.graph_objects as go

    numbers = list(range(len(generations)))
    for opponent in genome.opponents:
        shares = [100 * g[f"wins {opponent}"] / np.maximum(g[f"games {opponent}"], 1) for g in generations]
        figure = go.Figure()
        for name, level, colour in (("90 %", 90, "#9ecae1"), ("10 %", 10, "#9ecae1")):
            fill = "tonexty" if level == 10 else None
            figure.add_scatter(
                x=numbers, y=[np.percentile(s, level) for s in shares], name=name, line={"color": colour}, fill=fill
            )
        figure.add_scatter(x=numbers, y=[s.mean() for s in shares], name="mean", line={"color": "#3182bd"})
        figure.add_scatter(x=numbers, y=[s.max() for s in shares], name="best", line={"color": "#e6550d"})
        figure.update_layout(
            title=f"Wins against {opponent}, everybody of the generation",
            xaxis_title="generation",
            yaxis_title="wins, %",
        )
        yield figure


def gene_figure(genome: Genome, generations: list[dict]):
    import plotly.graph_objects as go

    means = np.stack([np.stack(g["genes"]).mean(axis=0) for g in generations])
    shown = np.argsort(-np.abs(means[-1] - means[0]))[:MOST_GENES]
    figure = go.Figure()
    for i in sorted(shown):
        figure.add_scatter(y=means[:, i], name=genome.genes[i])
    title = "Genes, mean of the generation" + (
        f" (the {MOST_GENES} that changed most)" if len(genome.genes) > MOST_GENES else ""
    )
    figure.update_layout(title=title, xaxis_title="generation", yaxis_title="gene")
    return figure


def course_figure(generations: list[dict]):
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=3,
        cols=1,
        shared_xaxes=True,
        subplot_titles=("Diversity: mean spread of a gene", "Sigma of the mutation", "Games/s"),
    )
    spread = [np.stack(g["genes"]).std(axis=0).mean() for g in generations]
    figure.add_trace(go.Scatter(y=spread, name="diversity"), row=1, col=1)
    sigma = [g["sigma"][g["born"] == g["born"].max()].max() for g in generations]  # of those born last
    figure.add_trace(go.Scatter(y=sigma, name="sigma"), row=2, col=1)
    figure.add_trace(
        go.Scatter(y=[g["measured"].get("games_per_second") for g in generations], name="games/s"), row=3, col=1
    )
    figure.update_layout(height=700, showlegend=False)
    return figure


def family_figure(run: Run, genome: Genome, generations: list[dict]):
    """The champion's line of parents, back to the first generation, with what each scored in the end."""
    import plotly.graph_objects as go

    known = {}
    for g in generations:
        for i, id in enumerate(g["id"].tolist()):
            known[id] = (
                int(g["born"][i]),
                g["parents"][i],
                {o: (int(g[f"wins {o}"][i]), int(g[f"games {o}"][i])) for o in genome.opponents},
            )
    survivors = last_generation(run, list(genome.opponents), step_of(len(generations) - 1)).survivors
    figure = go.Figure()
    if survivors:
        champion = max(survivors, key=lambda one: (sure_fitness(one, genome), one.id)).id
        line = [champion]
        # on islands, those who were born and died within an epoch are not known
        while known[line[-1]][1] and known[line[-1]][1][0] in known:
            line.append(known[line[-1]][1][0])
        for opponent in genome.opponents:
            shares = [100 * known[id][2][opponent][0] / max(known[id][2][opponent][1], 1) for id in line]
            figure.add_scatter(
                x=[known[id][0] for id in line],
                y=shares,
                name=opponent,
                mode="lines+markers",
                text=[f"individual {id}" for id in line],
            )
    figure.update_layout(
        title="The champion's ancestors, by the generation of their birth",
        xaxis_title="born",
        yaxis_title="wins in all games, %",
    )
    return figure


def page(address: str, watch: float | None) -> str:
    run = Run(address)
    genome, generations = read(run)
    figures = [*fitness_figures(genome, generations), gene_figure(genome, generations), course_figure(generations)]
    if generations[-1]["survives"].any():
        figures.append(family_figure(run, genome, generations))
    games = generations[-1]["measured"].get("games", 0)
    config = run.about(run.steps("generation-")[0])["config"]
    steps = (
        f"epochs of {config['epoch']} generations on {config['islands']} islands"
        if "islands" in config
        else "generations"
    )
    about = f"genome {genome.name}, {len(generations)} {steps}, {games:,} games, kept in {address}"
    return figure_page("Evolution in Quarto", about, figures, watch)


def main(arguments: list[str] | None = None) -> int:
    return report_command("evo.report", __doc__, "an evolution", page, arguments)


if __name__ == "__main__":
    sys.exit(main())
