"""A simulated S3 server: requests fail, arrive twice, or are answered late or never; conditional
writes are atomic."""

import re
from datetime import UTC, datetime
from email.utils import format_datetime
from io import BytesIO
from typing import Any, NamedTuple

import pyarrow.fs as fs
from botocore.exceptions import ClientError

from tests.simulation.disk import Info, short
from tests.simulation.world import Process, TwoWriters, World

NUMBERED = re.compile(r"-\d+\.parquet$")
STEP = re.compile(r"\.parquet$")


class Stored(NamedTuple):
    data: bytes
    tag: str
    written: float
    writer: Process


class Upload(BytesIO):
    """Stands for Arrow's output stream: the object appears when it is closed."""

    def __init__(self, server: "Server", name: str) -> None:
        super().__init__()
        self.server, self.name = server, name

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            data = self.getvalue()
            self.server.request("put", self.name, lambda: self.server.put(self.name, data))
        super().__exit__(kind, *rest)  # type: ignore[arg-type]


class Server:
    """The server, with the faces of Arrow's S3FileSystem and of boto3's client."""

    def __init__(self, world: World) -> None:
        self.world, self.objects, self.writes = world, dict[str, Stored](), 0
        self.requests = 0

    def request(self, what: str, name: str, act: Any) -> Any:
        """One request, with what can happen to it on the way."""
        self.requests += 1
        self.world.point(f"S3 {what} {short(name)}")
        if self.world.happens("late answer"):
            self.world.record(f"S3 {what} {short(name)} is late")
            self.world.thread.process.delayed = True
            self.world.sleep(self.world.chance.uniform(1, 50))
        if self.world.happens("server error"):
            self.world.record(f"S3 {what} {short(name)} fails")
            raise OSError("HTTP status 503")
        answer = act()
        if self.world.happens("request arrives twice"):
            self.world.record(f"S3 {what} {short(name)} arrives twice")
            answer = act()
        if self.world.happens("lost answer"):
            self.world.record(f"S3 {what} {short(name)}: the answer is lost")
            raise OSError("NETWORK_CONNECTION: the answer was lost")
        self.world.point(f"S3 {what} {short(name)} answered")
        return answer

    def put(self, name: str, data: bytes) -> str:
        there = self.objects.get(name)
        if there and there.data != data and NUMBERED.search(name):
            raise TwoWriters(f"{short(name)}, which was complete, is overwritten")
        process = self.world.thread.process
        if there and STEP.search(name) and there.writer.locked_at > process.locked_at:
            raise TwoWriters(f"{short(name)} of a later writer is overwritten")
        self.writes += 1
        self.objects[name] = Stored(data, f"tag{self.writes}", self.world.now, process)
        return self.objects[name].tag

    def get(self, name: str) -> Stored:
        if name not in self.objects:
            raise FileNotFoundError(name)
        return self.objects[name]

    # Arrow's file system

    def create_dir(self, name: str, recursive: bool = True) -> None:
        pass

    def get_file_info(self, selector: fs.FileSelector) -> list[Info]:
        def listing() -> list[Info]:
            folder = f"{selector.base_dir}/"
            return [
                Info(base_name=short(name), path=name, type=fs.FileType.File, size=len(one.data))
                for name, one in self.objects.items()
                if name.startswith(folder)
            ]

        return self.request("list", selector.base_dir, listing)

    def open_output_stream(self, name: str) -> Upload:
        return Upload(self, name)

    def open_input_stream(self, name: str) -> BytesIO:
        return BytesIO(self.request("get", name, lambda: self.get(name)).data)

    def delete_file(self, name: str) -> None:
        self.request("delete", name, lambda: self.objects.pop(name, None))

    # boto3's client

    def get_object(self, Bucket: str, Key: str) -> dict[str, Any]:
        def act() -> dict[str, Any]:
            stored = self.objects.get(f"{Bucket}/{Key}")
            if stored is None:
                raise refused("NoSuchKey", 404)
            date = format_datetime(moment(self.world.now), usegmt=True)
            return {
                "Body": BytesIO(stored.data),
                "ETag": stored.tag,
                "LastModified": moment(int(stored.written)),
                "ResponseMetadata": {"HTTPHeaders": {"date": date}},
            }

        return self._client("get", Key, act)

    def put_object(
        self,
        Bucket: str,
        Key: str,
        Body: bytes,
        IfMatch: str | None = None,
        IfNoneMatch: str | None = None,
    ) -> dict[str, Any]:
        def act() -> dict[str, Any]:
            stored = self.objects.get(f"{Bucket}/{Key}")
            if IfMatch and stored is None:
                raise refused("NoSuchKey", 404)
            if (IfMatch and stored and stored.tag != IfMatch) or (IfNoneMatch and stored):
                raise refused("PreconditionFailed", 412)
            return {"ETag": self.put(f"{Bucket}/{Key}", Body)}

        return self._client("put", Key, act)

    def delete_objects(self, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        def act() -> dict[str, Any]:
            for each in Delete["Objects"]:
                self.objects.pop(f"{Bucket}/{each['Key']}", None)
            return {}

        return self._client("delete", Delete["Objects"][0]["Key"], act)

    def _client(self, what: str, name: str, act: Any) -> Any:
        try:
            return self.request(what, name, act)
        except OSError as error:
            raise refused(f"ServiceUnavailable: {error}", 503) from None


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def refused(code: str, status: int) -> ClientError:
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "operation")  # type: ignore[arg-type]
