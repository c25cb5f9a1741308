import json
import signal
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "engine.solve"]
EXAMPLE = "4.../c.b./7.1./3ed. 0"


def run(*arguments, text=""):
    return subprocess.run([*COMMAND, *arguments], input=text, capture_output=True, text=True, timeout=120)


def test_positions_as_arguments_are_answered_in_order():
    done = run(EXAMPLE, "..../.4../.7../..b. e")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [f"{EXAMPLE}  win", "..../.4../.7../..b. e  draw"]


def test_a_bad_line_is_named_and_the_rest_is_answered():
    done = run("--json", text=f"{EXAMPLE}\n\nnonsense here\n{EXAMPLE[:-1]}4\n0123/..../..../.... -\n")
    assert done.returncode == 2
    assert [json.loads(line)["value"] for line in done.stdout.splitlines()] == [1, 1]
    errors = [line for line in done.stderr.splitlines() if line.startswith("line ")]
    assert len(errors) == 2
    assert errors[0].startswith("line 3: not a position") and errors[1].startswith("line 4: ")
    assert "in hand and on the board" in errors[1] and "Traceback" not in done.stderr


def test_moves_shows_the_value_of_every_move():
    done = run("--moves", EXAMPLE)
    assert done.stdout.splitlines()[1:] == ["  place win   3 15", "  place draw  2 5 7", "  place loss  1 9 11"]
    said = json.loads(run("--moves", "--json", "4.../c.b./7.1./3ed. -").stdout)
    assert said["kind"] == "give" and set(said["moves"]) == set("02568af9")


@pytest.mark.parametrize("arguments", [["--table", "0"], ["--table", "x"], ["--unknown"], ["--table", "1e99"]])
def test_bad_options_end_with_code_2_and_no_traceback(arguments):
    done = run(*arguments, EXAMPLE)
    assert done.returncode == 2 and "Traceback" not in done.stderr and done.stderr


def test_control_c_ends_a_long_proof_with_code_130():
    proof = subprocess.Popen(
        COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in proof.stderr:
        if line.startswith("proving"):
            break
    with pytest.raises(subprocess.TimeoutExpired):
        proof.wait(1)
    proof.send_signal(signal.SIGINT)
    _, errors = proof.communicate(timeout=10)
    assert proof.returncode == 130 and "interrupted" in errors and "Traceback" not in errors
