"""Results as data: what benchmarks write, when they are measured again, and how pages show them."""

import datetime
import json
import warnings
from pathlib import Path

import pytest

from benchmarks import render, results
from benchmarks.engine import EngineConfig
from benchmarks.field import FieldConfig
from benchmarks.record import FOLDER, ROOT, Benchmark, Results, changed_players, command_of
from console.errors import BadInput
from tests.commands import call

PAGES = {name: (ROOT / name).read_text() for name in render.PAGES}


def write(folder, name="guests", players=("dumb",), **changes):
    """Write a result with one table, as the benchmark of this name would; return what is stored."""
    config = Benchmark(save=str(folder / f"{name}.json"))
    with Results(name, config) as measured:
        table = measured.table("speed", ("player", -6), ("us", 8), players=players)
        for player, time in zip(players, ("0.3", "2,100.0"), strict=False):
            table.row(player, time)
    stored = json.loads((folder / f"{name}.json").read_text()) | changes
    (folder / f"{name}.json").write_text(json.dumps(stored))
    return stored


def test_a_benchmark_writes_the_table_that_it_prints(tmp_path):
    out = tmp_path / "field.json"
    done = call("benchmarks.field", "dumb", "--positions", 20, "--save", out)
    stored = json.loads(out.read_text())
    assert stored["command"] == "python -m benchmarks.field dumb --positions 20"
    assert set(stored) >= {"commit", "version", "date", "seconds", "cpu", "cores", "load"}
    [table] = stored["tables"].values()
    assert list(table["players"]) == ["dumb"]
    title, head, row = done.out.splitlines()
    assert title == table["title"]
    assert [head.split(), row.split()] == [" ".join(cells).split() for cells in table["rows"]]


def test_a_result_is_written_whole_or_not_at_all(tmp_path):
    before = write(tmp_path)
    with (
        pytest.raises(KeyboardInterrupt),
        Results("guests", Benchmark(save=str(tmp_path / "guests.json"))) as measured,
    ):
        measured.figures().add("half", "1 s")
        raise KeyboardInterrupt
    assert json.loads((tmp_path / "guests.json").read_text()) == before
    assert [file.name for file in tmp_path.iterdir()] == ["guests.json"]


def test_a_file_that_cannot_be_written_is_refused_before_measuring():
    with pytest.raises(BadInput, match=r"--save /nowhere/x\.json: there is no such folder"):
        Results("guests", Benchmark(save="/nowhere/x.json"))


def test_the_stored_command_leaves_defaults_and_paths_out():
    assert command_of("field", FieldConfig(save="x.json")) == "python -m benchmarks.field"
    assert command_of("engine", EngineConfig(proof=False, yardstick=__file__, positions=50)) == (
        "python -m benchmarks.engine --positions 50 --no-proof"
    )


