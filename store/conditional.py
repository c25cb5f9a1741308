"""Conditional reads and writes of one S3 object: a write fails if another program was faster.

Arrow's client has no conditional writes, so boto3 does them. Ages are measured by the server's
clock, so that a wrong local clock does no harm.
"""

from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, NamedTuple

from store.folder import INTACT, Folder, StoreError, s3_region

MISSING = ("404", "NoSuchKey")
CONFLICT = ("412", "PreconditionFailed", "409", "ConditionalRequestConflict")
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
        self.where = {"Bucket": bucket, "Key": key}

    @cached_property
    def client(self) -> Any:
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
        answer = self._request("get_object", MISSING)
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
        answer = self._request("put_object", CONFLICT + MISSING, Body=data, **condition)
        return answer and answer["ETag"]

    def _request(self, name: str, expected: tuple[str, ...], **options: Any) -> Any:
        """Return the answer, or None if it is one of the expected errors."""
        try:
            return self.folder.patiently(self._call, name, expected, options)
        except OSError as error:
            where = "/".join(self.where.values())
            raise StoreError(f"s3://{where}: {error}; {INTACT}") from None

    def _call(self, name: str, expected: tuple[str, ...], options: dict[str, Any]) -> Any:
        """Raise OSError with a text in which `Folder.patiently` recognises transient errors."""
        client = self.client
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = getattr(client, name)(**self.where, **options)
            return answer | ({"Body": answer["Body"].read()} if "Body" in answer else {})
        except ClientError as error:
            if error.response["Error"]["Code"] in expected:
                return None
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            raise OSError(f"HTTP status {status}: {error}") from None
        except BotoCoreError as error:
            raise OSError(f"NETWORK_CONNECTION: {error}") from None
