"""Access check for TCP ports: which of them answer without the right token?

    python -m tests.cluster.doors ADDRESS PORT [PORT ...] [--token FILE]

Prints a JSON line for each port: its protocol, and whether it accepts a client without a token,
with a wrong token, and with the token in FILE. All requests are harmless.
"""

import argparse
import http.client
import json
import socket
from pathlib import Path

import grpc

# one call of each gRPC service that Ray's processes offer
CALLS = (
    "/ray.rpc.NodeInfoGcsService/GetClusterId",
    "/ray.rpc.NodeManagerService/GetNodeStats",
    "/ray.rpc.ObjectManagerService/Pull",
    "/ray.rpc.CoreWorkerService/GetCoreWorkerStats",
    "/ray.rpc.LogService/ListLogs",
    "/ray.rpc.ReporterService/GetTraceback",
    "/ray.rpc.RayletDriver/ClusterInfo",
)
# pages behind the dashboard's first page, which itself shows no data
PAGES = ("/api/jobs/", "/nodes?view=summary", "/metrics")
SECONDS = 3.0
REFUSED, OPEN, SILENT, METRICS = "refused", "open", "silent", "open: metrics"


def ask_by_grpc(address: str, headers: dict[str, str]) -> str:
    with grpc.insecure_channel(address) as channel:
        for call in CALLS:
            try:
                channel.unary_unary(call)(b"", metadata=[*headers.items()], timeout=SECONDS)
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                    return REFUSED
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    return SILENT
                if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                    continue
            return OPEN
    return SILENT


def ask_by_http(address: str, headers: dict[str, str]) -> str:
    """Return OPEN and the page if a page was shown, METRICS for metrics, else REFUSED or SILENT."""
    result = SILENT
    for page in PAGES:
        connection = http.client.HTTPConnection(address, timeout=SECONDS)
        try:
            connection.request("GET", page, headers=headers)
            answer = connection.getresponse()
            status, head = answer.status, answer.read(100)
        except (OSError, http.client.HTTPException):
            continue
        finally:
            connection.close()
        if status < 400:
            return METRICS if head.startswith(b"# HELP") else f"{OPEN}: {page}"
        result = REFUSED if status in (401, 403) else result
    return result


def look(address: str, port: int, tokens: dict[str, str]) -> dict:
    where = f"{address}:{port}"
    try:
        socket.create_connection((address, port), timeout=SECONDS).close()
    except OSError:
        return {"port": port, "speaks": "nothing"}
    for speaks, ask in (("grpc", ask_by_grpc), ("http", ask_by_http)):
        access = {
            name: ask(where, {"authorization": f"Bearer {token}"} if token else {})
            for name, token in tokens.items()
        }
        if set(access.values()) != {SILENT}:
            return {"port": port, "speaks": speaks, **access}
    return {"port": port, "speaks": "something else"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("port", type=int, nargs="+")
    parser.add_argument("--token", type=Path)
    options = parser.parse_args()
    tokens = {"none": "", "another": "0" * 64}
    if options.token:
        tokens["ours"] = options.token.read_text().strip()
    for port in options.port:
        print(json.dumps(look(options.address, port, tokens)), flush=True)


if __name__ == "__main__":
    main()