def test_a_player_has_changed_if_its_mind_or_moves_have_or_if_it_is_gone(tmp_path):
    players = "dumb", "pro"
    table = write(tmp_path, players=players)["tables"]["speed"]
    assert not [*changed_players(table)]
    mind, moves = table["players"]["pro"].split("-")
    for digest in (f"00000000-{moves}", f"{mind}-00000000"):
        table["players"]["pro"] = digest
        assert [*changed_players(table)] == ["pro"]
    assert [*changed_players({"players": {"unheard": digest}})] == ["unheard"]


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Return the names of the benchmarks that a stand-in measures; oracle fails."""
    names = []

    def measure(name, file, yardstick):
        names.append(name)
        if name != "oracle":
            write(tmp_path, name)
        return int(name == "oracle")

    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "measure", measure)
    return names


def test_what_is_up_to_date_is_skipped_unless_forced(measured):
    names = ("benchmarks.results", "--only", "guests,web")
    assert call(*names).code == 0 and measured == ["guests", "web"]
    again = call(*names)
    assert again.out.count("up to date; it took 0.0 min last time") == 2
    assert measured == ["guests", "web"]
    call(*names, "--force")
    assert measured == 2 * ["guests", "web"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"command": "python -m benchmarks.guests --games 2"}, "another command"),
        ({"version": "00000000"}, "another version of the benchmark"),
        ({"tables": {"speed": {"players": {"dumb": "1-2"}}}}, "changed players: dumb"),
    ],
)
def test_what_is_out_of_date_is_measured_again(measured, tmp_path, changes, reason):
    write(tmp_path, "guests", **changes)
    listed = call("benchmarks.results", "--only", "guests", "--list")
    assert reason in listed.out and measured == []
    call("benchmarks.results", "--only", "guests")
    assert measured == ["guests"]


def test_a_benchmark_that_fails_does_not_stop_the_others(measured):
    done = call("benchmarks.results")
    assert measured == list(results.BENCHMARKS)
    assert (done.code, done.err) == (1, "not measured: oracle\n")


def test_a_benchmark_runs_as_a_process_that_saves_its_tables(capfd):
    assert results.measure("guests", Path("/nowhere/x.json"), None) == 2
    assert capfd.readouterr().err == "--save /nowhere/x.json: there is no such folder\n"


def test_an_unknown_result_is_refused_in_one_line():
    done = call("benchmarks.results", "--only", "field,unheard")
    assert done.code == 2 and done.err.startswith("--only unheard: give any of engine, oracle")


TEXT = """before
<!-- results: guests/speed -->
```text
old
```
<!-- end -->
<!-- results: web/figures -->
```text
not measured yet
```
<!-- end -->
"""
MARKDOWN = """<!-- results: guests/speed -->
| player | about | us |
|---|---|---|
| `pro` | searches | 9 |
| `dumb` | the first move | 9 |
| `mcts` | rollouts | 9 |
<!-- end -->
"""


def test_a_block_of_text_is_replaced_and_one_without_a_result_stays(tmp_path):
    write(tmp_path, players=("dumb", "pro"))
    page = render.fill(TEXT, render.read_tables(tmp_path))
    block = "```text\nplayer       us\ndumb        0.3\npro     2,100.0\n```\n<!-- end -->"
    assert page == TEXT.replace("```text\nold\n```\n<!-- end -->", block)
    assert [*render.unmeasured(page, render.read_tables(tmp_path))] == ["web/figures"]


def test_columns_of_a_markdown_table_are_filled_in_by_the_order_of_the_result(tmp_path):
    write(tmp_path, players=("dumb", "pro"))
    rows = render.fill(MARKDOWN, render.read_tables(tmp_path)).splitlines()[3:6]
    assert rows == [
        "| `dumb` | the first move | 0.3 |",
        "| `pro` | searches | 2,100.0 |",
        "| `mcts` | rollouts | 9 |",
    ]


@pytest.mark.parametrize("page", [TEXT, MARKDOWN])
def test_a_table_names_the_players_that_have_changed_since(page, tmp_path):
    stored = write(tmp_path, players=("dumb", "pro"))
    stored["tables"]["speed"]["players"]["pro"] = "0-0"
    (tmp_path / "guests.json").write_text(json.dumps(stored))
    once = render.fill(page, render.read_tables(tmp_path))
    assert "\nMeasured with an earlier version of `pro`.\n<!-- end -->" in once
    assert render.fill(once, render.read_tables(tmp_path)) == once


def test_the_files_are_listed_with_date_commit_and_machine(tmp_path):
    stored = write(tmp_path)
    _, league, guests = render.read_tables(tmp_path)["measured"]["rows"]
    assert guests[:4] == ["guests", *(stored[key] for key in ("date", "commit", "cpu"))]
    assert league[0] == "league" and datetime.date.fromisoformat(league[1])


@pytest.mark.parametrize("name", render.PAGES)
def test_the_pages_show_the_stored_results(name):
    """If this fails: python -m benchmarks.render."""
    tables = render.read_tables(FOLDER)
    assert render.fill(PAGES[name], tables) == PAGES[name]
    blocks = {match[2] for match in render.BLOCK.finditer(PAGES[name])}
    assert blocks and {block.partition("/")[0] for block in blocks} <= {
        *results.BENCHMARKS,
        "league",
        "measured",
    }
    for block in sorted(blocks & set(tables)):
        if changed := [*changed_players(tables[block])]:
            warnings.warn(f"{block}: {render.EARLIER}{', '.join(changed)}", stacklevel=1)


def test_a_result_whose_table_no_page_shows_is_reported():
    shown = {match[2] for page in PAGES.values() for match in render.BLOCK.finditer(page)}
    assert set(render.read_tables(FOLDER)) <= shown | {"measured"}


def test_the_page_of_results_is_small():
    assert len(PAGES["docs/results.md"].encode()) <= 25_000
