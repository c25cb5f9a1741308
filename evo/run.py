"""Evolve players: DEAP on Ray, every generation kept as Parquet.

    python -m evo.run --generations 200                          the GA player's genome, as in its report but without its bugs
    python -m evo.run --genome evolved --strategy cma            our own genome, by CMA-ES
    python -m evo.run --genome beam --generations 14 --population 8 --offspring 12 --games 48 --again 144 --tournament 3     the beam agent's rule, lures and widths
    python -m evo.run --islands 16                               sixteen populations, each on one core, that exchange their best: for many cores
    python -m evo.report RUN                                     a page to look at, also while it runs

The same command goes on where it was stopped; more --generations extend a finished run. The result depends on the seed, not on the workers.
"""

import argparse
import json
import sys
import time
from math import inf

import agents
from agents.player import Player
from arena.tournament import Match, pair_seed, run_matches
from arena.workers import Workers
from console.command import BadInput, add_common, check_common, command_line, exit_code
from console.progress import Progress, short
from evo.archive import ArchiveWriter, champion_of, imported, past_generations, save_champion
from evo.evaluate import Evaluator
from evo.genomes import GENOMES, Genome
from evo.individual import Individual
from evo.islands import Islands, archipelago
from evo.loop import Plan, covariance_adaptation, make_logbook, mu_plus_lambda
from evo.summary import fresh_table, play_hint, progress_words
from store import Run

FRESH = {"ga": 100_000, "evolved": 4_000, "beam": 1_000}


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m evo.run", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--genome", default="ga", help=f"what is evolved: {', '.join(GENOMES)} (default %(default)s)")
    parser.add_argument("--strategy", choices=("mu+lambda", "cma"), default="mu+lambda", help="(default %(default)s)")
    parser.add_argument("--generations", type=int, default=200, help="(default %(default)s)")
    parser.add_argument("--population", type=int, default=100, help="how many survive (default %(default)s)")
    parser.add_argument(
        "--offspring", type=int, default=100, help="how many are born in a generation (default %(default)s)"
    )
    parser.add_argument(
        "--games",
        type=int,
        default=100,
        help="of a newborn against each opponent, an even number (default %(default)s)",
    )
    parser.add_argument(
        "--again",
        type=int,
        metavar="GAMES",
        help="of a survivor in every later generation (default ten times --games)",
    )
    parser.add_argument(
        "--tournament", type=int, default=5, help="size of the selection tournament (default %(default)s)"
    )
    parser.add_argument(
        "--sigma", type=float, help="of the mutation in generation 0 (default: the genome's, 20 for ga)"
    )
    parser.add_argument(
        "--opponents", metavar="A,B,...", help="instead of the genome's; parameters of a player are joined by + here"
    )
    parser.add_argument("--import", dest="begin", metavar="RUN", help="start from the last population of another run")
    parser.add_argument(
        "--fresh",
        type=int,
        metavar="GAMES",
        help="of the champion at the end against each opponent (default 100000 for ga)",
    )
    parser.add_argument(
        "--repair", action="store_true", help="drop a damaged last generation and go on from the one before it"
    )
    parser.add_argument("--islands", type=int, default=1, metavar="N", help="so many populations, each on one worker for --epoch generations at a time (default 1: none)")  # fmt: skip
    parser.add_argument("--epoch", type=int, metavar="GENERATIONS", help=f"of an island by itself between two crossings (default {Islands.epoch})")  # fmt: skip
    parser.add_argument("--migrants", type=int, help=f"best of an island that go to the next one after an epoch (default {Islands.migrants})")  # fmt: skip
    add_common(parser, "evo-GENOME[-islands]")
    return parser


