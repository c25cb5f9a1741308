"""The web server: play, analyse, review, watch runs and read the league in the browser.

    python -m web                              on this machine, port 8000; opens the browser
    python -m web --runs FOLDER --port 8000    the runs of another folder, at a fixed address
    python -m web --player mine.py:Mine        with a player of your own

Ctrl-C ends it. Other machines have access only with --host and with the token that is printed."""

import asyncio
import os
import sys
import threading
import webbrowser
from collections.abc import Callable
from functools import partial

import agents
from agents.player import REGISTRY, Player
from agents.spec import LABEL
from arena.entrants import Guests
from console.command import command
from console.config import option
from console.errors import BadInput
from store.runs import HERE

WARM_UP_AFTER = 1.0  # seconds


class Web(Guests):
    runs: str = option(HERE, "folder or s3:// address of the runs to show", metavar="FOLDER")
    host: str = option(
        "127.0.0.1", "address to listen on; clients of other machines need the token"
    )
    port: int | None = option(
        None,
        "port to listen on; 0: any free one (default 8000, or the next free one)",
        least=0,
        most=65535,
    )
    player: str | None = option(
        None, "players of your own for the pages", metavar="FILE.py:CLASS,..."
    )
    open: bool = option(True, "do not open the browser; with --host it is never opened")

    def own_players(self) -> dict[str, Callable[[], Player]]:
        """Return functions that make the players of --player, by label or else by spec."""
        own: dict[str, Callable[[], Player]] = {}
        try:
            specs = agents.split_specs(self.player) if self.player else []
        except ValueError as error:
            raise BadInput(f"--player {self.player}: {error}") from None
        for spec in map(str.strip, specs):
            label = LABEL.fullmatch(spec)
            name = label[1] if label else spec
            if name in own or name.lower() in REGISTRY:
                reason = "given twice" if name in own else "a player of the project"
                raise BadInput(f"--player {spec}: {name!r} is {reason}: write NAME={spec}")
            own[name] = partial(agents.make, spec, self.rules)
        return own


def announce(config: Web, address: str, token: str | None) -> None:
    if token:
        warning = "anyone who can reach this machine and has the token can use this server"
        print(f"warning: {warning}; it is not encrypted", file=sys.stderr, flush=True)
    print(f"{address}\nCtrl-C ends it", flush=True)
    # other users of the machine can read a browser's command line, which must not hold a token
    if config.open and not token:
        # opening may wait for the browser to start
        threading.Thread(target=partial(webbrowser.open, address), daemon=True).start()


def work(config: Web) -> None:
    # aiohttp and these take long to import, and --help needs none of them
    from web import deciders
    from web.guard import Guard
    from web.limits import Refusal
    from web.roster import Roster
    from web.runs import RunList
    from web.server import FIRST_PORT, GRACE_SECONDS, listen, make_app, serve
    from web.state import State, warm_up

    runs = RunList(config.runs)
    roster = Roster(config.own_players(), runs)
    for name in roster.own:
        try:
            roster.player(name)
        except Refusal as error:
            raise BadInput(f"--player {name}: {error}") from None
    decisions = deciders.Deciders(roster, deciders.slow_limits(config.time_limit))
    state = State(runs, roster, decisions)
    guard = Guard.of(config.host)
    listener = listen(config.host, config.port)
    port = listener.getsockname()[1]
    if config.port is None and port != FIRST_PORT:
        print(f"port {FIRST_PORT} is in use; this is port {port}", file=sys.stderr, flush=True)

    def on_up() -> None:
        host = f"[{config.host}]" if ":" in config.host else config.host
        token = f"?token={guard.token}" if guard.token else ""
        announce(config, f"http://{host}:{port}/{token}", guard.token)
        # the first page has priority
        later = asyncio.get_running_loop().call_later
        later(WARM_UP_AFTER, deciders.start_fork_server)
        later(WARM_UP_AFTER, state.searches.submit, warm_up)

    asyncio.run(serve(make_app(state, guard), listener, on_up))
    if not state.end(GRACE_SECONDS):
        # at exit Python would wait for a search or the compilation of a kernel
        os.write(2, b"\ninterrupted\n")
        os._exit(130)
    raise KeyboardInterrupt


main = command("web", __name__, __doc__, Web, work)
