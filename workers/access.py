"""Check address and token before `ray.init`, which takes 20 s to fail on a wrong token and minutes
on a dead address.

The token is Ray's own, in RAY_AUTH_TOKEN, in the file that RAY_AUTH_TOKEN_PATH names, or in
~/.ray/auth_token."""

import os
import socket

from workers.ray_private import token_headers

TIMEOUT = 5.0  # seconds
# any method: a head that requires a token checks it first
METHOD = "/ray.rpc.NodeInfoGcsService/GetClusterId"
BRING = (
    "copy the cluster's ~/.ray/auth_token to the same place here with mode 600, or name it by "
    "RAY_AUTH_TOKEN_PATH"
)
OPEN = "start it with RAY_AUTH_MODE=token, or say RAY_AUTH_MODE=disabled here to use it as it is"


def knock(address: str) -> None:
    """Raise OSError if the address is dead, PermissionError if the tokens do not match."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return
    socket.create_connection((host, int(port)), timeout=TIMEOUT).close()
    if "://" not in address:
        _show_token(f"{host}:{port}")


def _show_token(address: str) -> None:
    import grpc

    headers = token_headers()
    with grpc.insecure_channel(address) as channel:
        try:
            channel.unary_unary(METHOD)(b"", metadata=[*headers.items()], timeout=TIMEOUT)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                which = "another token than the one here" if headers else "a token; none is here"
                raise PermissionError(f"it wants {which}: {BRING}") from None
            return
    if not headers and os.environ["RAY_AUTH_MODE"] == "token":
        raise PermissionError(f"it does not ask for a token: {OPEN}")