def check_islands(asked: argparse.Namespace) -> Islands | None:
    """None: one population."""
    given = {name: getattr(asked, name) for name in ("epoch", "migrants") if getattr(asked, name) is not None}
    if asked.islands == 1 and given:
        raise BadInput(f"--{next(iter(given))}: means something only with --islands 2 or more")
    islands = Islands(asked.islands, **given)
    if islands.islands < 1 or islands.epoch < 1 or islands.migrants < 0:
        raise BadInput(f"--islands {islands.islands} --epoch {islands.epoch} --migrants {islands.migrants}: give 1, 1 and 0 or more")  # fmt: skip
    if islands.islands == 1:
        return None
    if asked.strategy == "cma":
        raise BadInput(f"--islands {asked.islands}: CMA-ES has no population that could sail: leave --strategy cma out")
    if islands.migrants >= asked.population:
        raise BadInput(
            f"--migrants {islands.migrants}: give less than the --population of an island, {asked.population}"
        )
    if asked.generations % islands.epoch:
        raise BadInput(f"--generations {asked.generations}: with islands give a multiple of --epoch, {islands.epoch}")
    return islands


def check(asked: argparse.Namespace) -> tuple[Genome, Plan, list[Player]]:
    if asked.genome not in GENOMES:
        raise BadInput(f"--genome {asked.genome}: give one of {', '.join(GENOMES)}")
    check_common(asked, f"evo-{asked.genome}" + ("-islands" if asked.islands > 1 else ""))
    genome = GENOMES[asked.genome]
    for name in ("generations", "population", "offspring", "games"):
        if getattr(asked, name) < 1:
            raise BadInput(f"--{name} {getattr(asked, name)}: give 1 or more")
    if asked.tournament < 1 or asked.population < asked.tournament:
        raise BadInput(
            f"--population {asked.population} is smaller than the tournament of {asked.tournament}: make it larger, or --tournament smaller"
        )
    again = asked.again if asked.again is not None else 10 * asked.games
    if asked.games % 2 or again % 2:
        raise BadInput(
            f"--games {asked.games} --again {again}: give even numbers: each player has each seat equally often"
        )
    if again < asked.games:
        raise BadInput(
            f"--again {again}: give --games ({asked.games}) or more: survivors meet the games of the newborn, too"
        )
    if asked.sigma is not None and not 0 < asked.sigma < inf:
        raise BadInput(f"--sigma {asked.sigma:g}: give more than 0")
    try:
        specs = [s.replace("+", ",") for s in asked.opponents.split(",")] if asked.opponents else genome.opponents
        opponents = [agents.make(spec) for spec in specs]
    except ValueError as error:
        raise BadInput(f"--opponents: {error}") from None
    if not all(opponent.compiled for opponent in opponents):
        raise BadInput("--opponents: only compiled players can be opponents in evolution")
    genome = Genome(**{**genome.__dict__, "opponents": tuple(o.spec for o in opponents)})
    asked.fresh = FRESH[genome.name] if asked.fresh is None else asked.fresh
    if asked.fresh < 2 or asked.fresh % 2:
        raise BadInput(f"--fresh {asked.fresh}: give an even number, 2 or more")
    if asked.strategy == "cma" and asked.offspring < 4:
        raise BadInput(f"--offspring {asked.offspring}: CMA-ES needs 4 or more")
    sigma = asked.sigma or genome.sigma
    return (
        genome,
        Plan(
            asked.strategy, asked.population, asked.offspring, asked.games, again, asked.tournament, sigma, asked.seed
        ),
        opponents,
    )


def evolve_islands(run: Run, genome: Genome, plan: Plan, evaluator: Evaluator, first: list | None, until: int, islands: Islands) -> None:  # fmt: skip
    """Epochs of islands, until there are as many as asked for, each committed when it is done."""
    steps = run.steps("generation-")
    past = (len(steps) - 1, run.read(steps[-1])) if steps else None
    if past:
        evaluator.games = run.about(steps[-1])["measured"]["games"]
    progress = Progress("evolving", f"epochs of {islands.islands} islands", until, done=len(steps))
    started, games_before = time.monotonic(), evaluator.games
    with ArchiveWriter(run, genome) as keeper:
        epochs = archipelago(genome, plan, islands, evaluator, past, first) if len(steps) < until else ()
        for number, rows in epochs:
            speed = (evaluator.games - games_before) / max(time.monotonic() - started, 1e-9)
            keeper.save_rows(number, rows, {"games_per_second": round(speed), "games": evaluator.games})
            progress.show(number + 1, f"{short(speed)} games/s")
            if number + 1 >= until:
                break
    progress.clear()


