"""The objects of a folder on S3, as boto3 writes them: each request is atomic, and a write can be
conditional, so that it fails if another program was faster.

Arrow's client, by which runs are listed and read, has no conditional writes and removes one object
at a time. Ages are measured by the server's clock, so that a wrong local clock does no harm.
"""

import os
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, NamedTuple

MISSING = ("404", "NoSuchKey")
CONFLICT = ("412", "PreconditionFailed", "409", "ConditionalRequestConflict")
MOST_KEYS = 1000  # of one request
TIMEOUTS = {"connect_timeout": 10, "read_timeout": 60}


class NoClient(Exception):
    """boto3 is not installed."""


class Snapshot(NamedTuple):
    """An object's content, its version tag, and the seconds since it was written."""

    data: bytes
    tag: str
    age: float


class Objects:
    """The objects of a folder by name. Raise OSError with a text in which `Folder` recognises
    transient errors."""

    def __init__(self, root: str):
        self.bucket, _, folder = root.partition("/")
        self.prefix = f"{folder}/" if folder else ""

    @cached_property
    def client(self) -> Any:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            raise NoClient("writing to S3 needs boto3: pip install -e '.[s3]'") from None
        return boto3.client("s3", region_name=region() or "us-east-1", config=Config(**TIMEOUTS))

    def read(self, name: str) -> Snapshot | None:
        """Return the object, or None if it does not exist."""
        answer = self._request("get_object", MISSING, Key=self.prefix + name)
        if answer is None:
            return None
        now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
        age = (now - answer["LastModified"]).total_seconds()
        return Snapshot(answer["Body"], answer["ETag"], age)

    def write(self, name: str, data: bytes, **condition: str) -> str | None:
        """Write an object and return its new tag; None if a condition is not met. `IfMatch`: its
        tag. `IfNoneMatch`: "*" if it must not exist."""
        # an object that was removed has changed, too
        expected = CONFLICT + MISSING if condition else ()
        options = {"Key": self.prefix + name, "Body": data, **condition}
        answer = self._request("put_object", expected, **options)
        return answer and answer["ETag"]

    def remove(self, names: list[str]) -> None:
        """Remove objects, of which some may not exist."""
        for first in range(0, len(names), MOST_KEYS):
            keys = [{"Key": self.prefix + name} for name in names[first : first + MOST_KEYS]]
            self._request("delete_objects", (), Delete={"Objects": keys, "Quiet": True})

    def _request(self, name: str, expected: tuple[str, ...], **options: Any) -> Any:
        """Return the answer, or None if it is one of the expected errors."""
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


def region() -> str | None:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
