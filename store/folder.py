"""Storage of a run: a local folder or an s3:// address behind one interface.

S3 takes endpoint and credentials from the usual environment variables (AWS_ENDPOINT_URL,
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION).
"""

import os
import re
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pyarrow.fs as fs

from console.errors import UserError
from store.s3 import NoClient, Objects, Snapshot, region

OUTAGE = 300.0  # seconds for which a writer retries while the S3 server fails
TRANSIENT_ERROR = re.compile(
    "HTTP status 5|SERVICE_UNAVAILABLE|SLOW_DOWN|INTERNAL_FAILURE|NETWORK_CONNECTION|THROTTLING"
    "|TIMEOUT|curlCode"
)
TEMPORARY = ".writing-"  # prefix of incomplete files; the next writer removes them
INTACT = "nothing that was stored is lost"


class StoreError(UserError):
    """A run cannot be read or written; the message names the file."""

    exit_code = 2


class MissingFile(StoreError):
    """A file does not exist."""


class DamagedFile(StoreError):
    """A file's content is not what was written. `problem` is the message without its advice."""

    def __init__(self, problem: str):
        advice = "delete this file; the command that made the run makes it again"
        super().__init__(f"{problem}: {advice}")
        self.problem = problem


def not_lost(ask: bool = False) -> str:
    return ""


