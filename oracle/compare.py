"""Compare a changed player with the one before: is it better?

    python -m oracle.compare OLD NEW             pairs of games from drawn openings, until it is
                                                decided whether NEW is stronger by 10 Elo
    python -m oracle.compare pro mine.py:Mine --accuracy
                                                also how many turns of both are right
    python -m oracle.compare old.py:Mine mine.py:Mine --sprt 0,5

The two hypotheses of --sprt are tested with 5 % error each way. Exit code: 0 NEW is better, 3 it is
not, 4 undecided after --games games; 1 and 2 are errors, as everywhere. The same command resumes a
stopped comparison, whose games are stored as a tournament.
"""

import json
from dataclasses import fields
from typing import Any

from arena.entrants import GuestsInMatches, as_player
from arena.pentanomial import CLASSES, elo_of_pairs, normalised_elo, seat_of_pairs
from arena.run import EXIT_CODES, TournamentConfig, Verdict, open_run, play_until_decided
from arena.suite import BALANCED, SUITES
from console.command import command
from console.config import argument, option
from console.table import print_table
from console.typed import command_line
from oracle.measure_accuracy import measure_tournament, whole
from store.job import Job
from workers.pool import Workers


class CompareConfig(GuestsInMatches, Job):
    old: str = argument("the player before the change", metavar="OLD")
    new: str = argument("the player after it", metavar="NEW")
    sprt: str = option("0,10", "hypotheses: by how much NEW is stronger", metavar="ELO0,ELO1")
    games: int = option(100_000, "games after which it stays undecided", least=2, even=True)
    openings: str = option(BALANCED, "where pairs of games begin", choices=SUITES)
    accuracy: bool = option(False, "also measure the right turns of both", kept=False)

    def check(self) -> None:
        labels = [as_player(spec, self.rules).label for spec in (self.new, self.old)]
        same = labels[0] == labels[1]
        names = [f"new={self.new}", f"old={self.old}"] if same else [self.new, self.old]
        shared = {item.name for item in fields(TournamentConfig)} & {i.name for i in fields(self)}
        options: dict[str, Any] = {name: getattr(self, name) for name in shared}
        self.tournament = TournamentConfig(players=names, **options)
        self.store = self.tournament.store


def compare(config: CompareConfig) -> tuple[Verdict, dict[str, float]]:
    """Return the verdict, and the share of right turns of both players if that is asked for."""
    tournament = config.tournament
    assert tournament.bounds
    with open_run(tournament) as run, Workers.of(config) as workers:
        verdict = play_until_decided(workers, run, tournament, tournament.bounds)
    if not config.accuracy:
        return verdict, {}
    counts = {
        name: whole(measured, "turn")
        for name, measured in measure_tournament(str(config.store), config.rules).items()
    }
    return verdict, {name: counts[name].right / counts[name].of for name in verdict.names}


def compare_and_print(config: CompareConfig) -> int:
    verdict, right = compare(config)
    pairs, seat = verdict.score.pentanomial, seat_of_pairs(verdict.score.pairs)
    elo, normalised = elo_of_pairs(pairs), normalised_elo(pairs)
    if config.json:
        result: dict[str, Any] = {
            "verdict": str(verdict),
            "decision": verdict.decision,
            "ratio": verdict.ratio,
        }
        result |= {"pairs": pairs.tolist(), "elo": elo, "normalised_elo": normalised}
        print(json.dumps({**result, "seat_elo": seat, "right_turns": right}))
        return EXIT_CODES[verdict.decision]
    rows = [["points of a pair", *CLASSES], ["pairs of games", *(f"{count:,}" for count in pairs)]]
    print_table(rows)
    print(f"\nElo difference    {elo}")
    print(f"normalised Elo    {normalised}")
    print(f"giving first      {seat}")
    for name, share in right.items():
        print(f"right turns       {100 * share:.1f} %  {name}")
    page = command_line("web.pages", str(config.store))
    print(f"\n{verdict}\nkept in {config.store}; a page to look at: {page}")
    return EXIT_CODES[verdict.decision]


main = command("oracle.compare", __name__, __doc__, CompareConfig, compare_and_print, resumes=True)
