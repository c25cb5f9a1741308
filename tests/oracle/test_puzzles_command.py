import json

import pyarrow.parquet as parquet
import pytest

from arena.draw import draw
from engine import Position
from engine.exact.solver import analyse
from engine.position import NONE
from engine.symmetry import canonical_key
from oracle import puzzles
from oracle.find_puzzles import PANEL, PIECES, TRIES, Panel
from oracle.puzzles import PUZZLES, PuzzlesConfig, as_table, make, read
from tests.commands import call

SHIPPED = read()


def winning_turns(position):
    """Yield (cell, piece) of each winning turn by the solver; piece NONE: the cell wins at once."""
    for cell in position.legal():
        after = position.place(cell)
        if after.is_won:
            yield cell, NONE
        elif not after.is_over:
            yield from ((cell, piece) for piece in after.legal() if analyse_given(after, piece) < 0)


def analyse_given(after, piece):
    return analyse(after.give(piece)).value


def check(puzzle):
    assert list(winning_turns(puzzle.position)) == [(puzzle.cell, puzzle.piece)]
    assert analyse(puzzle.position, distance=True).distance == puzzle.plies


def test_300_puzzles_are_shipped_all_different_and_the_easiest_first():
    plies = [puzzle.plies for puzzle in SHIPPED]
    assert {number: plies.count(number) for number in set(plies)} == {3: 100, 5: 100, 7: 100}
    assert len({canonical_key(puzzle.position) for puzzle in SHIPPED}) == 300
    ratings = [puzzle.rating for puzzle in SHIPPED]
    assert ratings == sorted(ratings) and ratings[0] < 0.2 and ratings[-1] == 1
    assert all(puzzle.position.placed in PIECES for puzzle in SHIPPED)
    assert PUZZLES.stat().st_size < 100_000


@pytest.mark.parametrize("puzzle", SHIPPED[::23], ids=lambda puzzle: puzzle.position.to_text())
def test_exactly_one_turn_wins_in_the_stated_number_of_placements(puzzle):
    check(puzzle)


def test_the_line_starts_with_the_turn_and_ends_with_the_win():
    for puzzle in SHIPPED[::10]:
        position, moves = puzzle.position, [word.rstrip("!") for word in puzzle.line.split()]
        assert all(word.endswith("!") for word in puzzle.line.split()[:2]), "no other turn wins"
        for number, word in enumerate(moves):
            giving = position.hand == NONE
            move = int(word, 16) if giving else "abcd".index(word[0]) * 4 + int(word[1]) - 1
            assert number > 1 or move == (puzzle.cell, puzzle.piece)[number]
            position = position.play(move)
        assert position.is_won and position.placed == puzzle.position.placed + puzzle.plies


def test_the_first_puzzles_are_reproduced():
    config = PuzzlesConfig(count=3, plies="3,5,7")
    again = make(config)
    assert len(again) == 9 and set(map(repr, again)) <= set(map(repr, SHIPPED))


def test_the_file_names_the_command_that_made_it():
    made_by = parquet.read_schema(PUZZLES).metadata[b"made by"].decode()
    assert made_by == "python -m oracle.puzzles --plies 3,5,7 --count 100 --seed 1"


def test_failures_are_counted_for_each_player():
    panel = Panel()
    for puzzle in SHIPPED[::60]:
        assert panel.failures(puzzle) == puzzle.failed and set(puzzle.failed) == set(PANEL)
        assert puzzle.rating == round(sum(puzzle.failed.values()) / TRIES / len(PANEL), 4)


def test_stronger_players_fail_less_often():
    failed = {name: sum(puzzle.failed[name] for puzzle in SHIPPED) for name in PANEL}
    assert failed["evolved"] < failed["minmax"] < failed["hardcoded"]
    by_plies = [[p.rating for p in SHIPPED if p.plies == plies] for plies in (3, 5, 7)]
    means = [sum(ratings) / len(ratings) for ratings in by_plies]
    assert means == sorted(means)


