"""The champion at the end of a run: its fresh games, which no selection has seen, and the step
`mind`, from which players are made."""

from collections.abc import Container

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

# begins the names of fresh games, which are kept in parts alone
FRESH = "fresh-"


def finish(
    workers: Workers,
    run: Run,
    config: EvolveConfig,
    champion: Individual,
    generations: int,
    claim: np.ndarray | None,
) -> tuple[Player, dict[str, Score]]:
    """Return the champion as a player, and its scores by opponent. It plays its fresh games, and is
    stored, unless an earlier command has done that."""
    player = config.genome_found.make_player(champion, config.genome_found.spec(run.address))
    fresh, parts = read_fresh(run, config, generations), Parts(run, pack_games)
    if not fresh:
        fresh = play_fresh(workers, parts, fresh_matches(player, config, generations))
        if ACCURACY in config.kinds:
            right, of = whole(accuracy(player), "turn")
            fresh[ACCURACY] = Score(np.array([[right, 0, of - right], [0, 0, 0]]))
        save_mind(run, config, champion, generations, fresh, claim)
    drop_rest(parts)
    return player, fresh


def fresh_matches(player: Player, config: EvolveConfig, generations: int) -> list[Match]:
    name, matches = f"{FRESH}{generations:05d}-{config.fresh}", []
    for i, opponent in enumerate(config.judges()):
        games = config.fresh if player.uses_chance or opponent.uses_chance else 2
        seed = pair_seed(config.seed, "fresh", opponent.spec)
        matches.append(Match(i, player, opponent, games, seed, name))
    return matches


def play_fresh(workers: Workers, parts: Parts, matches: list[Match]) -> dict[str, Score]:
    """Return the champion's scores by opponent."""
    drop_rest(parts, but={match.step for match in matches})
    total = sum(match.games for match in matches)
    with Progress("fresh games of the champion", "games", total) as progress, parts:
        unfinished = [MatchInProgress(match, parts) for match in matches]
        progress.found(sum(one.games_done for one in unfinished))
        done = finish_matches(workers, unfinished, False, progress.add)
        scores = {match.second.label: games.score for match, games in done}
    return {match.second.label: scores[match.second.label] for match in matches}


def drop_rest(parts: Parts, but: Container[str] = ()) -> None:
    """Drop the fresh games of earlier champions, those that are done, and the islands that were
    ahead when --until-flat ended the run."""
    for step in list(parts.stored):
        if step not in but:
            parts.drop(step)


def save_mind(
    run: Run,
    config: EvolveConfig,
    genes: list[float],
    generations: int,
    fresh: dict[str, Score] | None = None,
    claim: np.ndarray | None = None,
) -> None:
    """Write a row for each gene, with the command that makes the champion again, what it claims,
    and its fresh games."""
    genome = config.genome_found
    table = pa.table({"gene": list(genome.genes), "value": pa.array(list(genes), pa.float64())})
    played = {label: score.counts.tolist() for label, score in (fresh or {}).items()}
    about = {"holds": genome.holds, "made_by": config.command(generations)}
    if genome.source:
        about |= as_champion(genome.make_player(genes, genome.name), genome.base.spec)
    else:
        about["options"] = genome.options
    claimed = None if claim is None else claim.tolist()
    games = {"claim": claimed, "fresh": played, "of": [generations, config.fresh]}
    run.write("mind", table, about | games)


def read_fresh(run: Run, config: EvolveConfig, generations: int) -> dict[str, Score]:
    """Return the fresh games of this very champion, if that many are stored."""
    try:
        about = run.about("mind")["measured"] if run.has("mind") else {}
    except StoreError:
        about = {}  # it is damaged, and will be written again
    kept = about["fresh"] if about.get("of") == [generations, config.fresh] else {}
    return {label: Score(np.array(counts)) for label, counts in kept.items()}
