"""Planted bugs, each a line or two, that the simulated world must find."""

from contextlib import AbstractContextManager
from math import inf
from typing import Any
from unittest.mock import patch

import arena.round_robin
import evo.archive
import evo.evaluate
import evo.loop
import evo.recorder
import store.folder
import store.lock
import store.parts
import store.run
import workers.dispatch
import workers.executors
from store.folder import Folder
from store.lock import LOCK
from tests.simulation.disk import Disk, Inode

write = Folder.write
Dispatch = workers.dispatch.Dispatch
Parts = store.parts.Parts
Recorder = evo.recorder.Recorder


def save_in_place(folder: Folder, name: str, data: bytes) -> None:
    with store.folder.open(folder.path(name), "wb") as stream:  # type: ignore[attr-defined]
        stream.write(data)
        store.folder.os.fsync(stream.fileno())


def fsync_folders_only(disk: Disk, handle: int) -> None:
    if not isinstance(disk.handles.get(handle), Inode):
        _fsync(disk, handle)


_fsync = Disk.fsync


def put(folder: Folder, name: str, data: bytes) -> str | None:
    return folder._try("written", name, folder.objects.write, name, data)


def write_unfenced(folder: Folder, name: str, data: bytes, once: bool = False) -> None:
    folder.check_lock()
    (put if folder.remote else write)(folder, name, data)


def replace_unfenced(folder: Folder, name: str, data: bytes, once: bool = False) -> None:
    (write if once or not folder.remote else put)(folder, name, data)


def commit_generation_first(archive: Any, number: int, population: Any, *rest: Any) -> None:
    individuals, fitness = evo.archive.to_tables(population, archive.unit, number, rest[0])
    archive.run.write(archive.step(number), individuals, rest[1])
    archive.run.write(f"fitness-{number:05d}", fitness)


def commit_before_curve(recorder: Recorder, generation: Any) -> None:
    keep, points = Recorder._add_to_curve, []
    with patch.object(Recorder, "_add_to_curve", lambda _, *point: points.append(point)):
        _commit(recorder, generation)
    recorder.saving.result()
    for point in points:
        keep(recorder, *point)


_commit = Recorder.commit


def games_as_they_came(unfinished: Any) -> Any:
    with patch.object(arena.round_robin, "sorted", list, create=True):
        return _games(unfinished)


_games = arena.round_robin.MatchInProgress.games


def accept_every_result(dispatch: Dispatch, task: Any) -> bool:
    return dispatch.unfinished.setdefault(task.id, task) is not None


def forget_tasks(dispatch: Dispatch, worker: Any) -> None:
    dispatch.replace(worker)


def read_without_last(archive: Any) -> Any:
    count = len(archive)
    return archive.read(max(0, count - 2)) if count else None


def read_first_rows(parts: Parts, step: str) -> Any:
    return {
        tuple(task): parts.run.read(name).slice(0, rows)
        for name in parts.stored.get(step, {})
        for task, rows in parts.run.about(name)["measured"]["tasks"]
    }


def claims_twice(archive: Any, repeats: Any) -> Any:
    claims = _claims(archive, repeats)
    for _ in range(len(archive)):
        claims.append([[1, 0, 0]] * len(repeats))
    return claims


_claims = evo.archive.Archive.claims


def ids_begin_again(loop: Any, newborn: list[Any]) -> list[Any]:
    first = vars(loop).setdefault("first_number", loop.number)
    for child in _numbered(loop, newborn):
        child.id -= first * loop.problem.config.offspring
    return newborn


_numbered = evo.loop.MuPlusLambda.numbered


def plant(owner: Any, name: str, stand_in: Any) -> Any:
    def planted() -> AbstractContextManager:
        return patch.object(owner, name, stand_in, create=name == "sorted")

    return planted


BUGS: dict[str, Any] = {
    "no rename": plant(Folder, "_save", save_in_place),
    "no fsync of the file": plant(Disk, "fsync", fsync_folders_only),
    "no fsync of the folder": plant(store.folder, "_sync", lambda folder: None),
    "temporary files stay": plant(Folder, "sweep", lambda folder: None),
    "lease without expiry": plant(store.lock, "LEASE", inf),
    "lease taken without a condition": plant(
        store.lock, "_write", lambda folder, mine, tag: put(folder, LOCK, store.lock._pack(mine))
    ),
    "local lock that everyone gets": plant(
        Disk, "take_lock", lambda disk, refuse, folder: lambda: None
    ),
    "commit without a fence": plant(Folder, "write", write_unfenced),
    "champion written without a fence": plant(Folder, "write", replace_unfenced),
    "result counted twice": plant(Dispatch, "_lacks", accept_every_result),
    "task lost with its worker": plant(Dispatch, "_replace", forget_tasks),
    "hanging worker not noticed": plant(
        workers.executors.WorkerHandle, "silence", property(lambda handle: 0.0)
    ),
    "generation committed before its fitness": plant(
        evo.archive.Archive, "write", commit_generation_first
    ),
    "generation committed before its curve point": plant(Recorder, "commit", commit_before_curve),
    "games merged in the order of arrival": plant(
        arena.round_robin.MatchInProgress, "games", games_as_they_came
    ),
    "parts stay": plant(store.run.Run, "remove", lambda run, steps: None),
    "every result read from the first rows of its part": plant(Parts, "read", read_first_rows),
    "resumed from the generation before the last": plant(
        evo.archive.Archive, "last", read_without_last
    ),
    "random numbers not seeded for each generation": plant(
        evo.loop, "seed_generation", lambda seed, number: None
    ),
    "stored results counted, and played again": plant(
        evo.evaluate, "missing", lambda whole, played: [whole]
    ),
    "claims counted twice after a restart": plant(evo.archive.Archive, "claims", claims_twice),
    "ids begin again after a restart": plant(evo.loop.MuPlusLambda, "numbered", ids_begin_again),
}
