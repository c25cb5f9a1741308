"""Every use of `ray._private` with its reason, since such names may change with any release. Ray is
imported inside the functions because that takes a second."""


def reload_settings() -> None:
    """Read RAY_AUTH_MODE and the token again. Ray reads them on import, which may have happened
    before they were set."""
    from ray._private.authentication import authentication_token_setup as tokens

    tokens.Config.initialize("")
    tokens.AuthenticationTokenLoader.instance().reset_cache()


def token_headers() -> dict[str, str]:
    """Return the headers with Ray's token; empty without a token. Ray has no public function that
    looks for the token in its three places."""
    from ray._private.authentication.authentication_token_setup import AuthenticationTokenLoader

    loader = AuthenticationTokenLoader.instance()
    has_token = loader.has_token(ignore_auth_mode=True)
    return dict(loader.get_token_for_http_header()) if has_token else {}


def keep_quiet() -> None:
    """Stop Ray from reporting lost workers on stdout, in the middle of --json, in spite of
    log_to_driver. The driver notices lost workers itself."""
    import ray._private.worker

    ray._private.worker.print_to_stdstream = lambda *_, **__: None  # type: ignore[attr-defined]


def stay_on_loopback() -> None:
    """Make Ray connect to 127.0.0.1 itself. It would use this machine's external address, where
    LocalRay does not listen; the variable that prevents this is only read on import."""
    from ray._private import ray_constants

    ray_constants.ENABLE_RAY_CLUSTER = False


def resolve(address: str) -> str:
    """Return the address that `auto` means, or the address itself. Ray has no public function for
    this that does not connect."""
    from ray._private.services import canonicalize_bootstrap_address

    return (canonicalize_bootstrap_address(address) or address) if address == "auto" else address