def test_a_win_in_one_is_a_single_cell():
    for puzzle in make(PuzzlesConfig(count=2, plies="1")):
        assert puzzle.position.winning_cells() == [puzzle.cell] and puzzle.piece == NONE
        check(puzzle)


def test_puzzles_from_the_games_of_a_run_are_written_and_read(tmp_path):
    run, file = tmp_path / "run", tmp_path / "mine.parquet"
    play = ("hardcoded", "rulebased", "--games", 30, "--record", "--workers", 0, "--store", run)
    assert call("arena.run", *play).code == 0
    options = ("--run", run, "--plies", "3", "--count", 500, "--out", file)
    done = call("oracle.puzzles", *options)
    (message,) = [line for line in done.err.splitlines() if "compiling" not in line]
    assert done.code == 0 and "500 were asked for" in message
    assert max(map(len, done.out.splitlines())) <= 80
    rows = json.loads(call("oracle.puzzles", *options, "--json").out)
    assert as_table(list(read(file))).to_pylist() == rows and len(rows) >= 1
    assert {(row["first"], row["second"]) for row in rows} == {("hardcoded", "rulebased")}
    assert all(row["position"] in done.out for row in rows)


def test_a_player_is_asked_every_puzzle_that_ships_once():
    done = call("oracle.puzzles", "--player", "pro")
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80
    rows = {line[:12].strip(): line[12:].split() for line in done.out.splitlines()[2:]}
    # pro draws no random numbers: it fails a puzzle in all of the panel's attempts or in none
    for plies in (3, 5, 7):
        failed = [puzzle.failed["pro"] > 0 for puzzle in SHIPPED if puzzle.plies == plies]
        assert rows[f"win in {plies}"][:2] == [str(100 - sum(failed)), "100"]
    groups = json.loads(call("oracle.puzzles", "--player", "pro", "--json").out)
    assert {group["puzzles"]: str(group["solved"]) for group in groups} == {
        name: row[0] for name, row in rows.items()
    }
    of = {group["puzzles"]: group["of"] for group in groups}
    assert of.pop("all") == 300 and sum(of.values()) == 600


def test_the_puzzles_that_a_player_misses_are_printed_on_request():
    done = call("oracle.puzzles", "--player", "pro", "--missed")
    missed = [puzzle for puzzle in SHIPPED if puzzle.failed["pro"]]
    assert f"pro misses {len(missed)} of 300 puzzles" in done.out
    assert all((p.position.to_text() in done.out) == (p in missed) for p in SHIPPED)
    rows = json.loads(call("oracle.puzzles", "--player", "pro", "--missed", "--json").out)
    assert rows == as_table(missed).to_pylist()
    done = call("oracle.puzzles", "--player", "perfect", "--missed", "--show")
    assert done.out == "perfect misses 0 of 300 puzzles\n"


def test_a_class_in_a_file_of_the_user_is_asked_too():
    groups = json.loads(
        call("oracle.puzzles", "--player", "examples/my_player.py:MyPlayer", "--json").out
    )
    assert groups[-1]["puzzles"] == "all" and 0 < groups[-1]["solved"] < 300


def test_show_draws_the_board_and_prints_the_line(monkeypatch):
    monkeypatch.setattr(puzzles, "make", lambda config: list(SHIPPED[:2]))
    out = call("oracle.puzzles", "--show").out
    for puzzle in SHIPPED[:2]:
        title = f"win in {puzzle.plies}, rated {100 * puzzle.rating:.1f} %"
        drawn = draw(puzzle.position, [puzzle.position.to_text(), title])
        assert f"{drawn}\n{puzzle.line}\n" in out


def test_the_last_cell_is_part_of_the_position():
    puzzle = SHIPPED[0]
    assert puzzle.position.last != NONE
    assert puzzle.position._replace(last=NONE) == Position.parse(puzzle.position.to_text())
