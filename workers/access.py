"""Whether a Ray cluster lets us in, asked in a moment: Ray itself knocks in vain for twenty seconds
where its token is not welcome, and for minutes where nobody answers.

The token is Ray's: in RAY_AUTH_TOKEN, in the file that RAY_AUTH_TOKEN_PATH names, or in
~/.ray/auth_token, where Ray puts the one of a local cluster. It is never ours to keep."""

import os
import socket

TIMEOUT = 5.0  # seconds
# Any call would do: a door that wants a token asks for it first.
QUESTION = "/ray.rpc.NodeInfoGcsService/GetClusterId"
BRING = (
    "copy the cluster's ~/.ray/auth_token to the same place here with mode 600, or name it by "
    "RAY_AUTH_TOKEN_PATH"
)
OPEN = "start it with RAY_AUTH_MODE=token, or say RAY_AUTH_MODE=disabled here to use it as it is"


def look_anew() -> None:
    """At the environment and at the token: whoever imported Ray before has its settings from then,
    and would show no token."""
    from ray._private.authentication import authentication_token_setup as tokens

    tokens.Config.initialize("")
    tokens.AuthenticationTokenLoader.instance().reset_cache()


def knock(address: str) -> None:
    """Raises OSError if nobody answers, PermissionError if its token and ours do not fit."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return
    socket.create_connection((host, int(port)), timeout=TIMEOUT).close()
    if "://" not in address:
        _show_token(f"{host}:{port}")


def _show_token(address: str) -> None:
    """To the head, whose port answers to GRPC."""
    import grpc
    from ray._private.authentication.authentication_token_setup import AuthenticationTokenLoader

    loader = AuthenticationTokenLoader.instance()
    has_token = loader.has_token(ignore_auth_mode=True)
    headers = loader.get_token_for_http_header() if has_token else {}
    with grpc.insecure_channel(address) as channel:
        try:
            channel.unary_unary(QUESTION)(b"", metadata=[*headers.items()], timeout=TIMEOUT)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAUTHENTICATED:
                which = "another token than the one here" if headers else "a token; none is here"
                raise PermissionError(f"it wants {which}: {BRING}") from None
            return
    if not has_token and os.environ["RAY_AUTH_MODE"] == "token":
        raise PermissionError(f"it asks nobody for a token: {OPEN}")
