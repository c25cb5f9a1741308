"""A tournament: every player against every other, on all cores, kept as Parquet, judged with error bars.

    python -m arena.run random rulebased pro                 1,000 games a pair, seats alternating
    python -m arena.run --all --games 1000                   every player that there is
    python -m arena.run frontier pro --sprt 0,10             stops as soon as it is decided whether frontier is stronger by 10 Elo
    python -m arena.run rulebased mine.py:Mine --record      keeps every move, for python -m arena.annotate RUN

The same command again goes on where it was stopped; the result does not depend on the number of workers, nor on what failed.
"""

import argparse
import json
import sys
import time
from math import inf

import numpy as np

import agents
from agents.player import Player
from arena import standings
from arena.ratings import Ratings, rate
from arena.statistics import sprt
from arena.tournament import Match, commit, matches_of, restore, run_matches
from arena.workers import Workers
from console.command import BadInput, add_common, check_common, command_line, exit_code
from console.progress import Progress
from store import Run

SPRT_ROUND = 1000  # games after which the test looks again: fixed, so that the result does not depend on who was fast
SPRT_MOST = 1_000_000


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m arena.run", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="two or more of: " + ", ".join(agents.names()))
    parser.add_argument("--all", action="store_true", help="every player but human")
    parser.add_argument("--games", type=int, default=1000, help="games a pair, an even number (default %(default)s)")
    parser.add_argument("--record", action="store_true", help="keep the moves of every game")
    parser.add_argument("--sprt", metavar="ELO0,ELO1", help="two players: stop when it is decided, 5 %% error each way")
    parser.add_argument("--pairs", action="store_true", help="print a line for every pair, too")
    add_common(parser, "tournament")
    return parser


def check(asked: argparse.Namespace) -> list[Player]:
    check_common(asked, "tournament")
    specs = [name for name in agents.names() if name != "human"] if asked.all else []
    specs += asked.players
    if len(specs) < 2:
        raise BadInput(f"{len(specs)} player{'' if len(specs) == 1 else 's'} given: name two or more, or --all")
    if asked.games < 1 or asked.games % 2:
        raise BadInput(
            f"--games {asked.games}: give an even number, 2 or more: each player has each seat equally often"
        )
    try:
        players = [agents.make(spec) for spec in specs]
        if asked.sprt:
            asked.sprt = tuple(float(x) for x in asked.sprt.split(","))
            if len(asked.sprt) != 2 or not -inf < asked.sprt[0] < asked.sprt[1] < inf:
                raise ValueError("give two numbers, the smaller first, like 0,10")
    except ValueError as error:
        raise BadInput(f"--sprt: {error}" if asked.sprt and "float" in str(error) else str(error)) from None
    names = [player.spec for player in players]
    if len(set(names)) < len(names) or "human" in names:
        twice = next((n for n in names if names.count(n) > 1), "human")
        raise BadInput(
            f"{twice!r} cannot take part {'twice' if twice != 'human' else 'in a tournament: use arena.play'}"
        )
    if asked.sprt and len(players) != 2:
        raise BadInput(f"--sprt is for two players, {len(players)} were given")
    return players


def play_all(workers: Workers, run: Run, matches: list[Match], record: bool) -> float:
    """Play and commit what is missing; returns games/s."""
    for match in matches:
        if run.has(match.step):
            restore(run, match)
    progress = Progress("games", "games", sum(m.games for m in matches), done=sum(m.played for m in matches))
    played, started = 0, time.monotonic()

    def count(games: int) -> None:
        nonlocal played
        played += games
        progress.show(progress.first + played, f"{sum(m.is_done for m in matches)} of {len(matches)} matches")

    for match in run_matches(workers, matches, record, count):
        commit(run, match, record)
    progress.clear()
    return played / max(time.monotonic() - started, 1e-9)


def play_until_decided(
    workers: Workers, run: Run, players: list[Player], asked: argparse.Namespace
) -> tuple[list[Match], float]:
    """Rounds of a fixed size, each a committed match of its own, until the test has decided."""
    total = Match(0, *players, 0, 0)
    rates, index, decision = [], 0, None
    while decision is None and total.played < SPRT_MOST:
        match = matches_of(players, SPRT_ROUND, asked.seed + 1_000_003 * index)[0]
        match.index = index
        rates.append(play_all(workers, run, [match], asked.record))
        total.counts += match.counts
        total.played = total.games = total.played + match.games
        ratio, decision = sprt(*total.total, *asked.sprt)
        index += 1
        if match.games < SPRT_ROUND:
            break  # two players without chance: there is no more to learn
    low, high = asked.sprt
    word = {1: f"stronger by {high:g} Elo", 0: f"not stronger by {high:g} Elo (rather {low:g})", None: "not decided"}[
        decision
    ]
    print(
        f"{players[0].spec} is {word}: log likelihood ratio {ratio:.2f} after {total.played:,} games", file=sys.stderr
    )
    return [total], max(rates)


def ratings_of(players: list[Player], matches: list[Match]) -> Ratings:
    number = {player.spec: i for i, player in enumerate(players)}
    rows = []
    for match in matches:
        a, b = number[match.first.spec], number[match.second.spec]
        rows.append((a, b, *match.counts[0]))
        rows.append((b, a, *match.counts[1][::-1]))
    table = np.array(rows)
    return rate(len(players), table[:, 0], table[:, 1], table[:, 2:].astype(float))


def as_json(players: list[Player], matches: list[Match], ratings: Ratings, games_per_second: float, store: str) -> dict:
    results = []
    for m in matches:
        wins, draws, losses = m.total
        results.append(
            {
                "first": m.first.spec,
                "second": m.second.spec,
                "games": m.played,
                "wins": wins,
                "draws": draws,
                "losses": losses,
            }
        )
    elo = []
    for i, player in enumerate(players):
        low, high = ratings.interval(i)
        elo.append(
            {"player": player.spec, "elo": round(ratings.elo[i], 1), "low": round(low, 1), "high": round(high, 1)}
        )
    return {
        "players": [player.spec for player in players],
        "results": results,
        "elo": elo,
        "games_per_second": round(games_per_second, 1),
        "seat_elo": round(ratings.seat, 1),
        "store": store,
    }


def tournament(asked: argparse.Namespace) -> int:
    players = check(asked)
    config = {
        "players": [[p.spec, p.digest] for p in players],
        "games": asked.games,
        "seed": asked.seed,
        "record": asked.record,
    }
    config["sprt"] = list(asked.sprt) if asked.sprt else None
    with Run(asked.store, "tournament", config) as run:
        with Workers(asked.workers, asked.address, asked.patience, asked.dashboard) as workers:
            if asked.sprt:
                matches, speed = play_until_decided(workers, run, players, asked)
            else:
                matches = matches_of(players, asked.games, asked.seed)
                speed = play_all(workers, run, matches, asked.record)
        ratings = ratings_of(players, matches)
        if asked.json:
            print(json.dumps(as_json(players, matches, ratings, speed, run.address)))
        else:
            print(standings.standings(players, matches, ratings, speed, pairs=asked.pairs))
            print(f"\nkept in {run.address}; a page to look at: python -m arena.report {run.address}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = options().parse_args(arguments)
    return exit_code(lambda: tournament(asked), command_line("arena.run", arguments))


if __name__ == "__main__":
    sys.exit(main())
