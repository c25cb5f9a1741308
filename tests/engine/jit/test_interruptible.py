import threading
from types import SimpleNamespace

import pytest

from engine.jit.interruptible import QUICK_SECONDS, Calls, call


class Stop(Exception):
    pass


def stop_now():
    raise Stop


def test_a_call_answers_and_raises_as_the_function_does():
    assert call(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call(divmod, 7, 0)


def test_who_watches_can_stop_it():
    stopped = threading.Event()
    with pytest.raises(Stop):
        call(stopped.wait, 60, watch=stop_now, stop=stopped.set)
    assert stopped.is_set()


def test_the_next_call_waits_for_one_that_did_not_stop():
    """They may share what they write into."""
    ended = []
    release = threading.Event()

    def stubborn():
        release.wait(60)
        ended.append(True)

    with pytest.raises(Stop):
        call(stubborn, watch=stop_now)
    assert not ended
    threading.Timer(0.2, release.set).start()
    assert call(lambda: list(ended)) == [True]


def test_another_thread_than_the_main_one_does_without():
    where = []
    thread = threading.Thread(target=lambda: where.append(call(threading.current_thread)))
    thread.start()
    thread.join()
    assert where == [thread]
    assert call(threading.current_thread) is not threading.main_thread()


def test_quick_calls_need_no_thread(monkeypatch):
    """By a clock that moves when the test says so."""
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr("engine.jit.interruptible.time", clock)

    def take(seconds):
        now[0] += seconds
        return threading.current_thread()

    calls, main = Calls(), threading.main_thread()
    assert calls(take, QUICK_SECONDS / 2) is not main, "the first one could take any time"
    assert calls(take, QUICK_SECONDS / 2) is main
    assert calls(take, 2 * QUICK_SECONDS, work=3) is not main, "as quick, but more of it"
    assert calls(take, 2 * QUICK_SECONDS) is main
    assert calls(take, 0.0) is not main, "the last one was slow"
    assert Calls(compiled=False)(take, 0.0) is main