def evolve(run: Run, genome: Genome, plan: Plan, evaluator: Evaluator, first: list | None, until: int) -> None:
    """Generations until there are as many as asked for, each committed when it is done."""
    past = past_generations(run, genome, plan.strategy)
    logbook, statistics = make_logbook()
    steps = run.steps("generation-")
    done = len(steps)
    if steps:
        evaluator.games = run.about(steps[-1])["measured"]["games"]  # of the whole run, whoever played them
    if done >= until:
        return
    progress = Progress("evolving", "generations", until, done=done)
    if plan.strategy == "cma":
        generations = covariance_adaptation(genome, plan, evaluator, past, first)
    else:
        generations = mu_plus_lambda(genome, plan, evaluator, past[-1] if past else None, first)
    started, games_before = time.monotonic(), evaluator.games
    with ArchiveWriter(run, genome) as keeper:
        for generation in generations:
            speed = (evaluator.games - games_before) / max(time.monotonic() - started, 1e-9)
            keeper.save(generation, measured={"games_per_second": round(speed), "games": evaluator.games})
            logbook.record(gen=generation.number, **statistics.compile(generation.everybody))
            progress.show(generation.number + 1, progress_words(logbook[-1], genome, speed))
            if generation.number + 1 >= until:
                break
    progress.clear()


def play_fresh(
    workers: Workers, genome: Genome, champion: Individual, opponents: list[Player], games: int, seed: int
) -> list[Match]:
    """The champion on games that no selection has seen."""
    player = genome.make(champion)
    matches = []
    for i, opponent in enumerate(opponents):
        count = games if player.uses_chance or opponent.uses_chance else 2
        matches.append(Match(i, player, opponent, count, pair_seed(seed, "fresh", opponent.spec)))
    progress, played = Progress("fresh games of the champion", "games", sum(m.games for m in matches)), 0

    def on_item(games: int) -> None:
        nonlocal played
        played += games
        progress.show(played)

    list(run_matches(workers, matches, False, on_item))
    progress.clear()
    return matches


def run_evolution(asked: argparse.Namespace) -> int:
    genome, plan, opponents = check(asked)
    islands = check_islands(asked)
    config = {"genome": genome.name, **plan.__dict__, "opponents": list(genome.opponents), "import": asked.begin}
    config["minds"] = {o.spec: o.digest for o in opponents}
    epoch, more = 1, ""
    if islands:
        config |= islands.__dict__
        epoch, more = islands.epoch, " " + " ".join(f"--{name} {value}" for name, value in islands.__dict__.items())
    started = time.monotonic()
    with Run(asked.store, "evolution", config, mend=("generation-", "champion") if asked.repair else ()) as run:
        first = imported(run, asked.begin, genome) if asked.begin else None
        with Workers(asked.workers, asked.address, asked.patience, asked.dashboard) as workers:
            evaluator = Evaluator(workers, genome, opponents, plan.seed)
            if islands:
                evolve_islands(run, genome, plan, evaluator, first, asked.generations // epoch, islands)
            else:
                evolve(run, genome, plan, evaluator, first, asked.generations)
            seconds = time.monotonic() - started
            champion = champion_of(run, genome, plan, first)
            fresh = play_fresh(workers, genome, champion, opponents, asked.fresh, plan.seed)
        generations = epoch * len(run.steps("generation-"))
        save_champion(run, genome, plan, champion, f"--generations {generations}{more}")
        if asked.json:
            said = [
                dict(zip(("wins", "draws", "losses"), m.total, strict=True))
                | {"opponent": m.second.spec, "games": m.played}
                for m in fresh
            ]
            about = {
                "run": run.address,
                "generations": generations,
                "games": evaluator.games,
                "seconds": round(seconds, 2),
            }
            print(json.dumps(about | {"champion": {"genes": list(champion), "fresh": said}}))
        else:
            print(fresh_table(genome, champion, fresh))
            print(f"\n{generations} generations, {evaluator.games:,} games in {seconds:.0f} s; kept in {run.address}")
            print(play_hint(genome, champion, run.address))
            print(f"a page to look at: python -m evo.report {run.address}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = options().parse_args(arguments)
    return exit_code(lambda: run_evolution(asked), command_line("evo.run", arguments))


if __name__ == "__main__":
    sys.exit(main())
