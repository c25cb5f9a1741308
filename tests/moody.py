"""An unreliable S3 server on loopback: moto's, but now and then it answers late, does a request
twice, sends half of the body, or answers 503, even if it has done the request."""

import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

LATE, TWICE, REFUSED, LOST, TRUNCATED = "late", "twice", "refused", "answer lost", "truncated"
MOODS = [LATE, TWICE, REFUSED, LOST, TRUNCATED]
KEYS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}
# (method, path) of a request -> its mood; '': a correct answer
Temper = Callable[[str, str], str]


class Quiet(WSGIRequestHandler):
    def log(self, *_: object) -> None:
        pass


class Moody:
    def __init__(self, temper: Temper):
        self.app, self.temper = DomainDispatcherApplication(create_backend_app), temper
        # S3 checks If-Match and writes in one step. moto does not, so its requests take turns.
        self.turn = threading.Lock()

    def __call__(self, environ, start_response):
        ends = environ.get("wsgi.input_terminated")
        length = -1 if ends else int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        method, query = environ["REQUEST_METHOD"], environ["QUERY_STRING"]
        mood = self.temper(method, environ["PATH_INFO"])
        if mood == LATE:
            time.sleep(1.0)
        if mood == REFUSED:
            return refuse(start_response)
        # unlike S3, moto fails if an upload is completed twice
        if mood == TWICE and "uploadId" not in query:
            self.ask(environ, body)
        head, answer = self.ask(environ, body)
        if mood == LOST:
            return refuse(start_response)
        start_response(*head)
        cut = mood == TRUNCATED and method == "GET"
        return [answer[: len(answer) // 2] if cut else answer]

    def ask(self, environ, body):
        """Return ((status, headers), body) of moto's answer."""
        heads = []
        again = {**environ, "wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        with self.turn:
            answer = b"".join(self.app(again, lambda *head: heads.append(head[:2])))
        return heads[0], answer


def refuse(start_response):
    start_response("503 Service Unavailable", [("Content-Length", "0")])
    return [b""]


@contextmanager
def moody_server(bucket: str, temper: Temper) -> Iterator[dict[str, str]]:
    """Start the server; yield the environment variables that make s3://bucket lead to it."""
    moody = Moody(lambda method, path: "")
    server = make_server("127.0.0.1", 0, moody, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys)
    client.create_bucket(Bucket=bucket)
    moody.temper = temper
    try:
        yield {"AWS_ENDPOINT_URL": endpoint, **KEYS}
    finally:
        server.shutdown()
