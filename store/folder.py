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

OUTAGE = 300.0  # seconds for which a writer retries while the S3 server fails
TRANSIENT_ERROR = re.compile(
    "HTTP status 5|SERVICE_UNAVAILABLE|SLOW_DOWN|INTERNAL_FAILURE|NETWORK_CONNECTION|THROTTLING"
    "|TIMEOUT|curlCode"
    # an upload that is complete although its answer was lost
    "|NO_SUCH_UPLOAD"
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

    problem = ""


def not_lost() -> str:
    return ""


class Folder:
    """A folder with atomic writes: readers see a whole file or none."""

    def __init__(self, address: str | os.PathLike[str]):
        text = os.fspath(address)
        self.address = text if text.endswith("://") else text.rstrip("/") or text[:1]
        self.remote = "://" in self.address
        # Writers retry during outages; readers fail fast.
        self.patient = False
        self.client: Any = None  # boto3's, for conditional writes to S3
        # Return why this program may no longer write to the run, or "" while it holds the lock.
        self.lost = not_lost
        try:
            self.files, self.root = _open(self.address)
        except Exception as error:
            reason = one_line(error)
            raise StoreError(f"{text or repr(text)}: cannot be used as a store: {reason}") from None

    def make(self) -> None:
        try:
            self.files.create_dir(self.root, recursive=True)
            if not self.remote:
                _sync(os.path.dirname(self.root))
        except OSError as error:
            raise StoreError(f"{self.address}: cannot be made: {one_line(error)}") from None

    def names(self) -> list[str]:
        """Return the sorted names of the files, hidden ones excluded."""
        names = (info.base_name for info in self.infos())
        return sorted(name for name in names if not name.startswith("."))

    def infos(self, kind: fs.FileType = fs.FileType.File) -> list[fs.FileInfo]:
        """Return path, size and time of the files, or of the folders."""
        selector = fs.FileSelector(self.root, allow_not_found=True)
        try:
            infos = self.patiently(self.files.get_file_info, selector)
        except OSError as error:
            raise StoreError(f"{self.address}: cannot be read: {one_line(error)}") from None
        return [info for info in infos if info.type == kind and _has_name(info)]

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def write(self, name: str, data: bytes) -> None:
        """Write a file atomically: an S3 object appears when its upload is complete, a local file
        when it is renamed."""
        self.check_lock()
        try:
            self.patiently(self._upload if self.remote else self._save, name, data)
        except OSError as error:
            reason = one_line(error)
            raise StoreError(
                f"{self.address}/{name}: cannot be written: {reason}; {INTACT}"
            ) from None

    def check_lock(self) -> None:
        if reason := self.lost():
            raise StoreError(f"{self.address}: {reason}; {INTACT}")

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
                # on a full disk the incomplete file takes up the space that is needed
                os.remove(temporary)
            raise

    def patiently(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Return `call(*arguments)`; a writer on S3 retries it while the errors are transient."""
        deadline = time.monotonic() + OUTAGE
        pause, reported = 0.5, False
        while True:
            try:
                return call(*arguments)
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

    def _download(self, name: str) -> bytes:
        with self.files.open_input_stream(self.path(name)) as stream:
            return stream.read()

    def read(self, name: str) -> bytes:
        try:
            return self.patiently(self._download, name)
        except FileNotFoundError:
            raise MissingFile(f"{self.address}/{name}: there is no such file") from None
        except OSError as error:
            raise StoreError(f"{self.address}/{name}: cannot be read: {one_line(error)}") from None

    def remove(self, name: str) -> None:
        """Remove a file. Raise FileNotFoundError if it does not exist."""
        self.check_lock()
        try:
            self.patiently(self.files.delete_file, self.path(name))
        except FileNotFoundError:
            raise
        except OSError as error:
            reason = one_line(error)
            raise StoreError(
                f"{self.address}/{name}: cannot be removed: {reason}; {INTACT}"
            ) from None

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
        for info in self.infos():
            if info.base_name.startswith(TEMPORARY):
                self.remove(info.base_name)


def s3_region() -> str | None:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")


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
    if s3_region() or endpoint:
        options["region"] = s3_region() or "us-east-1"
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
