"""Exit codes and error lines of commands, for any input and any kind of output stream.

The command is `cli.show`, which prints and exports tables and is quick to start."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from console.command import exit_code
from console.errors import BadInput, UserError
from console.progress import Progress
from store import Run
from tests.commands import TIMEOUT, call, start


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return a run with more to print than fits into a pipe, and with non-ASCII characters."""
    folder = tmp_path_factory.mktemp("console") / "run"
    with Run(folder, "demo", {"seed": 1}) as run:
        run.write("numbers", pa.table({"name": ["×−" * 40] * 20_000, "n": range(20_000)}))
    return folder


def shell(line, *arguments, **environment):
    """Run a shell line in which "$@" is the command; return (code, stdout, stderr)."""
    command = [sys.executable, "-m", "cli.show", *map(str, arguments)]
    done = subprocess.run(
        ["bash", "-c", line, "bash", *command],
        capture_output=True,
        text=True,
        # unbuffered, Python itself does not notice that a pipe has accepted only a part
        env=os.environ | {"PYTHONUNBUFFERED": ""} | environment,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [["numbers", "--rows", 20_000], ["numbers", "--csv", "-"]])
def test_a_reader_that_closes_the_pipe_ends_a_command_silently(stored, arguments):
    line = '"$@" | head -1; exit ${PIPESTATUS[0]}'
    code, out, err = shell(line, stored, *arguments)
    assert code == 141 and len(out.splitlines()) == 1 and err == ""


@pytest.mark.parametrize("arguments", [[], ["numbers", "--rows", 20_000], ["--help"]])
def test_a_full_disk_is_reported_in_one_line(stored, arguments):
    code, _, err = shell('"$@" >/dev/full', stored, *arguments)
    assert code == 1 and err == "output: cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("line", "code"), [('"$@" >&-', 0), ('"$@" 2>&-', 0), ('"$@" >&- 2>&-', 0)]
)
def test_closed_streams_do_no_harm(stored, line, code):
    assert shell(line, stored, "numbers")[::2] == (code, "")


def test_bad_input_has_its_exit_code_even_if_stderr_is_closed_or_full(stored):
    assert shell('"$@" 2>&-', stored, "nothing")[0] == 2
    assert shell('"$@" 2>/dev/full', stored, "nothing")[0] == 2


def test_characters_that_the_encoding_lacks_are_replaced(stored):
    code, out, err = shell('"$@"', stored, "numbers", "--rows", 1, PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "") and out.splitlines()[1].split() == ["?" * 80, "0"]


def test_help_and_bad_input_have_their_exit_codes():
    assert call("cli.show", "--help").code == 0
    code, out, err = call("cli.show")
    assert code == 2 and out == "" and len(err.splitlines()) == 1 and "RUN" in err


@pytest.fixture(autouse=True)
def restore_the_interrupt_handler():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)
    Progress.interrupted = False


def raising(error):
    def main():
        raise error

    return main


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (UserError("it\nfailed"), 1, "it failed\n"),
        (BadInput("not so"), 2, "not so\n"),
        (KeyboardInterrupt(), 130, "\ninterrupted\n"),
    ],
)
def test_errors_of_users_are_one_line(error, code, text, capsys):
    assert exit_code(raising(error)) == code and capsys.readouterr().err == text


def test_an_interrupted_run_prints_the_command_to_resume(capsys):
    assert exit_code(raising(KeyboardInterrupt()), "python -m evo.run 'a b'") == 130
    assert capsys.readouterr().err.splitlines() == [
        "",
        "interrupted; everything done is saved. To go on:",
        "  python -m evo.run 'a b'",
    ]


def test_an_interrupt_that_surfaces_as_another_error_counts_as_an_interrupt(capsys):
    def main():
        # as the handler of Ctrl-C does
        Progress.interrupted = True
        raise TypeError("_get_jit_address() missing 1 required positional argument: 'sig'")

    assert exit_code(main, "the command") == 130
    assert "To go on:\n  the command" in capsys.readouterr().err


def test_a_bug_of_the_program_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        exit_code(raising(ZeroDivisionError()))
    with pytest.raises(FileNotFoundError):
        exit_code(raising(FileNotFoundError(2, "no such file")))


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (3, 3)])
def test_the_result_of_the_work_is_the_exit_code(result, code):
    assert exit_code(lambda: result) == code


def test_folders_in_the_working_directory_do_not_shadow_the_project_s_packages(tmp_path):
    """An empty folder `store` used to end `python -m terminal` with an AttributeError."""
    (tmp_path / "store").mkdir()
    for name in ("agents", "engine", "evo", "web"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    project = str(Path(__file__).parents[2])
    words = ("terminal", "random", "dumb", "--games", 4)
    environment = {**os.environ, "PYTHONPATH": project}
    with start(*words, cwd=tmp_path, env=environment) as process:
        out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0 and "against dumb" in out, err
