"""A process that starts Ray on this machine and holds it until the one who started this ends.

Told: how many cores, the bytes of the object store, and 1 for a dashboard. Tells on standard output
where Ray is, or `failed:` and why. It stands alone: whoever starts it need not have the project on
its path.
"""

import os
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path


def leave_with_the_parent() -> None:
    """The input ends when the parent does, however that happens; Ray's processes end with this
    one."""
    sys.stdin.read()
    os._exit(0)


def make_token() -> None:
    """Where Ray keeps it, if it is wanted and there is none. Ray would make one, too, but for
    everybody to read, and two programs that begin at once would make one each."""
    from ray._private.authentication import authentication_token_setup as tokens

    loader = tokens.AuthenticationTokenLoader.instance()
    if os.environ.get("RAY_AUTH_MODE") != "token" or loader.has_token(ignore_auth_mode=True):
        return
    place = Path.home() / ".ray" / "auth_token"
    place.parent.mkdir(mode=0o700, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=place.parent)
    with open(handle, "w") as file:
        file.write(tokens.generate_new_authentication_token())
    # whoever is first has made it
    with suppress(FileExistsError):
        os.link(made, place)
    os.remove(made)
    loader.reset_cache()


def main() -> None:
    cores, memory, dashboard = map(int, sys.argv[1:])
    threading.Thread(target=leave_with_the_parent, daemon=True).start()
    try:
        import ray

        make_token()
        options = {"num_cpus": cores, "object_store_memory": memory}
        quiet = {"logging_level": "ERROR", "log_to_driver": False}
        ray.init("local", include_dashboard=bool(dashboard), **options, **quiet)
        print(ray.get_runtime_context().gcs_address, flush=True)
    except BaseException as error:
        print("failed:", " ".join(f"{type(error).__name__}: {error}".split()), flush=True)
        raise
    threading.Event().wait()


if __name__ == "__main__":
    main()