class Folder:
    """A folder with atomic writes: readers see a whole file or none."""

    def __init__(self, address: str | os.PathLike[str]):
        text = os.fspath(address)
        self.address = text if text.endswith("://") else text.rstrip("/") or text[:1]
        self.remote = "://" in self.address
        # Writers retry during outages; readers fail fast.
        self.patient = False
        # Return why this program may no longer write to the run, or "" while it holds the lock.
        # `ask` the server of a lease, instead of trusting the last renewal.
        self.lost = not_lost
        try:
            self.files, self.root = _open(self.address)
        except Exception as error:
            reason = one_line(error)
            raise StoreError(f"{text or repr(text)}: cannot be used as a store: {reason}") from None
        self.objects = Objects(self.root)

    def make(self) -> None:
        above = folder = self.root
        while not os.path.isdir(above := os.path.dirname(above)) and above:
            pass  # to the first folder that exists
        self._try("made", "", self.files.create_dir, self.root, recursive=True)
        while not self.remote and folder != above:
            folder = os.path.dirname(folder)
            self._try("made", "", _sync, folder)

    def names(self) -> list[str]:
        """Return the sorted names of the files, hidden ones excluded."""
        names = (info.base_name for info in self.infos())
        return sorted(name for name in names if not name.startswith("."))

    def infos(self, kind: fs.FileType = fs.FileType.File) -> list[fs.FileInfo]:
        """Return path, size and time of the files, or of the folders."""
        selector = fs.FileSelector(self.root, allow_not_found=True)
        infos = self._try("read", "", self.files.get_file_info, selector)
        return [info for info in infos if info.type == kind and _has_name(info)]

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def read(self, name: str) -> bytes:
        return self._try("read", name, self._download, name)

    def _download(self, name: str) -> bytes:
        with self.files.open_input_stream(self.path(name)) as stream:
            return stream.read()

    def write(self, name: str, data: bytes, once: bool = False) -> None:
        """Write a file atomically: an S3 object appears when its upload is complete, a local file
        when it is renamed.

        `once`: it must not exist with other content. On S3, a writer that was frozen until its
        lease expired thus cannot damage what the next writer has done. A file that may be replaced
        must be the one that was there while this program held the lease."""
        self.check_lock()
        if not self.remote:
            self._try("written", name, self._save, name, data)
            return
        replaced = None if once else self.snapshot(name)
        self.check_lock(ask=not once)
        if self.swap(name, data, replaced and replaced.tag) is None:
            stored = self.snapshot(name)
            if stored is None or stored.data != data:
                other = "another program has written it; the same command goes on from there"
                raise StoreError(f"{self.address}/{name}: {other}")

    def _save(self, name: str, data: bytes) -> None:
        temporary = self.path(f"{TEMPORARY}{uuid.uuid4().hex[:8]}-{name}")
        try:
            with open(temporary, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, self.path(name))
            _sync(self.root)
        except OSError:
            with suppress(OSError):
                # on a full disk the incomplete file takes up the space that is needed
                os.remove(temporary)
            raise

    def check_lock(self, ask: bool = False) -> None:
        if reason := self.lost(ask):
            raise StoreError(f"{self.address}: {reason}; {INTACT}")

    def snapshot(self, name: str) -> Snapshot | None:
        """Return an S3 object with its version, or None if it does not exist."""
        return self._try("read", name, self.objects.read, name)

    def swap(self, name: str, data: bytes, tag: str | None) -> str | None:
        """Write an S3 object if its tag is still `tag` (None: if it does not exist) and return the
        new tag; return None if it has changed."""
        condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
        return self._try("written", name, self.objects.write, name, data, **condition)

    def remove(self, names: list[str]) -> None:
        """Remove files, of which some may not exist."""
        if names:
            self.check_lock(ask=True)
        if self.remote:
            self._try("removed", "", self.objects.remove, names)
            return
        for name in names:
            with suppress(MissingFile):
                self._try("removed", name, self.files.delete_file, self.path(name))

    def remove_if_empty(self) -> list[str]:
        """Remove the folder itself if it is empty, else return the names of its content."""
        kinds = (fs.FileType.File, fs.FileType.Directory)
        inside = sorted(info.base_name for kind in kinds for info in self.infos(kind))
        if not inside:
            # the working directory and symbolic links cannot be removed
            with suppress(OSError):
                self.files.delete_dir(self.root)
        return inside

    def sweep(self) -> None:
        """Remove the incomplete files of a killed program."""
        names = (info.base_name for info in self.infos())
        self.remove([name for name in names if name.startswith(TEMPORARY)])

    def _try(
        self, done: str, name: str, call: Callable[..., Any], *arguments: Any, **options: Any
    ) -> Any:
        """Return the answer of a call. Raise StoreError, which says what cannot be `done`."""
        where = f"{self.address}/{name}" if name else self.address
        try:
            return self.patiently(call, *arguments, **options)
        except NoClient as error:
            raise StoreError(f"{self.address}: {error}") from None
        except OSError as error:
            if isinstance(error, FileNotFoundError) and done in ("read", "removed"):
                raise MissingFile(f"{where}: there is no such file") from None
            intact = f"; {INTACT}" if done in ("written", "removed") else ""
            raise StoreError(f"{where}: cannot be {done}: {one_line(error)}{intact}") from None

    def patiently(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return the answer of a call; a writer on S3 retries while the errors are transient."""
        deadline = time.monotonic() + OUTAGE
        pause, reported = 0.5, False
        while True:
            try:
                return call(*arguments, **options)
            except FileNotFoundError:
                raise
            except OSError as error:
                transient = self.patient and TRANSIENT_ERROR.search(str(error))
                if not transient or time.monotonic() + pause > deadline:
                    raise
                if not reported:
                    retry = f"answers with an error, trying again: {one_line(error)}"
                    print(f"\n{self.address}: {retry}", file=sys.stderr)
                    reported = True
                time.sleep(pause)
                pause = min(2 * pause, 10.0)


def one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _open(address: str) -> tuple[fs.FileSystem, str]:
    if not address.startswith("s3://"):
        if "://" in address or not address:
            raise ValueError("a store is a local folder or s3://bucket/folder")
        if not address.isprintable() and re.search("[\ud800-\udfff]", address):
            raise ValueError("its name is not UTF-8: rename it")
        return fs.LocalFileSystem(), os.path.abspath(os.path.expanduser(address))
    if address == "s3://":
        raise ValueError("name the bucket, too: s3://bucket/folder")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    options: dict[str, Any] = {"connect_timeout": 10, "request_timeout": 60}
    if endpoint:
        scheme, _, host = endpoint.rpartition("://")
        options |= {"endpoint_override": host, "scheme": scheme or "https"}
    if region() or endpoint:
        options["region"] = region() or "us-east-1"
    return fs.S3FileSystem(**options), address.removeprefix("s3://")


def _sync(folder: str) -> None:
    """Make the names in a local folder durable: power loss may undo a rename alone."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _has_name(info: fs.FileInfo) -> bool:
    """Return whether a file's name is valid text; the names of a run's files are."""
    try:
        return bool(info.path)
    except UnicodeDecodeError:
        return False
