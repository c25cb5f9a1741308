"""The champion at the end of a run: its fresh games, which selection has not seen, and the step
`mind`, from which players are made."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from agents.guests.champion import as_champion
from agents.player import Player
from arena.parts import pack_games
from arena.round_robin import Match, MatchInProgress, finish_matches, pair_seed
from arena.score import Score
from arena.suite import NO_OPENINGS
from console.progress import Progress
from evo.config import EvolveConfig
from evo.measure import ACCURACY
from oracle.measure_accuracy import accuracy, whole
from store import Run, StoreError
from store.kinds import MIND
from store.parts import Parts
from workers.pool import Workers


@dataclass
class Champion:
    """The champion of a run after `generations`. `claim`: see claims.py."""

    run: Run
    config: EvolveConfig
    genes: list[Any]
    generations: int
    claim: np.ndarray | None = None
    # scores in fresh games by opponent
    fresh: dict[str, Score] = field(default_factory=dict)

    @property
    def player(self) -> Player:
        genome = self.config.genome_object
        return genome.make_player(self.genes, genome.spec(self.run.address))

    def finish(self, workers: Workers) -> None:
        """Play the fresh games and store the champion, unless an earlier command has done so."""
        parts = Parts(self.run, pack_games)
        self.fresh = self.read_fresh()
        if not self.fresh:
            self.fresh = self.play_fresh(workers, parts)
            if ACCURACY in self.config.kinds:
                right, of = whole(accuracy(self.player), "turn")
                self.fresh[ACCURACY] = Score(np.array([[right, 0, of - right], [0, 0, 0]]))
            self.save()
        drop_parts(parts)

    def play_fresh(self, workers: Workers, parts: Parts) -> dict[str, Score]:
        """Return the scores by opponent. The games are stored in parts only."""
        player, config, matches = self.player, self.config, []
        name = f"fresh-{self.generations:05d}-{config.fresh}"
        for i, opponent in enumerate(config.judges()):
            varied = config.openings != NO_OPENINGS or player.uses_chance or opponent.uses_chance
            games = config.fresh if varied else 2
            seed = pair_seed(config.seed, "fresh", opponent.spec)
            matches.append(Match(i, player, opponent, games, seed, name, config.openings))
        drop_parts(parts, but={match.step for match in matches})
        total = sum(match.games for match in matches)
        with Progress("fresh games of the champion", "games", total) as progress, parts:
            unfinished = [MatchInProgress(match, parts) for match in matches]
            progress.add_completed(sum(match.games_done for match in unfinished))
            results = finish_matches(workers, unfinished, False, progress.add)
            scores = {match.second.label: games.score for match, games in results}
        return {match.second.label: scores[match.second.label] for match in matches}

    def save(self) -> None:
        """Write a row for each gene; how the champion was made and its results are metadata."""
        genome, config, genes = self.config.genome_object, self.config, list(self.genes)
        table = pa.table({"gene": list(genome.genes), "value": pa.array(genes)})
        about: dict[str, Any] = {"holds": genome.holds}
        about["made_by"] = config.command(self.generations)
        if genome.source:
            about |= as_champion(genome.make_player(genes, genome.name), genome.base.spec)
        else:
            about["options"] = genome.options
        about["claim"] = None if self.claim is None else self.claim.tolist()
        about["fresh"] = {label: score.counts.tolist() for label, score in self.fresh.items()}
        self.run.write(MIND, table, about | {"of": [self.generations, config.fresh]})

    def read_fresh(self) -> dict[str, Score]:
        """Return the stored fresh games of this champion, if there are as many as wanted."""
        try:
            about = self.run.about(MIND)["measured"] if self.run.has(MIND) else {}
        except StoreError:
            return {}  # damaged, and written again
        wanted = [self.generations, self.config.fresh]
        stored = about["fresh"] if about.get("of") == wanted else {}
        return {label: Score(np.array(counts)) for label, counts in stored.items()}


def drop_parts(parts: Parts, but: Container[str] = ()) -> None:
    """Drop fresh games of earlier champions, and islands ahead of the end of the run."""
    for step in list(parts.stored):
        if step not in but:
            parts.drop(step)
