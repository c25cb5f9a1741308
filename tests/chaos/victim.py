"""`python -m tests.chaos.victim MODULE ...` runs `python -m MODULE ...` with the faults that the
environment specifies (faults.py). It saves every result at once, so that there is more to lose."""

import importlib
import os
import sys
from functools import cache

import evo.islands
import store.lock
import store.parts
import workers.pool
from store.folder import TEMPORARY, Folder
from store.s3 import Objects
from tests.chaos.faults import AFTER, BEFORE, BETWEEN, DONE, TASK, UPLOAD, UPLOADED, Injector, Plan
from tests.commands import MAINS


@cache
def injector() -> Injector:
    """Return the injector of this process."""
    return Injector(Plan.here())


class Worker(workers.pool.Worker):
    """A Ray worker, in a process that imports this module, too."""

    def do(self, function, arguments):
        # each worker draws its own faults
        injector().who = f"{injector().plan.seed} {injector().plan.launch} {os.getpid()}"
        injector().reach(TASK)
        result = super().do(function, arguments)
        injector().reach(DONE)
        return result


def surround(verb, before: str, after: str):
    def suffer(place, name, data, **condition):
        path = place.path(name) if isinstance(place, Folder) else name
        injector().reach(before, path)
        answer = verb(place, name, data, **condition)
        injector().reach(after, path)
        return answer

    return suffer


def before_rename(replace):
    def suffer(source, target):
        if TEMPORARY in str(source):
            injector().reach(BETWEEN, str(target))
        replace(source, target)

    return suffer


def save_without_rename(folder, name, data):
    """A planted bug: write the file in two pieces, in place."""
    with open(folder.path(name), "wb") as stream:
        stream.write(data[: len(data) // 2])
        stream.flush()
        injector().reach(BETWEEN, folder.path(name))
        stream.write(data[len(data) // 2 :])


def start_at_once(enter):
    """Use Ray from the first task on; otherwise the driver would do most of so small a job."""

    def suffer(workers):
        entered = enter(workers)
        if workers.count:
            workers.start()
        return entered

    return suffer


def prepare() -> None:
    os.replace = before_rename(os.replace)
    save = save_without_rename if injector().plan.planted else Folder._save
    Folder._save = surround(save, BEFORE, AFTER)
    Objects.write = surround(Objects.write, UPLOAD, UPLOADED)
    workers.pool.Worker = Worker
    workers.pool.Workers.__enter__ = start_at_once(workers.pool.Workers.__enter__)
    store.lock.LEASE, store.lock.RENEW = injector().plan.lease, injector().plan.lease / 4
    store.parts.SAVE_EVERY, evo.islands.TASK_SECONDS = 0.0, 0.05


if __name__ == "__main__":
    # workers import it by this name
    from tests.chaos import victim

    victim.prepare()
    module = sys.argv[1]
    sys.exit(importlib.import_module(MAINS.get(module, module)).main(sys.argv[2:]))
