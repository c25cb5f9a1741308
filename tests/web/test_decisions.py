"""Decisions of players on the web: slow ones are killed and do not block others."""

import http.client
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.web.serving import TIMEOUT, serving, wait_until
from web.deciders import Limits
from web.roster import MAX_MEMORY, Roster, memory_of
from web.runs import RunList

# seconds: minmax with a large depth never finishes in this time, and random always does
ENDLESS = Limits(600.0, 600.0)


def is_gone(process):
    return not os.path.exists(f"/proc/{process}")


@pytest.fixture
def patient(runs, monkeypatch):
    """A server whose decisions may take and wait for ever, in both lanes."""
    monkeypatch.setattr("web.deciders.QUEUE_SECONDS", 600.0)
    with serving(runs, slow=ENDLESS) as server:
        server.state.decisions.quick.limits = ENDLESS
        yield server


def test_a_slow_decision_changes_lanes_is_killed_and_others_go_on(runs):
    with serving(runs, slow=Limits(600.0, 0.2)) as server:
        decisions = server.state.decisions
        decisions.quick.limits = Limits(600.0, 0.1)
        for depth in range(90, 94):
            answer = server.get("/api/decide", player=f"minmax:depth={depth}", game="8-")
            assert answer.status == 408 and "too long" in answer.json["error"]
            assert decisions.slow_players == {"minmax:"}
        for lane in (decisions.quick, decisions.slow):
            assert not lane.busy and not lane.idle, "a process is left"
        # only the player with options counts as slow, and not forever
        decisions.quick.limits = decisions.slow.limits = ENDLESS
        assert server.get("/api/decide", player="minmax", game="8-").status == 200
        assert not decisions.slow.idle and decisions.slow_players
        assert server.get("/api/decide", player="minmax:depth=1", game="8-").status == 200
        assert decisions.slow.idle and not decisions.slow_players


def test_decisions_whose_clients_leave_are_killed_and_others_go_on(patient):
    decisions = patient.state.decisions
    for depth in range(80, 92):
        path = f"/api/decide?player=minmax:depth={depth}&game=8-"
        connection = http.client.HTTPConnection("127.0.0.1", patient.port, timeout=TIMEOUT)
        connection.request("GET", path)
        wait_until(lambda: decisions.quick.busy)
        [child] = decisions.quick.busy
        connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()
        wait_until(partial(is_gone, child.process.pid))
    assert patient.get("/api/decide", player="random", game="8-").status == 200


def test_players_that_are_slow_leave_processes_for_others(patient):
    decisions = patient.state.decisions
    decisions.slow_players.add("minmax:")
    ask, slow = partial(patient.get, "/api/decide", game="8-"), decisions.slow
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, player=f"minmax:depth={depth}") for depth in range(80, 88)]
        wait_until(lambda: decisions.waiting == len(asked) and slow.places.locked())
        assert not decisions.quick.busy
        assert ask(player="random").status == 200
        while not all(request.done() for request in asked):
            for child in list(slow.busy):
                child.process.kill()
            time.sleep(0.01)
        first = asked[0].result()
        assert first.status == 500 and "process has ended" in first.json["error"]


def test_no_more_than_some_decisions_wait(patient, monkeypatch):
    monkeypatch.setattr("web.deciders.MAX_WAITING", 0)
    assert patient.get("/api/decide", player="random", game="8-").status == 429


def test_a_decision_that_gets_no_process_in_time_is_refused(patient, monkeypatch):
    monkeypatch.setattr("web.deciders.QUEUE_SECONDS", 0.01)
    patient.state.decisions.quick.places._value = 0
    assert patient.get("/api/decide", player="random", game="8-").status == 429


def test_the_memory_of_cached_players_is_limited(runs):
    roster = Roster({}, RunList(str(runs)))
    assert memory_of(roster.player("mcts:playouts=1000000")) > MAX_MEMORY
    assert not roster.cache
    for playouts in range(50_000, 50_010):
        roster.player(f"mcts:playouts={playouts}")
    assert len(roster.cache) > 1 and sum(map(memory_of, roster.cache.values())) <= MAX_MEMORY


def test_a_player_of_a_run_is_read_once(runs, monkeypatch):
    roster = Roster({}, RunList(str(runs)))
    player = roster.player("rl:run=inner/selfplay")
    monkeypatch.setattr(roster.runs, "find", None)
    assert roster.player("rl:run=inner/selfplay") is player and player.learned is not None
    assert memory_of(player) < player.learned.nbytes
