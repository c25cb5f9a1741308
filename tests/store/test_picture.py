"""Runs in a notebook: the picture of a learning curve, and the table of steps."""

import re
from xml.etree import ElementTree

import pyarrow as pa

from store import Run
from store.curve import GAMES, TURNS, Point
from store.picture import MOST_LINES, MOST_POINTS, curve_svg, lines_of

MARKUP = "<script>alert(1)</script>"


def point(number, share=0.5, ladder=("random",)):
    games = {name: (100 * share, 100) for name in ladder}
    return Point(number, {5: (round(80 * share), 80), 6: (round(20 * share), 20)}, games, "round")


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.text]


def places(svg):
    """Return the points of each line of the picture."""
    lines = re.findall(r'<polyline points="([^"]*)"', svg)
    return [[tuple(map(float, at.split(","))) for at in line.split()] for line in lines]


def curve_table(points):
    rows = []
    for one in points:
        rows += [(one.number, TURNS, f"{n} pieces", *map(float, c)) for n, c in one.turns.items()]
        rows += [(one.number, GAMES, name, *map(float, c)) for name, c in one.ladder.items()]
    names = "round", "measure", "what", "points", "of"
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    whole = pa.int64()
    table = table.append_column("elo", pa.nulls(len(table), whole))
    return table.set_column(4, "of", table["of"].cast(whole))


def test_a_curve_is_drawn_from_its_points():
    svg = curve_svg([point(0, 0.0), point(4, 0.5), point(8, 1.0)], "a run")
    turns, games = places(svg)
    assert turns == games and turns[0][0] < turns[1][0] < turns[2][0]
    assert turns[1][0] - turns[0][0] == turns[2][0] - turns[1][0]
    assert turns[0][1] > turns[1][1] > turns[2][1]
    shown = texts(svg)
    assert {"a run", "right turns", "against random", "0", "8", "round", "100 %"} <= set(shown)


def test_a_single_point_is_a_dot_in_the_middle():
    [line, _] = places(svg := curve_svg([point(7)], "a run"))
    assert len(line) == 1 and svg.count("<circle") == 2


def test_shares_that_are_no_percentages_are_left_out():
    bad = Point(2, {5: (1, 0)}, {"random": (float("nan"), 10), "pro": (1e300, 1)}, "round")
    lines = lines_of([point(1, ladder=("random", "pro")), bad])
    assert {name: len(line) for name, line in lines.items()} == {
        "right turns": 1,
        "against random": 1,
        "against pro": 1,
    }


def test_a_picture_has_a_limited_size():
    ladder = [f"player {i} {'x' * 1000}" for i in range(50)]
    svg = curve_svg([point(number, ladder=ladder) for number in range(10_000)], "y" * 1000)
    lines = places(svg)
    assert len(lines) == MOST_LINES and max(map(len, lines)) <= MOST_POINTS
    assert max(map(len, texts(svg))) <= 80 and len(svg) < 100_000


def test_a_notebook_shows_a_run_as_its_curve_with_names_as_text(tmp_path):
    with Run(tmp_path / MARKUP.replace("/", "."), "self-play", {}) as run:
        run.write("curve-00000", curve_table([point(0, ladder=[MARKUP[:24], "\x1b[2J"])]))
    view = run._repr_mimebundle_(include=None, exclude=None)
    assert view.keys() == {"text/plain", "image/svg+xml"} and view["text/plain"] == repr(run)
    svg = view["image/svg+xml"]
    assert "<script" not in svg and "\x1b" not in svg
    assert any("against <script>" in text for text in texts(svg))


def test_a_run_without_a_curve_is_a_table_of_its_steps(tmp_path):
    with Run(tmp_path / "run", "test", {}) as run:
        for step in ("match-0000", "match-0001", "mind"):
            run.write(step, pa.table({"a": [1]}))
    html = run._repr_mimebundle_()["text/html"]
    assert re.findall(r">(\w+)</td><td[^>]*>(\d+)<", html) == [("match", "2"), ("mind", "1")]
    assert "run: test, 3 steps</caption>" in html
    assert Run(tmp_path / "nothing")._repr_mimebundle_().keys() == {"text/plain"}


def test_a_run_with_a_damaged_curve_is_its_text(tmp_path):
    with Run(tmp_path / "run", "self-play", {}) as run:
        run.write("curve-00000", curve_table([point(0)]))
    file = tmp_path / "run" / "curve-00000.parquet"
    file.write_bytes(file.read_bytes()[:-50])
    assert Run(tmp_path / "run")._repr_mimebundle_().keys() == {"text/plain"}
