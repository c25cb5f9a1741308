"""The champion at the end of a run: its fresh games, which selection has not seen, and the step
`mind`, from which players are made."""

from collections.abc import Container
from typing import Any

import numpy as np
import pyarrow as pa

from agents.guests.champion import as_champion
from agents.player import Player
from arena.parts import pack_games
from arena.round_robin import Match, MatchInProgress, finish_matches, pair_seed
from arena.score import Score
from console.progress import Progress
from evo.config import EvolveConfig
from evo.individual import Individual
from evo.measure import ACCURACY
from oracle.measure_accuracy import accuracy, whole
from store import Run, StoreError
from store.parts import Parts
from workers.pool import Workers


def finish(
    workers: Workers,
    run: Run,
    config: EvolveConfig,
    champion: Individual,
    generations: int,
    claim: np.ndarray | None,
) -> tuple[Player, dict[str, Score]]:
    """Return the champion and its scores in fresh games, played and stored if they are missing."""
    genome, parts = config.genome_object, Parts(run, pack_games)
    player = genome.make_player(champion, genome.spec(run.address))
    fresh = read_fresh(run, config, generations)
    if not fresh:
        fresh = play_fresh(workers, parts, player, config, generations)
        if ACCURACY in config.kinds:
            right, of = whole(accuracy(player), "turn")
            fresh[ACCURACY] = Score(np.array([[right, 0, of - right], [0, 0, 0]]))
        save_mind(run, config, champion, generations, fresh, claim)
    drop_parts(parts)
    return player, fresh


def play_fresh(
    workers: Workers, parts: Parts, player: Player, config: EvolveConfig, generations: int
) -> dict[str, Score]:
    """Return the champion's scores by opponent. The games are stored in parts only."""
    name, matches = f"fresh-{generations:05d}-{config.fresh}", []
    for i, opponent in enumerate(config.judges()):
        games = config.fresh if player.uses_chance or opponent.uses_chance else 2
        seed = pair_seed(config.seed, "fresh", opponent.spec)
        matches.append(Match(i, player, opponent, games, seed, name))
    drop_parts(parts, but={match.step for match in matches})
    total = sum(match.games for match in matches)
    with Progress("fresh games of the champion", "games", total) as progress, parts:
        unfinished = [MatchInProgress(match, parts) for match in matches]
        progress.add_completed(sum(match.games_done for match in unfinished))
        results = finish_matches(workers, unfinished, False, progress.add)
        scores = {match.second.label: games.score for match, games in results}
    return {match.second.label: scores[match.second.label] for match in matches}


def drop_parts(parts: Parts, but: Container[str] = ()) -> None:
    """Drop fresh games of earlier champions, and islands ahead of the end of the run."""
    for step in list(parts.stored):
        if step not in but:
            parts.drop(step)


def save_mind(
    run: Run,
    config: EvolveConfig,
    genes: list[Any],
    generations: int,
    fresh: dict[str, Score] | None = None,
    claim: np.ndarray | None = None,
) -> None:
    """Write a row for each gene; how the champion was made and its results are metadata."""
    genome = config.genome_object
    table = pa.table({"gene": list(genome.genes), "value": pa.array(list(genes))})
    about = {"holds": genome.holds, "made_by": config.command(generations)}
    if genome.source:
        about |= as_champion(genome.make_player(genes, genome.name), genome.base.spec)
    else:
        about["options"] = genome.options
    scores = {label: score.counts.tolist() for label, score in (fresh or {}).items()}
    claimed = None if claim is None else claim.tolist()
    games = {"claim": claimed, "fresh": scores, "of": [generations, config.fresh]}
    run.write("mind", table, about | games)


def read_fresh(run: Run, config: EvolveConfig, generations: int) -> dict[str, Score]:
    """Return the stored fresh games of this champion, if there are as many as wanted."""
    try:
        about = run.about("mind")["measured"] if run.has("mind") else {}
    except StoreError:
        return {}  # damaged, and written again
    stored = about["fresh"] if about.get("of") == [generations, config.fresh] else {}
    return {label: Score(np.array(counts)) for label, counts in stored.items()}
