"""`python -m web` as a process, and what it refuses."""

import signal
import socket
import sys
import time
import urllib.request

import pytest

import agents
from tests.agents.programs import GOOD, write
from tests.commands import call, start
from web.__main__ import Web
from web.deciders import Deciders
from web.roster import Roster
from web.runs import RunList


def test_it_says_its_address_answers_and_ends_within_a_second(runs):
    with start("web", "--no-open", "--runs", runs) as process:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert "Ctrl-C ends it" in process.stdout.readline()
        page = urllib.request.urlopen(address, timeout=30).read().decode()
        assert "Quarto laboratory" in page
        # some watch, some ask, and most of them leave before they have heard all
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
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        watching.close()
        told = [line for line in err.splitlines() if line and not line.startswith("compiling ")]
        assert process.returncode == 130 and told == ["interrupted"], err
        # a second, and what a busy machine adds
        assert time.monotonic() - started < 5


def test_another_host_is_warned_of_and_needs_the_token(tmp_path):
    with start("web", "--no-open", "--runs", tmp_path, "--host", "0.0.0.0") as process:
        address = process.stdout.readline().strip()
        assert "?token=" in address
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert "warning: " in err and "token" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "70000"], "--port 70000: give 0 to 65535"),
        (["--port", "x"], "give a whole number"),
        (["--host", "no such host"], "there is no such host"),
        (["--player", "nothing.py:X"], "--player nothing.py:X"),
        (["--player", "nobody"], "unknown player 'nobody'"),
        (["--runs", "ftp://x"], "cannot be used as a store"),
    ],
)
def test_bad_input_is_one_line(arguments, told):
    done = call("web", "--no-open", *arguments)
    assert done.code == 2 and told in done.err and len(done.err.splitlines()) == 1


def test_two_players_of_one_name_are_refused_unless_one_gets_another(tmp_path):
    specs = [write(tmp_path / name, GOOD) for name in ("a", "b")]
    done = call("web", "--no-open", "--player", ",".join(specs))
    assert done.code == 2 and len(done.err.splitlines()) == 1
    advice = f"give one another name: --player NAME={specs[1]}"
    assert f"two players are called mine.py:Mine; {advice}" in done.err
    config = Web(player=f"{specs[0]},b={specs[1]}")
    assert list(config.own_players()) == ["mine.py:Mine", "b"]


def test_players_of_the_user_s_own_decide_under_the_rules_of_the_command_line(tmp_path):
    config = Web(player=write(tmp_path, GOOD), python=sys.executable, time_limit=0.5)
    roster = Roster(config.own_players(), RunList(str(tmp_path)))
    [(spec, rules)] = Deciders(roster, 1).own.values()
    assert (rules.seconds, rules.python) == (0.5, sys.executable)
    assert agents.make(spec, rules).rules is rules


def test_a_port_that_is_taken_is_told(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call("web", "--no-open", "--runs", tmp_path, "--port", port)
    assert done.code == 2 and f"--port {port}" in done.err and "leave --port out" in done.err


def test_a_league_is_made_of_a_tournament_alone(tmp_path):
    done = call("web.league", tmp_path / "none")
    assert done.code == 2 and "holds no tournament" in done.err
