import pytest

import agents
from tests.commands import call, run


def test_all_players_have_a_line_and_each_can_be_told_whole():
    listed = call("agents.__main__")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == agents.names()


@pytest.mark.parametrize("name", agents.names())
def test_a_player_is_told_with_all_its_options(name):
    told = call("agents.__main__", name)
    options = type(agents.make(name)).options
    assert told.code == 0 and all(f"\n{option} " in told.out for option in options)


def test_an_unknown_player_is_one_line_and_code_2():
    told = call("agents.__main__", "rulbased")
    assert told.code == 2 and "did you mean rulebased" in told.err and told.err.count("\n") == 1


def test_the_command_runs_as_a_program():
    assert run("agents", "pro").out.startswith("pro, also called ProPlayer")
