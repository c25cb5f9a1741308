"""`python -m tests.chaos.victim MODULE ...` is `python -m MODULE ...`, but suffers the faults that
the environment tells (faults.py), and keeps every result at once, so that there is much to lose."""

import importlib
import os
import sys
from functools import cache

import evo.islands
import store.parts
import workers.pool
from store.folder import TEMPORARY, Folder
from tests.chaos.faults import AFTER, BEFORE, BETWEEN, DONE, TASK, UPLOAD, UPLOADED, Injector, Plan
from tests.commands import MAINS


@cache
def injector() -> Injector:
    """Of this process."""
    return Injector(Plan.here())


class Worker(workers.pool.Worker):
    """One of Ray's: this module is imported there, too."""

    def do(self, function, arguments):
        # each of them meets other faults
        injector().who = f"{injector().plan.seed} {injector().plan.launch} {os.getpid()}"
        injector().reach(TASK)
        result = super().do(function, arguments)
        injector().reach(DONE)
        return result


def surround(verb, before: str, after: str):
    def suffer(folder, name, data):
        path = folder.path(name)
        injector().reach(before, path)
        verb(folder, name, data)
        injector().reach(after, path)

    return suffer


def before_rename(replace):
    def suffer(source, target):
        if TEMPORARY in str(source):
            injector().reach(BETWEEN, str(target))
        replace(source, target)

    return suffer


def save_without_rename(folder, name, data):
    """A bug, planted to be found."""
    with open(folder.path(name), "wb") as stream:
        stream.write(data[: len(data) // 2])
        stream.flush()
        injector().reach(BETWEEN, folder.path(name))
        stream.write(data[len(data) // 2 :])


def at_once(enter):
    """Ray from the first task on: else the driver does most of so little work."""

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
    Folder._upload = surround(Folder._upload, UPLOAD, UPLOADED)
    workers.pool.Worker = Worker
    workers.pool.Workers.__enter__ = at_once(workers.pool.Workers.__enter__)
    store.parts.SAVE_EVERY, evo.islands.TASK_SECONDS = 0.0, 0.05


if __name__ == "__main__":
    # by its own name: workers import it so
    from tests.chaos import victim

    victim.prepare()
    module = sys.argv[1]
    sys.exit(importlib.import_module(MAINS.get(module, module)).main(sys.argv[2:]))
