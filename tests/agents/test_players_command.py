import pytest

import agents
from tests.commands import call, run


def test_the_list_has_one_line_for_each_player():
    listed = call("agents.__main__")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == agents.names()


@pytest.mark.parametrize("name", agents.names())
def test_a_player_is_described_with_all_its_options(name):
    done = call("agents.__main__", name)
    options = type(agents.make(name)).options
    assert done.code == 0 and all(f"\n{option} " in done.out for option in options)


def test_an_unknown_player_is_one_line_and_code_2():
    done = call("agents.__main__", "rulbased")
    assert done.code == 2 and "did you mean rulebased" in done.err and done.err.count("\n") == 1


def test_the_command_runs_as_a_program():
    assert run("agents", "pro").out.startswith("pro, also called ProPlayer")
