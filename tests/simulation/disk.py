"""A simulated local disk: writes and renames that were not synced may be lost, torn or reordered
when the power fails."""

import errno
import os
from dataclasses import dataclass
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pyarrow.fs as fs

from tests.simulation.world import World


@dataclass(eq=False)
class Inode:
    data: bytes = b""
    synced: bytes = b""


class Info(SimpleNamespace):
    """Stands for pyarrow's FileInfo."""


class Disk:
    """Directories of files. `entries` is as programs see it, `durable` as it is after a crash."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entries: dict[str, Inode] = {}
        self.durable: dict[str, Inode] = {}
        self.folders: set[str] = set()
        # renames and removals since the last sync of their folder, oldest first: name, inode
        self.unsynced: list[tuple[str, Inode | None]] = []
        self.locks: dict[str, Any] = {}
        self.handles: dict[int, Inode | str] = {}
        world.on_power_failure.append(self.crash)

    def crash(self) -> None:
        """Lose what was not synced: each entry change and each content by itself survives or not,
        and content may be torn."""
        chance = self.world.chance
        for name, inode in self.unsynced:
            if chance.random() < 0.5:
                self._set(self.durable, name, inode)
        for inode in dict.fromkeys(self.durable.values()):
            if inode.data != inode.synced:
                length = chance.choice([len(inode.synced), chance.randrange(len(inode.data) + 1)])
                inode.data = inode.data[:length] if inode.data else inode.synced
                inode.synced = inode.data
        self.entries, self.unsynced = dict(self.durable), []
        self.handles.clear()

    @staticmethod
    def _set(entries: dict[str, Inode], name: str, inode: Inode | None) -> None:
        if inode is None:
            entries.pop(name, None)
        else:
            entries[name] = inode

    def change(self, name: str, inode: Inode | None) -> None:
        self._set(self.entries, name, inode)
        self.unsynced.append((name, inode))

    def find(self, name: str) -> Inode:
        if name not in self.entries:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", name)
        return self.entries[name]

    def check_space(self) -> None:
        if self.world.happens("slow disk"):
            self.world.record("the disk is slow")
            self.world.sleep(self.world.chance.uniform(1, 50))
        if self.world.happens("full disk"):
            self.world.record("the disk is full")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    # what store.folder calls as open() and os.*

    def open(self, name: str, mode: str) -> "Writing":
        self.world.point(f"open {short(name)}")
        self.check_space()
        inode = Inode()
        self.change(name, inode)
        return Writing(self, inode)

    def open_folder(self, name: str, flags: int) -> int:
        handle = 1000 + len(self.handles)
        self.handles[handle] = name
        return handle

    def fsync(self, handle: int) -> None:
        self.world.point("fsync")
        target = self.handles.get(handle)
        if isinstance(target, Inode):
            target.synced = target.data
        elif target is not None:
            inside = [one for one in self.unsynced if os.path.dirname(one[0]) == target]
            for name, inode in inside:
                self._set(self.durable, name, inode)
            self.unsynced = [one for one in self.unsynced if one not in inside]

    def close(self, handle: int) -> None:
        self.handles.pop(handle, None)

    def replace(self, old: str, new: str) -> None:
        self.world.point(f"rename to {short(new)}")
        inode = self.find(old)
        self.change(new, inode)
        self.change(old, None)

    def remove(self, name: str) -> None:
        self.world.point(f"remove {short(name)}")
        self.find(name)
        self.change(name, None)

    def os(self) -> SimpleNamespace:
        """Stands for the module os in store.folder."""
        return SimpleNamespace(
            **{name: getattr(os, name) for name in dir(os) if not name.startswith("__")}
            | {
                "fsync": self.fsync,
                "replace": self.replace,
                "remove": self.remove,
                "open": self.open_folder,
                "close": self.close,
            }
        )

    # what store.folder calls of pyarrow's file system

    def create_dir(self, name: str, recursive: bool = True) -> None:
        self.folders.add(name)

    def get_file_info(self, selector: fs.FileSelector) -> list[Info]:
        self.world.point("list")
        inside = [name for name in self.entries if os.path.dirname(name) == selector.base_dir]
        return [
            Info(
                base_name=os.path.basename(name),
                path=name,
                type=fs.FileType.File,
                size=len(self.entries[name].data),
                mtime_ns=0,
            )
            for name in inside
        ]

    def open_input_stream(self, name: str) -> BytesIO:
        self.world.point(f"read {short(name)}")
        return BytesIO(self.find(name).data)

    def delete_file(self, name: str) -> None:
        self.remove(name)

    def delete_dir(self, name: str) -> None:
        self.folders.discard(name)

    # the kernel's lock

    def take_lock(self, refuse: Any, folder: Any) -> Any:
        self.world.point("lock")
        process = self.world.thread.process
        holder = self.locks.get(folder.root)
        if holder is not None and holder.alive:
            raise refuse(folder, {"process": holder.name, "host": "this host"})
        self.locks[folder.root] = process

        def release() -> None:
            if self.locks.get(folder.root) is process:
                del self.locks[folder.root]

        return release


class Writing:
    """A file that is open for writing. Its content reaches the disk piece by piece."""

    def __init__(self, disk: Disk, inode: Inode) -> None:
        self.disk, self.inode, self.handle = disk, inode, 1 + len(disk.handles)
        while self.handle in disk.handles:
            self.handle += 1
        disk.handles[self.handle] = inode

    def __enter__(self) -> "Writing":
        return self

    def __exit__(self, *_: object) -> None:
        self.disk.close(self.handle)

    def write(self, data: bytes) -> None:
        self.disk.world.point("write")
        self.disk.check_space()
        self.inode.data += data

    def flush(self) -> None:
        pass

    def fileno(self) -> int:
        return self.handle


def short(name: str) -> str:
    return os.path.basename(name)
