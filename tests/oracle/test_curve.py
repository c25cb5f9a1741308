"""The learning curve: the contents of a point, when it is measured, and that it is reproducible."""

import pytest

import agents
from oracle import curve
from store import Run, StoreError
from web.pages.curve import curve_figures, curve_sections, curve_table, player_card
from workers.pool import Workers


class Backwards(Workers):
    """Workers that do the last task first."""

    def run(self, tasks):
        return super().run(list(tasks)[::-1])


@pytest.fixture(scope="module")
def point():
    return curve.measure(Workers(0), agents.make("rulebased"), 3, ("generation", 7))


def test_a_point_has_every_stage_and_every_rung(point):
    assert set(point["generation"].to_pylist()) == {7}
    rows = point.to_pylist()
    stages = [row for row in rows if row["measure"] == "right turns"]
    assert [row["what"] for row in stages] == [f"{placed} pieces" for placed in range(5, 13)]
    assert all(row["of"] == 125 and row["elo"] is None for row in stages)
    ladder = {row["what"]: row for row in rows if row["measure"] == "ladder"}
    assert [*ladder] == [*curve.LADDER]
    elo = [row["elo"] for row in ladder.values()]
    assert elo[0] == 0 and sorted(elo) == elo, "weakest first"
    shares = [row["points"] / row["of"] for row in ladder.values()]
    assert shares[0] > 0.9 > 0.6 > shares[1] > 0.4 > shares[2] > shares[4]


def test_a_point_depends_on_seed_and_number_but_not_on_the_workers(point):
    player = agents.make("rulebased")
    assert curve.measure(Backwards(0), player, 3, ("generation", 7)).equals(point)
    for seed, number in ((4, 7), (3, 8)):
        other = curve.measure(Workers(0), player, seed, ("generation", number))
        assert other["points"] != point["points"]


def test_points_of_a_long_run_become_rarer():
    due = [number + 1 for number in range(100) if curve.is_due(number)]
    assert due == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]


def test_stored_points_are_read_and_drawn_and_a_damaged_file_is_named(point, tmp_path):
    with Run(tmp_path / "run", "test", {}) as run:
        run.write("curve-00003", point)
    [stored] = curve.read_curve(run)
    assert stored.number == 7 and stored.right[1] == 1000 and stored.turns[5][1] == 125
    shown = [stored], [stored.number + 1], "rounds"
    [table] = curve_table(*shown)
    assert table.rows[1][0] == "8" and f"pro (Elo {curve.league_elo('pro')})" in table.rows[0]
    right, ladder = curve_figures(*shown).values()
    assert list(right.data[0].x) == [8] and len(ladder.data) == 5
    [section] = curve_sections(*shown)
    lines = section.figure.data
    assert len(lines) == 8 and [line.visible for line in lines].count("legendonly") == 5
    bars = player_card("The player", "", [stored], "").bars
    assert [bar.share for bar in bars] == sorted(bar.share for bar in bars)
    [own] = [bar for bar in bars if bar.own]
    assert own.share == pytest.approx(100 * stored.right[0] / stored.right[1])
    file = tmp_path / "run" / "curve-00003.parquet"
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(
        StoreError, match=r"curve-00003.*delete it, and the learning curve has a gap"
    ):
        curve.read_curve(run)
    assert curve_figures([], [], "rounds") == {} and curve_table([], [], "rounds") == []
