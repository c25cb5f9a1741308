"""`python -m web` as a process, and its errors for bad input."""

import os
import re
import resource
import signal
import socket
import threading
import time
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from console.errors import BadInput
from tests.commands import INTERRUPTED, call, start, start_program
from tests.test_house import HOUSE
from tests.web.serving import TIMEOUT, wait_until
from web.__main__ import Web, announce
from web.server import FIRST_PORT, PORTS, listen


def test_the_server_prints_its_address_answers_and_ends_at_ctrl_c(runs):
    with start("web", "--no-open", "--port", 0, "--runs", runs) as process:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert "Ctrl-C ends it" in process.stdout.readline()
        page = urllib.request.urlopen(address, timeout=TIMEOUT).read().decode()
        assert "Quarto laboratory" in page
        # clients that leave, most of them before they have received the whole answer
        port = int(address.rstrip("/").rpartition(":")[2])
        asked = [b"/api/live?run=evolution", b"/api/analyse/live?position=4.../c.b./7.1./3ed.%200"]
        for number in range(40):
            leaving = socket.create_connection(("127.0.0.1", port))
            leaving.sendall(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % asked[number % 2])
            time.sleep(0.001 * number)
            leaving.close()
        watching = socket.create_connection(("127.0.0.1", port))
        watching.sendall(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % asked[0])
        assert watching.recv(1000).startswith(b"HTTP/1.1 200")
        process.send_signal(signal.SIGINT)
        # far less than the minute that aiohttp would wait for the client that is still connected
        _, err = process.communicate(timeout=30)
        watching.close()
        lines = [line for line in err.splitlines() if line and not line.startswith("compiling ")]
        assert process.returncode in INTERRUPTED and lines == ["interrupted"], err


def fork_servers(process):
    """Return the /proc folders of the process's children that run multiprocessing's fork server."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    folders = [Path(f"/proc/{child}") for task in tasks for child in task.read_text().split()]
    return [each for each in folders if b"forkserver" in (each / "cmdline").read_bytes()]


def test_ctrl_c_in_the_first_seconds_and_the_port_after_8000(tmp_path):
    """As in a terminal, all processes get the signal; the fork server still imports players."""
    words = ("web", "--no-open", "--runs", tmp_path)
    with ExitStack() as taken:
        # a server of another test or user may have the port already
        with suppress(OSError):
            taken.enter_context(socket.create_server(("127.0.0.1", FIRST_PORT)))
        with start(*words, start_new_session=True) as process:
            port = int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port)) as asking:
                path = b"/api/decide?player=random&game=8-"
                asking.sendall(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path)
                wait_until(lambda: fork_servers(process.pid))
                [server] = fork_servers(process.pid)
                blocked = re.search(r"SigBlk:\s*(\w+)", (server / "status").read_text())[1]
                assert int(blocked, 16) >> signal.SIGINT - 1 & 1, "it would print a traceback"
                os.killpg(process.pid, signal.SIGINT)
                _, err = process.communicate(timeout=30)
    said, *rest = [line for line in err.splitlines() if line]
    assert said == f"port {FIRST_PORT} is in use; this is port {port}"
    assert FIRST_PORT < port < FIRST_PORT + PORTS
    assert process.returncode in INTERRUPTED and rest == ["interrupted"], err


def limit_open_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def test_another_host_needs_the_token_and_idle_connections_do_not_block_it(tmp_path):
    words = ("web", "--no-open", "--port", 0, "--runs", tmp_path, "--host", "0.0.0.0")
    with start(*words, preexec_fn=limit_open_files) as process:
        address = process.stdout.readline().strip()
        port, token = re.fullmatch(r"http://0.0.0.0:(\d+)/\?token=(.+)", address).groups()
        strangers = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
        here = f"http://127.0.0.1:{port}/api/players"
        owner = urllib.request.Request(here, headers={"Authorization": f"Bearer {token}"})
        assert urllib.request.urlopen(owner, timeout=TIMEOUT).status == 200
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        for stranger in strangers:
            stranger.close()
        warning, *rest = filter(None, err.splitlines())
        assert warning.startswith("warning: ") and "token" in warning and rest == ["interrupted"]


@pytest.mark.parametrize(
    ("words", "token", "opened"),
    [([], None, True), (["--no-open"], None, False), (["--host", "0.0.0.0"], "secret", False)],
)
def test_no_browser_is_started_with_a_token_on_its_command_line(words, token, opened, monkeypatch):
    shown, before = [], set(threading.enumerate())
    monkeypatch.setattr("webbrowser.open", shown.append)
    announce(Web.parse("web", "", words), "the address", token)
    for thread in set(threading.enumerate()) - before:
        thread.join(TIMEOUT)
    assert shown == ["the address"] * opened


def test_ctrl_c_ends_make_web_without_an_error(tmp_path):
    """Both `make` and the server receive the signal, as in a terminal."""
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text("#!/bin/sh\ntrap 'exit 130' INT\necho up\nwhile :; do sleep 0.05; done\n")
    python.chmod(0o755)
    (tmp_path / ".installed").touch()
    words = ("make", "-C", HOUSE, "web", f"VENV={tmp_path}")
    with start_program(*words, start_new_session=True) as process:
        while process.stdout.readline().strip() != "up":
            pass
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert "Error" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "--port 70000: give 0 to 65535"),
        (["--port", "x"], "give a whole number"),
        (["--host", "no such host"], "there is no such host"),
        (["--player", "nothing.py:X"], "--player nothing.py:X"),
        (["--player", "unheard"], "unknown player 'unheard'"),
        (["--runs", "ftp://x"], "cannot be used as a store"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    done = call("web", "--no-open", *arguments)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1


def test_a_port_in_use_is_reported(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call("web", "--no-open", "--runs", tmp_path, "--port", port)
    assert done.code == 2 and f"--port {port}: " in done.err and "--port 0 takes" in done.err


@pytest.fixture
def ports(monkeypatch):
    """Three free ports in a row, which the server tries instead of 8000 and the next ones."""
    for first in range(20_000, 60_000, 3):
        with suppress(OSError), ExitStack() as taken:
            for port in range(first, first + 3):
                taken.enter_context(socket.create_server(("127.0.0.1", port)))
            break
    monkeypatch.setattr("web.server.FIRST_PORT", first)
    monkeypatch.setattr("web.server.PORTS", 3)
    return range(first, first + 3)


def test_the_port_is_the_same_every_time_and_the_next_one_if_it_is_in_use(ports):
    assert (FIRST_PORT, PORTS) == (8000, 100)
    for _ in range(2):
        with listen("127.0.0.1") as listener:
            assert listener.getsockname()[1] == ports[0]
    with ExitStack() as taken:
        for port in ports:
            listener = taken.enter_context(listen("127.0.0.1"))
            assert listener.getsockname()[1] == port
        with pytest.raises(BadInput, match=f"ports {ports[0]} to {ports[2]}: .* --port 0 takes"):
            listen("127.0.0.1")
        # another address of this machine has ports of its own
        with listen("127.0.0.2") as listener:
            assert listener.getsockname()[1] == ports[0]


def test_a_league_needs_a_tournament(tmp_path):
    done = call("web.league", tmp_path / "none")
    assert done.code == 2 and "holds no tournament" in done.err
