"""An object of S3 that many may want to write: written only if it is still as it was seen.

Arrow's client has no such writes, so this one is boto3's. Times are the server's alone: whose clock
is wrong here does no harm.
"""

import os
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, NamedTuple

from store.folder import Folder, StoreError

MISSING = ("404", "NoSuchKey")
# somebody else was faster, or is at it this moment
CHANGED = ("412", "PreconditionFailed", "409", "ConditionalRequestConflict")
TIMEOUTS = {"connect_timeout": 10, "read_timeout": 60}


class Seen(NamedTuple):
    """`tag`: what the server calls just this content. `age`: seconds since it was written."""

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
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        return boto3.client("s3", region_name=region or "us-east-1", config=Config(**TIMEOUTS))

    def read(self) -> Seen | None:
        """None if there is none."""
        found = self._ask("get_object", MISSING)
        if found is None:
            return None
        now = parsedate_to_datetime(found["ResponseMetadata"]["HTTPHeaders"]["date"])
        age = (now - found["LastModified"]).total_seconds()
        return Seen(found["Body"], found["ETag"], age)

    def write(self, data: bytes, tag: str | None) -> str | None:
        """The new tag; None if it is no longer what it was. `tag` None: if there is none yet."""
        condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
        # what is gone has changed, too
        done = self._ask("put_object", CHANGED + MISSING, Body=data, **condition)
        return done and done["ETag"]

    def _ask(self, what: str, expected: tuple[str, ...], **given: Any) -> Any:
        """None if the answer is one of the errors that are expected."""
        try:
            return self.folder.patiently(self._call, what, expected, given)
        except OSError as error:
            where = "/".join(self.where.values())
            raise StoreError(f"s3://{where}: {error}; nothing that was stored is lost") from None

    def _call(self, what: str, expected: tuple[str, ...], given: dict[str, Any]) -> Any:
        """As Arrow's client would: errors are OSError, and tell those that pass by themselves."""
        client = self.client
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = getattr(client, what)(**self.where, **given)
            return answer | ({"Body": answer["Body"].read()} if "Body" in answer else {})
        except ClientError as error:
            if error.response["Error"]["Code"] in expected:
                return None
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            raise OSError(f"HTTP status {status}: {error}") from None
        except BotoCoreError as error:
            raise OSError(f"NETWORK_CONNECTION: {error}") from None
