import json
import signal
import subprocess

import pytest

from tests import commands
from tests.commands import INTERRUPTED, TIMEOUT, call, start

EXAMPLE = "4.../c.b./7.1./3ed. 0"


def run(*arguments, text=""):
    return commands.run("engine.solve", *arguments, text=text)


def test_positions_as_arguments_are_answered_in_order():
    done = run(EXAMPLE, "..../.4../.7../..b. e")
    assert done.code == 0
    assert done.out.splitlines() == [f"{EXAMPLE}  win", "..../.4../.7../..b. e  draw"]


def test_a_bad_line_is_reported_and_the_rest_is_solved():
    done = run(
        "--json", text=f"{EXAMPLE}\n\nnonsense here\n{EXAMPLE[:-1]}4\n0123/..../..../.... -\n"
    )
    assert done.code == 2
    assert [json.loads(line)["value"] for line in done.out.splitlines()] == [1, 1]
    errors = [line for line in done.err.splitlines() if line.startswith("line ")]
    assert len(errors) == 2
    assert errors[0].startswith("line 3: not a position") and errors[1].startswith("line 4: ")
    assert "in hand and on the board" in errors[1] and "Traceback" not in done.err


def test_the_option_moves_shows_the_value_of_every_move():
    done = run("--moves", EXAMPLE)
    assert done.out.splitlines()[1:] == [
        "  place win   a4 d4",
        "  place draw  a3 b2 b4",
        "  place loss  a2 c2 c4",
    ]
    result = json.loads(run("--moves", "--json", "4.../c.b./7.1./3ed. -").out)
    assert result["kind"] == "give" and set(result["moves"]) == set("02568af9")


def test_distance_and_line_show_the_way_to_a_win():
    done = run("--moves", "--distance", "--line", EXAMPLE)
    first, *lines = done.out.splitlines()
    assert first == f"{EXAMPLE}  win in 7"
    assert "  place loss  a2 (in 6) c2 (in 2) c4 (in 6)" in lines
    assert lines[-1] == "  best line   a4 6! a3 f a2! 5! c2 8 d4! a! b2 2 c4!"
    result = json.loads(run("--json", "--moves", "--distance", EXAMPLE).out)
    distances = result["distances"]
    assert (result["distance"], distances["c2"], distances["a3"]) == (7, 2, None)
    drawn = json.loads(run("--json", "--distance", "4.../c.b./7.1./3e.. 0").out)
    assert drawn["distance"] is None


@pytest.mark.parametrize(
    "arguments",
    [["--table", "0"], ["--table", "x"], ["--unknown"], ["--table", "nan"], ["--table", "1e99"]],
)
def test_bad_options_end_with_code_2_and_no_traceback(arguments):
    done = call("engine.solve", *arguments, EXAMPLE)
    assert done.code == 2 and "Traceback" not in done.err and done.err


@pytest.mark.parametrize(("command", "seconds"), [("engine.solve", 1), ("oracle.solve", 2)])
def test_control_c_ends_a_long_proof_with_code_130(command, seconds):
    with start(command, stdin=subprocess.DEVNULL) as proof:
        for line in proof.stderr:
            if line.startswith("proving"):
                break
        with pytest.raises(subprocess.TimeoutExpired):
            proof.wait(seconds)
        proof.send_signal(signal.SIGINT)
        _, errors = proof.communicate(timeout=TIMEOUT)
    assert proof.returncode in INTERRUPTED and "interrupted" in errors and "Traceback" not in errors
