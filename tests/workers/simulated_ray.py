"""A simulation of Ray in which workers finish, die and hang on schedule, without waiting.
Tasks run in this process; their arguments and results are pickled, as by Ray."""

import itertools
import os
import pickle
import random
from types import SimpleNamespace
from typing import ClassVar

PENDING, DONE, LOST = "pending", "done", "lost"


class Ref:
    def __init__(self, function, arguments):
        self.function, self.arguments, self.state = function, arguments, PENDING


class Actor:
    """A worker that does one call after the other, at the times of the schedule."""

    def __init__(self):
        self.refs, self.dead, self.hangs = [], False, False
        self.load = SimpleNamespace(remote=lambda modules: self.call(os.getpid, ()))
        self.do = SimpleNamespace(remote=self.call)

    def call(self, function, arguments):
        ref = Ref(*pickle.loads(pickle.dumps((function, arguments))))
        if self.dead:
            ref.state = LOST
        self.refs.append(ref)
        return ref

    def pending(self):
        return [ref for ref in self.refs if ref.state is PENDING]

    def die(self):
        self.dead = True
        for ref in self.pending():
            ref.state = LOST


class SimulatedRay:
    """`schedule`: (event, number of the worker) for each wait for results. After its end, all
    workers that can finish their tasks."""

    class RayError(Exception):
        pass

    class RayTaskError(RayError):
        pass

    def __init__(self, schedule):
        self.schedule, self.now, self.actors = iter(schedule), 0.0, []
        self.exceptions = SimpleNamespace(RayError=self.RayError, RayTaskError=self.RayTaskError)
        self.clock = SimpleNamespace(monotonic=lambda: self.now, perf_counter=lambda: self.now)
        self.turn = itertools.count()

    def remote(self):
        self.actors.append(Actor())
        return self.actors[-1]

    def wait(self, refs, num_returns, timeout):
        if timeout:
            self.now += timeout
            assert self.now < 10_000, "the run does not end"
            self.happen(*next(self.schedule, ("finish", next(self.turn))))
        settled = [ref for ref in refs if ref.state is not PENDING]
        return settled[:num_returns], [ref for ref in refs if ref not in settled[:num_returns]]

    def happen(self, what, number):
        able = [a for a in self.actors if a.pending() and not a.dead and not a.hangs]
        if not able:
            return
        actor = able[number % len(able)]
        if what == "finish":
            actor.pending()[0].state = DONE
        elif what == "die":
            actor.die()
        elif actor.refs[0].state is DONE:
            # only a worker that has started can hang: a cluster's machine may take long to start
            actor.hangs = True

    def get(self, ref):
        if ref.state is LOST:
            raise self.RayError
        return pickle.loads(pickle.dumps(ref.function(*ref.arguments)))

    def kill(self, actor, no_restart):
        actor.die()

    def is_initialized(self):
        return True

    def shutdown(self):
        pass

    def connected(self):
        """Return this object with the interface of the module `ray`: `remote` decorates a class."""
        actors = SimpleNamespace(remote=self.remote)
        self.remote = lambda **_: lambda cls: actors
        return self


def adversity(seed, events=60, losses=4):
    """Return a schedule in which workers finish in random order, and a few die or hang."""
    chance = random.Random(seed)
    schedule = ["finish"] * (events - losses) + [chance.choice(["die", "hang"])] * losses
    chance.shuffle(schedule)
    return [(what, chance.randrange(8)) for what in schedule]


class SimulatedLocalRay:
    """Replaces workers.cluster.LocalRay: ready at once, with workers that die and hang."""

    # all instances
    started: ClassVar[list[SimulatedRay]] = []

    def __init__(self, cores, dashboard):
        self.ray = SimulatedRay(adversity(len(self.started)))
        self.started.append(self.ray)

    def is_up(self):
        return True

    def connect(self):
        return self.ray.connected()

    def stop(self):
        pass


class ObjectStore:
    """Replaces `ray.put` and `ray.get`, with numbers as references."""

    def __init__(self):
        self.arrays = []

    def put(self, array):
        self.arrays.append(array)
        return len(self.arrays)

    def get(self, number):
        return self.arrays[number - 1]
