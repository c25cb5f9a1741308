"""Every use of `ray._private`, each with its reason: such names may change with any release of Ray.
This module imports Ray only when it is asked, as importing Ray takes a second."""


def reload_settings() -> None:
    """Read RAY_AUTH_MODE and the token again. Ray reads them when it is imported, which a program
    may have done before our settings were there; it would then show no token."""
    from ray._private.authentication import authentication_token_setup as tokens

    tokens.Config.initialize("")
    tokens.AuthenticationTokenLoader.instance().reset_cache()


def token_headers() -> dict[str, str]:
    """Return the headers that show Ray's token, none if there is no token. Ray has no public
    function that finds the token in its three places."""
    from ray._private.authentication.authentication_token_setup import AuthenticationTokenLoader

    loader = AuthenticationTokenLoader.instance()
    has_token = loader.has_token(ignore_auth_mode=True)
    return dict(loader.get_token_for_http_header()) if has_token else {}


def keep_quiet() -> None:
    """Ray reports every lost worker on standard output, log_to_driver or not: into the middle of
    --json. The driver notices lost workers by itself."""
    import ray._private.worker

    ray._private.worker.print_to_stdstream = lambda *_, **__: None  # type: ignore[attr-defined]


def stay_on_loopback() -> None:
    """Connect to 127.0.0.1 as given. Ray would try this machine's outer address, where LocalRay
    does not listen; the variable that prevents it is read when Ray is imported."""
    from ray._private import ray_constants

    ray_constants.ENABLE_RAY_CLUSTER = False


def resolve(address: str) -> str:
    """Return the address that `auto` stands for; any other stays. Ray has no public function that
    finds it without connecting."""
    from ray._private.services import canonicalize_bootstrap_address

    return (canonicalize_bootstrap_address(address) or address) if address == "auto" else address
