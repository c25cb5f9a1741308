"""Where a run lives: a local folder or an s3:// address, behind the same few verbs.

S3: endpoint and credentials come from the usual environment (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION). A server that answers with errors is asked again for up to
OUTAGE seconds: what took hours to compute is worth some waiting.
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

OUTAGE = 300.0  # seconds
# In the text of errors that pass by themselves.
PASSING = re.compile(
    "HTTP status 5|SERVICE_UNAVAILABLE|SLOW_DOWN|INTERNAL_FAILURE|NETWORK_CONNECTION|THROTTLING"
    "|TIMEOUT|curlCode"
    # of an upload that is complete, while the answer that said so was lost on the way
    "|NO_SUCH_UPLOAD"
)
# Begins the name of a file that is not whole yet; whoever opens the run to write sweeps them.
TEMPORARY = ".writing-"
KEPT = "nothing that was stored is lost"


class StoreError(UserError):
    """A run cannot be read or written: one line that names the file."""

    exit_code = 2


class DamagedFile(StoreError):
    """`problem`: the line without its advice, for callers who know better what to do."""

    problem = ""


def held() -> str:
    """The answer of a lock that is not lost."""
    return ""


class Folder:
    """A folder. Writing is atomic: readers see the whole file or none."""

    def __init__(self, address: str | os.PathLike[str]):
        text = os.fspath(address)
        self.address = text if text.endswith("://") else text.rstrip("/") or text[:1]
        self.remote = "://" in self.address
        # A writer that has begun is patient; whoever only looks wants to know at once.
        self.patient = False
        # Why this program may no longer write to the run; empty while it holds the lock.
        self.lost = held
        try:
            self.files, self.root = _open(self.address)
        except Exception as error:
            why = _one_line(error)
            raise StoreError(f"{text or repr(text)}: cannot be used as a store: {why}") from None

    def make(self) -> None:
        try:
            self.files.create_dir(self.root, recursive=True)
            if not self.remote:
                _sync(os.path.dirname(self.root))
        except OSError as error:
            raise StoreError(f"{self.address}: cannot be made: {_one_line(error)}") from None

    def names(self) -> list[str]:
        """The whole files, by name."""
        return sorted(name for name in self._all() if not name.startswith("."))

    def _all(self) -> list[str]:
        return [info.base_name for info in self.infos()]

    def infos(
        self, recursive: bool = False, kind: fs.FileType = fs.FileType.File
    ) -> list[fs.FileInfo]:
        """Path, size and time of the files, or of the folders, that are there."""
        selector = fs.FileSelector(self.root, allow_not_found=True, recursive=recursive)
        try:
            infos = self.patiently(self.files.get_file_info, selector)
        except OSError as error:
            raise StoreError(f"{self.address}: cannot be read: {_one_line(error)}") from None
        return [info for info in infos if info.type == kind and _has_name(info)]

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def write(self, name: str, data: bytes) -> None:
        """All or nothing: an object of S3 appears when its upload is complete, a local file when it
        is renamed."""
        self._check_lock()
        try:
            self.patiently(self._upload if self.remote else self._save, name, data)
        except OSError as error:
            why = _one_line(error)
            raise StoreError(f"{self.address}/{name}: cannot be written: {why}; {KEPT}") from None

    def _check_lock(self) -> None:
        if why := self.lost():
            raise StoreError(f"{self.address}: {why}; {KEPT}")

    def _upload(self, name: str, data: bytes) -> None:
        with self.files.open_output_stream(self.path(name)) as stream:
            stream.write(data)

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
                # on a full disk its half takes the room that is needed
                os.remove(temporary)
            raise

    def patiently(self, do: Callable[..., Any], *arguments: Any) -> Any:
        """On S3, again and again while the server's errors are of a kind that passes; a local disk
        does not mend itself."""
        deadline = time.monotonic() + OUTAGE
        pause, told = 0.5, False
        while True:
            try:
                return do(*arguments)
            except FileNotFoundError:
                raise
            except OSError as error:
                passing = self.patient and PASSING.search(str(error))
                if not passing or time.monotonic() + pause > deadline:
                    raise
                if not told:
                    again = f"answers with an error, trying again: {_one_line(error)}"
                    print(f"\n{self.address}: {again}", file=sys.stderr)
                    told = True
                time.sleep(pause)
                pause = min(2 * pause, 10.0)

    def _download(self, name: str) -> bytes:
        with self.files.open_input_stream(self.path(name)) as stream:
            return stream.read()

    def read(self, name: str) -> bytes:
        try:
            return self.patiently(self._download, name)
        except FileNotFoundError:
            raise StoreError(f"{self.address}/{name}: there is no such file") from None
        except OSError as error:
            raise StoreError(f"{self.address}/{name}: cannot be read: {_one_line(error)}") from None

    def remove(self, name: str) -> None:
        """Raise FileNotFoundError if there is no such file."""
        self._check_lock()
        try:
            self.patiently(self.files.delete_file, self.path(name))
        except FileNotFoundError:
            raise
        except OSError as error:
            why = _one_line(error)
            raise StoreError(f"{self.address}/{name}: cannot be removed: {why}; {KEPT}") from None

    def remove_if_empty(self) -> list[str]:
        """Remove the folder itself, unless something is in it: then its names."""
        kinds = (fs.FileType.File, fs.FileType.Directory)
        inside = sorted(info.base_name for kind in kinds for info in self.infos(kind=kind))
        if not inside:
            # the working directory, or a link, stays
            with suppress(OSError):
                self.files.delete_dir(self.root)
        return inside

    def sweep(self) -> None:
        """Remove what a killed program left half-written."""
        for name in self._all():
            if name.startswith(TEMPORARY):
                self.remove(name)


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
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region or endpoint:
        options["region"] = region or "us-east-1"
    return fs.S3FileSystem(**options), address.removeprefix("s3://")


def _sync(folder: str) -> None:
    """Make the names in a local folder durable: a rename alone may be lost with the power."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _has_name(info: fs.FileInfo) -> bool:
    """Whether its name is text: a folder may hold others, which no run has."""
    try:
        return bool(info.path)
    except UnicodeDecodeError:
        return False


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
