"""Conditional reads and writes of one S3 object: a write fails if another program was faster.

Arrow's client has no conditional writes and removes one object at a time, so boto3 does both. Ages
are measured by the server's clock, so that a wrong local clock does no harm.
"""

from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from store.folder import INTACT, Folder, StoreError, s3_region

MISSING = ("404", "NoSuchKey")
CONFLICT = ("412", "PreconditionFailed", "409", "ConditionalRequestConflict")
MOST_KEYS = 1000  # of one request
TIMEOUTS = {"connect_timeout": 10, "read_timeout": 60}


class Snapshot(NamedTuple):
    """An object's content, its version tag, and the seconds since it was written."""

    data: bytes
    tag: str
    age: float


class ConditionalObject:
    def __init__(self, folder: Folder, name: str):
        self.folder = folder
        bucket, _, key = folder.path(name).partition("/")
        self.bucket, self.key = bucket, key

    @property
    def client(self) -> Any:
        """boto3's client, made once for each folder."""
        self.folder.client = self.folder.client or self._connect()
        return self.folder.client

    def _connect(self) -> Any:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            need = "writing to S3 needs boto3: pip install 'quarto-evo[s3]'"
            raise StoreError(f"{self.folder.address}: {need}") from None
        region = s3_region() or "us-east-1"
        return boto3.client("s3", region_name=region, config=Config(**TIMEOUTS))

    def read(self) -> Snapshot | None:
        """Return the object, or None if it does not exist."""
        answer = self.request("get_object", MISSING, Key=self.key)
        if answer is None:
            return None
        now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
        age = (now - answer["LastModified"]).total_seconds()
        return Snapshot(answer["Body"], answer["ETag"], age)

    def write(self, data: bytes, tag: str | None) -> str | None:
        """Write the object if its tag is still `tag` (None: if it does not exist) and return the
        new tag; return None if it has changed."""
        condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
        # an object that was removed has changed, too
        options = {"Key": self.key, "Body": data, **condition}
        answer = self.request("put_object", CONFLICT + MISSING, **options)
        return answer and answer["ETag"]

    def request(self, name: str, expected: tuple[str, ...], **options: Any) -> Any:
        """Return the answer, or None if it is one of the expected errors."""
        try:
            return self.folder.patiently(self._call, name, expected, options)
        except OSError as error:
            raise StoreError(f"s3://{self.bucket}/{self.key}: {error}; {INTACT}") from None

    def _call(self, name: str, expected: tuple[str, ...], options: dict[str, Any]) -> Any:
        """Raise OSError with a text in which `Folder.patiently` recognises transient errors."""
        client = self.client
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = getattr(client, name)(Bucket=self.bucket, **options)
            return answer | ({"Body": answer["Body"].read()} if "Body" in answer else {})
        except ClientError as error:
            if error.response["Error"]["Code"] in expected:
                return None
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            raise OSError(f"HTTP status {status}: {error}") from None
        except BotoCoreError as error:
            raise OSError(f"NETWORK_CONNECTION: {error}") from None


def remove_files(folder: Folder, names: list[str]) -> None:
    """Remove files, on S3 a thousand with one request. Some may not exist."""
    for name in () if folder.remote else names:
        with suppress(FileNotFoundError):
            folder.remove(name)
    for first in range(0, len(names) * folder.remote, MOST_KEYS):
        folder.check_lock()
        objects = [ConditionalObject(folder, name) for name in names[first : first + MOST_KEYS]]
        keys = [{"Key": each.key} for each in objects]
        objects[0].request("delete_objects", (), Delete={"Objects": keys, "Quiet": True})


def write_once(folder: Folder, name: str, data: bytes) -> None:
    """Write a new object. Raise StoreError if it exists with other content: a writer that was
    frozen until its lease expired cannot damage what the next writer has done."""
    folder.check_lock()
    target = ConditionalObject(folder, name)
    if target.write(data, None) is None:
        stored = target.read()
        if stored is None or stored.data != data:
            other = "another program has written it; the same command goes on from there"
            raise StoreError(f"{folder.address}/{name}: {other}")
