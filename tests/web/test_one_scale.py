"""One Elo and one time of a move for each player: README, results, league, levels, pages of players
and of runs read the same file."""

import json
import re

import pytest

from arena.standings import LEAGUE, shipped_league
from benchmarks.record import ROOT
from web.league import league_page, shipped
from web.levels import levels, player_page
from web.pages.curve import label
from web.roster import Roster
from web.runs import RunList

ROW = re.compile(r"^\|? *\d* *\|? ?`?(\w+)`? +.*?([+-]\d+) .*?([\d.,]+) us", re.MULTILINE)


@pytest.fixture(scope="module")
def figures():
    """Return (Elo, microseconds) by player."""
    seconds = json.loads(LEAGUE.read_text())["seconds"]
    return {
        row.player: (f"{row.elo:+.0f}", f"{1e6 * seconds[row.player]:.2f}")
        for row in shipped_league().elo
    }


def test_random_has_zero_and_every_player_takes_part(figures):
    assert figures["random"][0] == "+0" and len(figures) == 26


@pytest.mark.parametrize(("page", "players"), [("README.md", 11), ("docs/results.md", 26)])
def test_the_documents_show_the_figures_of_the_league(figures, page, players):
    blocks = re.findall(
        r"<!-- results: league/elo -->\n(.*?)<!-- end -->", (ROOT / page).read_text(), re.DOTALL
    )
    rows = ROW.findall(blocks[0])
    assert len(rows) == players
    for name, elo, time in rows:
        assert (elo, time) == figures[name]


def test_the_pages_show_the_figures_of_the_league(figures):
    [rows] = [s.rows for s in league_page(shipped()).sections if s.title == "Table"]
    elo, time = rows[0].index("Elo"), rows[0].index("a move, us")
    assert {row[1]: (row[elo], row[time]) for row in rows[1:]} == figures
    roster = Roster({}, RunList("runs"))
    listed = levels(roster)
    for described in (*listed["levels"], *listed["players"]):
        name = described.get("player") or described["name"]
        if name in figures:
            shown = f"{described['elo']:+d}", f"{described['microseconds']:.2f}"
            assert shown == figures[name]
            assert player_page(roster, name)["elo"] == described["elo"]


def test_the_learning_curve_names_players_with_the_elo_of_the_league(figures):
    for name in ("random", "rulebased", "pro"):
        assert label(name) == f"{name} (Elo {int(figures[name][0])})"
    assert label("bounded:nodes=500") == "bounded:nodes=500"
