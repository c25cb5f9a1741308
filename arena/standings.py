"""A tournament as tables for the terminal."""

import time

import numpy as np

from agents.custom import PlayerError
from agents.player import Player
from arena.match import play
from arena.ratings import Ratings
from arena.statistics import wilson
from arena.tournament import Match
from console.table import aligned

FEW_PAIRS = 15  # so many are always printed one by one


def standings(players: list[Player], matches: list[Match], ratings: Ratings, speed: float, pairs: bool) -> str:
    parts = [elo_table(players, matches, ratings)]
    if len(players) > 2:
        parts.append("points in percent, row against column\n" + matrix(players, matches, ratings))
    if pairs or len(matches) <= FEW_PAIRS:
        parts.append(pair_table(matches))
    seat = f"giving first is worth {ratings.seat:+.0f} Elo (+-{ratings.seat_error:.0f})"
    games = sum(match.played for match in matches)
    return "\n\n".join(parts) + f"\n\n{games:,} games, {speed:,.0f}/s; {seat}"


def order(ratings: Ratings) -> list[int]:
    """Strongest first."""
    return sorted(range(len(ratings.elo)), key=lambda i: -ratings.elo[i])


def elo_table(players: list[Player], matches: list[Match], ratings: Ratings) -> str:
    rows = [["", "player", "Elo", "95 %", "points", "better than the next", "a move"]]
    ranked = order(ratings)
    for place, i in enumerate(ranked, 1):
        low, high = ratings.interval(i)
        games, points = points_of(players[i].spec, matches)
        following = f"{100 * ratings.superiority(i, ranked[place]):.1f} %" if place < len(ranked) else ""
        rows.append(
            [
                str(place),
                players[i].spec,
                f"{ratings.elo[i]:+.0f}",
                f"{low:+.0f} .. {high:+.0f}",
                f"{100 * points / max(games, 1):.1f} %",
                following,
                move_time(players[i]),
            ]
        )
    return aligned(rows)


def points_of(name: str, matches: list[Match]) -> tuple[int, float]:
    """(games, points) of a player; a draw is half a point."""
    games = points = 0
    for match in matches:
        wins, draws, losses = match.total
        if name in (match.first.spec, match.second.spec):
            games += match.played
            points += (wins if name == match.first.spec else losses) + draws / 2
    return games, points


def matrix(players: list[Player], matches: list[Match], ratings: Ratings) -> str:
    ranked = order(ratings)
    share = {}
    for match in matches:
        wins, draws, _ = match.total
        points = (wins + draws / 2) / max(match.played, 1)
        share[match.first.spec, match.second.spec] = points
        share[match.second.spec, match.first.spec] = 1 - points
    names = [players[i].spec for i in ranked]
    rows = [["", *(str(i) for i in range(1, len(names) + 1))]]
    for i, name in enumerate(names, 1):
        rows.append([f"{i} {name}", *(f"{100 * share[name, o]:.0f}" if (name, o) in share else "-" for o in names)])
    return aligned(rows)


def pair_table(matches: list[Match]) -> str:
    rows = [["first", "second", "games", "wins", "95 %", "draws", "95 %", "losses", "95 %"]]
    for match in matches:
        row = [match.first.spec, match.second.spec, f"{match.played:,}"]
        for count in match.total:
            low, high = wilson(count, match.played)
            row += [f"{100 * count / match.played:.1f}", f"{100 * low:.1f} .. {100 * high:.1f}"]
        rows.append(row)
    return aligned(rows)


def move_time(player: Player, seconds: float = 0.1) -> str:
    """Mean time of a decision, measured on games against itself."""
    games, decisions, spent = 2, 0, 0.0
    while spent < seconds and (player.compiled or games < 32):
        started = time.perf_counter()
        try:
            moves = play(player, player, seed=1, games=games, first=decisions & ~1, record=True).moves
        except PlayerError:
            return "-"
        spent += time.perf_counter() - started
        decisions += int(np.count_nonzero(moves >= 0))
        games *= 2
    each = spent / max(decisions, 1)
    return f"{1e6 * each:.2f} us" if each < 1e-3 else f"{1e3 * each:.1f} ms"
