"""Tournaments, as the listing commands describe them."""

from collections import defaultdict
from typing import Any

from store.kinds import Kind, Summary, Unit


class Tournament(Kind):
    name = "tournament"
    units = (Unit("match", "match", "matches"),)

    def total(self, run: Summary) -> int | None:
        return number_of_matches(run.config)

    def is_done(self, run: Summary) -> bool:
        total = self.total(run)
        enough = total is None or len(run.steps_called("match")) >= total
        return enough and not run.has_begun("match")

    def settings(self, config: dict[str, Any]) -> dict[str, str]:
        """Name the players in the first row."""
        players = {"players": ", ".join(player_words(config))}
        return super().settings(players | config | players)

    def versions(self, config: dict[str, Any]) -> dict[str, str]:
        return {label: digest for label, _, digest in config["players"]}

    def champion(self, run: Summary) -> str:
        """Return the player with the largest share of the points."""
        shares = points(run)
        return max(shares, key=lambda name: shares[name]) if shares else super().champion(run)

    def own_results(self, run: Summary) -> dict[str, str]:
        return {f"points of {name}": f"{100 * share:.1f} %" for name, share in points(run).items()}


def player_words(config: dict[str, Any]) -> list[str]:
    """Return the players as a command takes them: by spec, with the label where it differs."""
    return [label if label == spec else f"{label}={spec}" for label, spec, _ in config["players"]]


def number_of_matches(config: dict[str, Any]) -> int | None:
    """Return the number of matches of a complete tournament; None with a sequential test."""
    if config.get("sprt"):
        return None
    players = len(config["players"])
    return players * (players - 1) // 2


def points(run: Summary) -> dict[str, float]:
    points: dict[str, float] = defaultdict(float)
    games: dict[str, int] = defaultdict(int)
    for row in (row for step in run.steps_called("match") for row in run.run.rows(step)):
        scored = row["wins"] + row["draws"] / 2
        for name, share in ((row["first"], scored), (row["second"], row["games"] - scored)):
            points[name] += share
            games[name] += row["games"]
    return {name: points[name] / max(games[name], 1) for name in points}
