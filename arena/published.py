"""Matches in the players' reports (published.json), and the results of their code run again."""

import json
from pathlib import Path

# first, second, published wins (or null), published games, result of the original code run again in
# percent, games here
MATCHES: list[tuple[str, str, int | None, int, str, int]] = [
    tuple(row) for row in json.loads(Path(__file__).with_name("published.json").read_text())
]
