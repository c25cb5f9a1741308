"""Bad input to commands: one line that names it, code 2, no traceback, no new file."""

import shlex

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from cli import COMMANDS
from tests.commands import call

SMALL = {
    "tournament": "arena.run random dumb --games 2",
    "recorded": "arena.run random dumb --games 2 --record",
    "evolution": "evo.run --generations 1 --population 5 --offspring 5 --games 2 --fresh 2",
    "self-play": "selfplay.run --games 20 --tests 2",
}
BAD = """
engine.solve nothing                                     | argument 1: not a position: 'nothing'
engine.solve ''                                          | argument 1
engine.solve '4.../c.b./7.1./3ed. z'                     | 'z'
engine.solve '44../..../..../.... 0'                     | '44../..../..../.... 0'
engine.solve '4.../..../..../....'                       | '4.../..../..../....'
engine.solve '4.../..../.... 0'                          | '4.../..../.... 0'
engine.solve --table 0 '4.../c.b./7.1./3ed. 0'           | --table 0
engine.solve --table nan                                 | --table nan
engine.solve --table -1                                  | --table -1
engine.solve --table 1e300                               | --table 1e+300
engine.solve --nothing                                   | --nothing
oracle.solve --workers 0 nothing                          | argument 1: not a position: 'nothing'
oracle.solve --workers 0 '44../..../..../.... 0'          | '44../..../..../.... 0'
oracle.solve --table 0 '4.../c.b./7.1./3ed. 0'            | --table 0
oracle.solve --table nan                                  | --table nan
oracle.solve --workers -1                                 | --workers -1
oracle.solve --nothing                                    | --nothing
engine.compile --processes -1                             | --processes -1
oracle.book --table 0                                     | --table 0
oracle.book --check-every 0                               | --check-every 0
oracle.book --out {new}/no/book.parquet                   | --out
oracle.book --store {tournament}                          | {tournament}
oracle.book 6                                             | 6
agents rulebase                                          | did you mean rulebased
agents random pro                                        | pro
agents --markup                                          | --markup
arena.run random                                         | 1 player given
arena.run                                                | 0 players given
arena.run random unheard                                 | 'unheard'
arena.run random ''                                      | ''
arena.run random random                                  | 'random' cannot take part twice
arena.run random human                                   | 'human'
arena.run random pro:bound=x                             | bound=x
arena.run random pro:depth=1                             | depth
arena.run random pro:bound                               | 'bound'
arena.run random ga:alpha=nan                            | alpha=nan
arena.run random ga:run={new}                            | {new}
arena.run random ga:run={tournament}                     | {tournament}
arena.run random mine.py:Mine                            | mine.py
arena.run random dumb --games 0                          | --games 0
arena.run random dumb --games 3                          | --games 3
arena.run random dumb --games 1e3                        | --games 1e3
arena.run random dumb --games                            | --games
arena.run random dumb --sprt 10,0                        | --sprt 10,0
arena.run random dumb --sprt nan,1                       | --sprt nan,1
arena.run random dumb pro --sprt 0,10                    | --sprt
arena.run random dumb --store ''                         | --store ''
arena.run random dumb --store ftp://x/y                  | ftp://x/y
arena.run random dumb --store {file}                     | {file}
arena.run random dumb --store {others}                   | {others}
arena.run random dumb --store {parquet}                  | {parquet}
arena.run random dumb --store {evolution}                | {evolution}
arena.run random dumb --games 4 --store {tournament}     | {tournament}
arena.run random dumb --games 2 --store {damaged}        | {damaged}/match-0000.parquet
arena.run random dumb --workers -1                       | --workers -1
arena.run random dumb --workers 5000                     | --workers 5000
evo.run --workers 5000                                   | --workers 5000
selfplay.run --workers 5000                              | --workers 5000
arena.run random dumb --patience nan                     | --patience nan
arena.run random dumb --patience 0                       | --patience 0
arena.run random dumb --seed 1.5                         | --seed 1.5
terminal random                                        | B
terminal random unheard                                | 'unheard'
terminal random pro:bound=                             | bound=
terminal random dumb --games 0                         | --games 0
terminal random dumb --seed x                          | --seed x
terminal random dumb --save /nowhere/x.txt             | /nowhere/x.txt: cannot be written
terminal random dumb --games 2 --save /nowhere/x.txt   | /nowhere/x.txt: cannot be written
oracle.review                                             | RUN_OR_FILE
oracle.review {new}                                       | {new}: there is no such file, and no
oracle.review {file}                                      | {file}: line 1, move 1 'not': no dash
oracle.review {games} --game 2                            | {games}: line 4, move 2 '8-b1': piece 8
oracle.review {games} --game 0                            | --game 0
oracle.review {games} --match 0                           | --match 0: {games} is a file
web.pages {games} --out /nowhere/x.html                   | --out /nowhere/x.html
oracle.review {parquet}/data.parquet                      | {parquet}/data.parquet: is not a text
oracle.review {tournament}                                | {tournament}: holds no recorded games
oracle.review {others}                                    | {others}: holds no recorded games
oracle.review {recorded} --game 3                         | --game 3: {recorded} holds 2 games
oracle.review {recorded} --match 1                        | 'games-0001'; it has games-0000
oracle.accuracy                                           | no player given
oracle.accuracy human                                     | 'human'
oracle.accuracy random --store ''                         | --store ''
oracle.accuracy random --store {others}                   | {others}
oracle.annotate                                           | RUN
oracle.annotate {new}                                     | {new}
oracle.annotate {tournament}                              | --record
oracle.annotate {tournament} --patience nan               | --patience nan
oracle.certify                                            | PLAYER
oracle.certify unheard                                    | 'unheard'
oracle.certify human                                      | 'human'
oracle.certify dumb --pieces 9                            | --pieces 9
oracle.certify dumb --store {tournament}                  | {tournament}
oracle.openings {new}                                     | {new}
oracle.openings {tournament}                              | --record
oracle.openings {evolution}                               | --record
oracle.openings --pieces -1                               | --pieces -1
oracle.openings --pieces 7                                | --pieces 7
oracle.openings --pieces two                              | --pieces two
oracle.openings --count 0                                 | --count 0
oracle.puzzles --plies 4                                  | --plies 4
oracle.puzzles --plies 3,                                 | --plies 3,
oracle.puzzles --plies ''                                 | --plies
oracle.puzzles --count 0                                  | --count 0
oracle.puzzles --seed x                                   | --seed x
oracle.puzzles --run {new}                                | {new}
oracle.puzzles --run ''                                   | ''
oracle.puzzles --run {tournament}                         | --record
oracle.puzzles --out /nowhere/x.parquet                   | --out /nowhere/x.parquet
oracle.puzzles --out ''                                   | --out ''
oracle.puzzles --player prro                              | 'prro'
oracle.puzzles --player ''                                | ''
oracle.puzzles --player human                             | human
oracle.puzzles --player pro --count 5                     | --count
oracle.puzzles --missed                                   | --missed
oracle.puzzles 20                                         | 20
oracle.testset --positions 0                              | --positions 0
oracle.testset --out /nowhere/x.parquet                   | --out /nowhere/x.parquet
oracle.testset --out ''                                   | --out ''
web.pages {new}                                       | {new}
web.pages {damaged}                                   | delete
web.pages {tournament} --watch nan                    | --watch nan
web.pages {tournament} --watch 0                      | --watch 0
web.pages {tournament} --out /nowhere/x.html          | --out /nowhere/x.html
evo.run --genome unheard                                 | --genome unheard
evo.run --strategy es                                    | --strategy es
evo.run --generations 0                                  | --generations 0
evo.run --population 0                                   | --population 0
evo.run --population 3                                   | --population 3
evo.run --tournament 0                                   | --tournament 0
evo.run --offspring -5                                   | --offspring -5
evo.run --offspring 3 --strategy cma                     | --offspring 3
evo.run --games 7                                        | --games 7
evo.run --again 50                                       | --again 50
evo.run --fresh 0                                        | --fresh 0
evo.run --sigma 0                                        | --sigma 0
evo.run --sigma nan                                      | --sigma nan
evo.run --sigma 1e308 --strategy cma                     | --sigma 1e308
evo.run --sigma 1e308                                    | --sigma 1e308
evo.run --opponents ''                                   | --opponents ''
evo.run --opponents random,                              | --opponents
evo.run --opponents random,unheard                       | 'unheard'
evo.run --opponents human                                | human
evo.run --opponents random,random                        | random is named twice
evo.run --opponents pro:bound=1,depth=2                  | depth
evo.run --import ''                                      | --import ''
evo.run --import {tournament}                            | {tournament}
evo.run --islands 0                                      | --islands 0
evo.run --islands 2 --generations 30                     | --generations 30
evo.run --islands 2 --strategy cma                       | --islands 2
evo.run --islands 2 --migrants 100                       | --migrants 100
evo.run --epoch 5                                        | --epoch 5
evo.run --store ''                                       | --store ''
evo.run --store {others}                                 | {others}
evo.run --store {tournament}                             | {tournament}
evo.run --patience nan                                   | --patience nan
evo.run ga                                               | ga
web.pages {damaged}                                     | {damaged}
web.pages {evolution} --watch nan                       | --watch nan
selfplay.run --learner ga                                | --learner ga
selfplay.run --games 10                                  | --games 10
selfplay.run --games 100 --round 1000                    | --round 1000
selfplay.run --round 0                                   | --round 0
selfplay.run --size 0                                    | --size 0
selfplay.run --tests 1                                   | --tests 1
selfplay.run --store ''                                  | --store ''
selfplay.run --store {others}                            | {others}
selfplay.run --store {evolution}                         | {evolution}
selfplay.run --patience nan                              | --patience nan
selfplay.fit.dataset --positions 99                          | --positions 99
selfplay.fit.dataset --positions many                        | --positions many
selfplay.fit.dataset --store {others}                        | {others}
selfplay.fit.dataset --store {file}                          | {file}
selfplay.fit.fit_reward                                      | DATASET
selfplay.fit.fit_reward {new}                                | {new}
selfplay.fit.fit_reward {tournament}                         | {tournament}
selfplay.fit.fit_reward {new} --method forest                | --method forest
web.pages {self-play} --watch 0                    | --watch 0
cli.show                                               | RUN
cli.show {new}                                         | {new}
cli.show {others}                                      | {others}
cli.show {parquet}                                     | {parquet}/data.parquet
cli.show {damaged}                                     | {damaged}/match-0000.parquet
cli.show {tournament} games                            | 'games'
arena.recorded {tournament}                              | {tournament}: holds no recorded games
arena.recorded {recorded} match                          | 'match'; it has games-0000
arena.recorded {recorded} --csv x               | --csv x
cli.show {tournament} --csv -                          | --csv -
cli.show {tournament} match --csv /nowhere/x.csv       | --csv /nowhere/x.csv
cli.show {tournament} --rows -1                        | --rows -1
cli.show s3://                                         | s3://
cli.runs {new}                                         | {new}
cli.runs --compare {tournament}                        | --compare
cli.runs --compare {tournament} {new}                  | {new}
cli.runs --compare --remove {tournament}               | --remove
cli.runs --remove                                      | --remove
cli.runs --remove {others}                             | {others}
web.pages {parquet}                                     | {parquet}
"""
# commands whose own tests try bad input
ELSEWHERE = {
    "arena.conform",
    "cli.sprt",
    "oracle.compare",
    "selfplay.fit.fit_net",
    "selfplay.fit.turns",
    "web",
    "web.site",
}
CASES = [tuple(map(str.strip, line.split("|"))) for line in BAD.strip().splitlines()]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Return the paths that the table names: small runs, and folders and files that are no runs."""
    home = tmp_path_factory.mktemp("paths")
    paths = {
        name: home / name
        for name in (*SMALL, "new", "others", "parquet", "damaged", "file", "games")
    }
    for name, command in SMALL.items():
        done = call(*command.split(), "--workers", 0, "--store", paths[name])
        assert done.code == 0, done.err
    for name in ("others", "parquet", "damaged"):
        paths[name].mkdir()
    (paths["others"] / "letter.txt").write_text("Dear all\n")
    paths["file"].write_text("not a folder\n")
    # a valid game and an invalid one
    paths["games"].write_text("first: me\n8-a1 7-\n\n8-a1 8-b1\n")
    parquet.write_table(pa.table({"x": np.arange(3)}), paths["parquet"] / "data.parquet")
    whole = (paths["tournament"] / "match-0000.parquet").read_bytes()
    (paths["damaged"] / "match-0000.parquet").write_bytes(whole[:-100])
    return paths


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lines_of(text):
    return [line for line in text.splitlines() if "compiling" not in line]


@pytest.mark.parametrize(("command", "named"), CASES, ids=[command for command, _ in CASES])
def test_bad_input_is_one_line_that_names_it(paths, tmp_path, command, named):
    done = call(*(word.format(**paths) for word in shlex.split(command)))
    assert done.code == 2 and "Traceback" not in done.err
    (line,) = lines_of(done.err)
    assert named.format(**paths) in line
    assert done.out == "" and not any(tmp_path.iterdir()), "there is output or a new file"
    assert not paths["new"].exists()


def test_the_table_has_every_command_once_or_more_and_no_case_twice():
    commands = {command.split()[0] for command, _ in CASES}
    assert len(set(CASES)) == len(CASES)
    assert {command.module for command in COMMANDS.values()} - commands == ELSEWHERE


@pytest.mark.parametrize(
    "command",
    [
        "arena.run random pro:bound=1,value=1 --games 2 --workers 0",
        "terminal random pro:bound=1,value=1 --games 2",
        f"{SMALL['evolution']} --opponents random,pro:bound=1,value=1 --workers 0",
        f"{SMALL['evolution']} --opponents pro:bound=1,value=1,random --workers 0",
    ],
)
def test_commas_inside_a_spec_belong_to_it_in_all_commands(command):
    done = call(*command.split())
    assert done.code == 0 and "pro:bound=1,value=1" in done.out, done.err


def test_the_advice_for_a_damaged_file_works(paths, tmp_path):
    command = f"{SMALL['tournament']} --workers 0 --store {tmp_path / 'run'}".split()
    assert call(*command).code == 0
    file = tmp_path / "run" / "match-0000.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    line = call(*command).err
    assert f"{file}: is damaged" in line and "delete this file; the command that made" in line
    file.unlink()
    assert call(*command).code == 0


def test_foreign_files_in_a_store_are_not_changed(paths):
    assert call("evo.run", "--store", paths["others"]).code == 2
    assert [path.name for path in paths["others"].iterdir()] == ["letter.txt"]
