"""Certificates against brute force, in play, and under their validator in examples/."""

import csv
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import agents
from engine import canonical_key
from engine.exact.solver import solve
from engine.notation import cell_name
from engine.position import Position
from engine.symmetry import from_key
from oracle.turn_values import fill_turn_values, quiet_position, solver_memory
from store import Run
from tests.commands import (
    call,
    interrupt,
    kill_and_resume,
    result_of,
    tables,
    tasks_kept,
    watch_calls,
)

PLAYER, PIECES = "bounded:nodes=100", 4
COMMAND = "oracle.certify", PLAYER, "--pieces", PIECES
VALIDATOR = Path(__file__).parents[2] / "examples/validate_strategy.py"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return the run of a player that errs, and what the command prints."""
    path = tmp_path_factory.mktemp("certify") / "run"
    return path, result_of(*COMMAND, "--workers", 0, "--store", path)


@pytest.fixture(scope="module")
def validator():
    return SimpleNamespace(**runpy.run_path(str(VALIDATOR)))


def handed_over(player, position):
    """Return what a player may hand over, nothing if it wins. A first cell is drawn."""
    cells = [player.place(position)] if position.occupied else range(16)
    boards = [position.place(cell) for cell in cells]
    return [board.give(player.give(board)) for board in boards if not board.is_won]


def replies(handed):
    boards = [handed.place(cell) for cell in handed.legal()]
    return {canonical_key(board.give(piece)) for board in boards for piece in board.legal()}


def follow(first, pieces, mended):
    """Return the keys and the number of errors by pieces, by the rules and `solve`. `mended`: by
    key, what is handed over in place of an error; None: an error that loses ends the game."""
    player, start = agents.make(PLAYER), Position.start().give(0)
    keys = {canonical_key(start)} if first == 0 else replies(start)
    reached, errors = {}, {}
    for placed in range(first, pieces + 1, 2):
        reached[placed], errors[placed], following = keys, 0, set()
        for position in (from_key(np.uint64(key), True) for key in keys):
            for handed in handed_over(player, position):
                wrong = -solve(handed) < solve(position)
                errors[placed] += wrong
                if wrong and mended is not None:
                    handed = from_key(np.uint64(mended[canonical_key(position)]), True)
                    assert -solve(handed) == solve(position)
                if placed + 2 <= pieces and solve(handed) < 1:
                    following |= replies(handed)
        keys = following
    return reached, errors


@pytest.mark.parametrize("first", [0, 1])
def test_a_certificate_holds_what_brute_force_reaches(certificate, first):
    path, printed = certificate
    stored = Run(path)
    exceptions = stored.table("exceptions").to_pylist()
    mended = {row["key"]: row["after"] for row in exceptions}
    levels = {level["pieces"]: level for level in printed["levels"]}
    for name, some in (("alone", None), ("mended", mended)):
        reached, errors = follow(first, PIECES, some)
        for placed, keys in reached.items():
            rows = stored.read(f"level-{placed:02d}").to_pylist()
            assert {row["key"] for row in rows if row[name]} == keys
            assert levels[placed][name] == len(keys)
            count = "errors" if name == "alone" else "exceptions"
            assert levels[placed][count] == errors[placed]
    assert sum(level["exceptions"] for level in levels.values()) == len(exceptions) > 100


def turn_to(position, key):
    """Return what a turn hands over that leads to an equivalent of the position with this key."""
    boards = [position.place(cell) for cell in position.legal()]
    handed = [board.give(piece) for board in boards if not board.is_won for piece in board.legal()]
    return next(after for after in handed if canonical_key(after) == key)


def test_in_play_the_mended_strategy_stays_in_the_certificate(certificate):
    """The opponent plays at random, in positions that are not canonical."""
    player, stored = agents.make(PLAYER), Run(certificate[0])
    mended = {row["key"]: row["after"] for row in stored.table("exceptions").to_pylist()}
    keys = {row["key"] for row in stored.table("level").to_pylist() if row["mended"]}
    rng = np.random.default_rng(1)
    for game in range(300):
        position = Position.start().give(int(rng.integers(16)))
        own = game % 2 == 0
        while position.placed <= PIECES and not position.winning_cells():
            if own:
                key = canonical_key(position)
                assert key in keys
                [handed, *_] = handed_over(player, from_key(np.uint64(key), True))
                position = turn_to(position, mended.get(key, canonical_key(handed)))
                assert solve(position) < 1
            else:
                position = position.place(int(rng.choice(position.legal())))
                position = position.give(int(rng.choice(position.legal())))
            own = not own


def test_a_killed_certificate_is_continued_by_failing_workers(certificate, tmp_path, simulated_ray):
    continued = kill_and_resume(tmp_path, "level-03", "level-04", *COMMAND, workers=2)
    assert continued == tables(certificate[0])


def test_an_interrupted_level_is_resumed_where_it_stopped(certificate, tmp_path, monkeypatch):
    hundred = SimpleNamespace(games=100, learn=lambda *measured: None)
    monkeypatch.setattr("oracle.certify.Pace", lambda: hundred)
    words = *COMMAND, "--workers", 0, "--store", tmp_path
    interrupt("oracle.certify.judge_positions", 20, *words)
    kept = tasks_kept(tmp_path)
    judged = watch_calls(monkeypatch, "oracle.certify.judge_positions")
    assert call(*words).code == 0 and tables(tmp_path) == tables(certificate[0])
    last_level = Run(tmp_path).read("level-04").num_rows
    assert len(kept) > 5 and len(judged) == -(-last_level // 100) - len(kept)


def test_a_longer_certificate_continues_the_run_of_a_shorter_one(certificate, tmp_path):
    done = call(*COMMAND[:-1], 2, "--workers", 0, "--store", tmp_path)
    assert done.code == 0 and "level-03" not in tables(tmp_path)
    assert call(*COMMAND, "--workers", 0, "--store", tmp_path).code == 0
    assert tables(tmp_path) == tables(certificate[0])


def test_a_player_that_misses_a_win_errs(tmp_path):
    assert (
        call("oracle.certify", "dumb", "--pieces", 4, "--workers", 0, "--store", tmp_path).code == 0
    )
    rows = Run(tmp_path).table("exceptions").to_pylist()
    wins = [row for row in rows if row["after"] == 0]
    assert wins and len(wins) < len(rows)
    for position, cell in ((Position.parse(row["position"]), row["kept"]) for row in wins):
        assert cell in [cell_name(cell) for cell in position.winning_cells()]


def test_a_player_with_chance_is_refused_unless_its_stream_is_fixed(tmp_path):
    words = "oracle.certify", "perfect", "--pieces", 3, "--workers", 0
    refused = call(*words, "--store", tmp_path / "no")
    # lines before it may say that a kernel is being compiled
    assert refused.code == 2 and "--fix-chance" in refused.err.splitlines()[-1]
    levels = result_of(*words, "--fix-chance", "--store", tmp_path / "run")["levels"]
    assert levels[-1]["alone"] > 100 and not any(level["errors"] for level in levels)


def validate(path, *words):
    command = [sys.executable, "-I", VALIDATOR, path, *words]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=240)


def test_the_validator_accepts_a_certificate_and_rejects_wrong_ones(certificate, tmp_path):
    path = tmp_path / "certificate.csv"
    assert call("cli.show", certificate[0], "level", "--csv", path).code == 0
    whole = "--part", 1, "--searches", 0
    accepted = validate(path, *whole)
    assert accepted.returncode == 0 and " replies" in accepted.stdout, accepted
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["mended"] == "true"]
    placed = [from_key(np.uint64(int(row["key"])), True).placed for row in rows]
    second, last = placed.index(2), placed.index(4)
    wrong = {
        "the cell is taken": [*rows[:second], rows[second] | {"kept": 1}, *rows[second + 1 :]],
        "a reply leads out": [*rows[:last], *rows[last + 1 :]],
        "a first position is missing": [row for row in rows if row["key"] != "0"],
    }
    for message, some in wrong.items():
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(some)
        rejected = validate(path, *whole)
        assert rejected.returncode == 1 and message in rejected.stderr, (message, rejected)
        assert rejected.stderr.startswith("wrong: ") and rejected.stderr.count("\n") == 1


def late_positions(count):
    """Yield positions of ten pieces in which turns differ, with their value and that of turns."""
    values = np.zeros(256, np.int8)
    for index in range(count):
        position = quiet_position(5, 10, index)
        position = from_key(np.uint64(canonical_key(position)), True)
        fill_turn_values(position, values, solver_memory())
        yield position, solve(position), values


def test_the_validator_searches_exactly(validator):
    values_met = set()
    for position, value, _ in late_positions(40):
        board, known = validator.board_of(canonical_key(position)), {}
        assert validator.can(board, 0, True, known) == (value == 1)
        assert validator.can(board, 0, False, known) == (value >= 0)
        values_met.add(value)
    assert values_met == {1, 0, -1}


def test_the_validator_finds_a_last_turn_that_loses(validator):
    """The other positions are not checked: only those that must be there are."""
    options = SimpleNamespace(part=0, searches=1, seed=0)
    starts = validator.replies(validator.Board([0] * 4, 0, 0xFFFE), 0)
    first = {key: [1] for key in (0, *starts)}
    found = {"loses": 0, "keeps": 0}
    for position, value, values in late_positions(20):
        safe = [
            t for t in range(256) if values[t] > -1 or (values[t] == -1 and is_safe(position, t))
        ]
        for turn in safe[:5] if value >= 0 else []:
            turns = first | {canonical_key(position): [turn]}
            if values[turn] < 0:
                with pytest.raises(ValueError, match="the opponent wins by force"):
                    validator.check(turns, options)
            else:
                assert "1 turns searched" in validator.check(turns, options)
            found["loses" if values[turn] < 0 else "keeps"] += 1
    assert all(found.values()), found


def is_safe(position, turn):
    return not position.place(turn >> 4).give(turn & 15).winning_cells()


def test_a_level_may_hold_more_values_than_tables_that_are_read_as_objects(monkeypatch, tmp_path):
    monkeypatch.setattr("store.schema.MOST_OBJECTS", 100)
    done = call("oracle.certify", PLAYER, "--pieces", 3, "--workers", 0, "--store", tmp_path)
    assert done.code == 0, done.err
    assert Run(tmp_path).read("level-03").num_rows > 100
