import threading
from types import SimpleNamespace

import pytest

from engine.jit.interruptible import QUICK, Calls, call


class Stop(Exception):
    pass


def stop_now():
    raise Stop


def test_a_call_returns_and_raises_as_the_function_does():
    assert call(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call(divmod, 7, 0)


def test_the_watching_function_can_stop_a_call():
    stopped = threading.Event()
    with pytest.raises(Stop):
        call(stopped.wait, 60, watch=stop_now, stop=stopped.set)
    assert stopped.is_set()


def test_the_next_call_waits_for_one_that_did_not_stop():
    """Both may write into the same arrays."""
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


def test_a_call_from_another_thread_than_the_main_one_starts_no_thread():
    where = []
    thread = threading.Thread(target=lambda: where.append(call(threading.current_thread)))
    thread.start()
    thread.join()
    assert where == [thread]
    assert call(threading.current_thread) is not threading.main_thread()


def test_quick_calls_need_no_thread(monkeypatch):
    """Uses a clock that only the test advances."""
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr("engine.jit.interruptible.time", clock)

    def take(seconds):
        now[0] += seconds
        return threading.current_thread()

    calls, main = Calls(), threading.main_thread()
    assert calls(take, QUICK / 2) is not main, "the first call could take any time"
    assert calls(take, QUICK / 2) is main
    assert calls(take, 2 * QUICK, work=3) is not main, (
        "as quick as the last call, but three times the work"
    )
    assert calls(take, 2 * QUICK) is main
    assert calls(take, 0.0) is not main, "the last call was slow"
    assert Calls(compiled=False)(take, 0.0) is main
