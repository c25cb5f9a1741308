"""The web server: play, analyse, review, watch runs and read the league in the browser.

    python -m web                              on this machine, on a free port; opens the browser
    python -m web --runs FOLDER --port 8000    the runs of another folder, at a fixed address
    python -m web --player mine.py:Mine        with a player of your own

Ctrl-C ends it. Other machines have access only with --host and with the token that is printed."""

import asyncio
import os
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import agents
from agents.player import REGISTRY, Player
from agents.spec import LABEL
from arena.entrants import Guests
from console.command import run_command
from console.config import option
from console.errors import BadInput
from store.runs import HERE

if TYPE_CHECKING:
    from web.deciders import Limits
    from web.roster import Roster
    from web.runs import RunList

WARM_UP_AFTER = 1.0  # seconds


@dataclass(kw_only=True)
class Web(Guests):
    runs: str = option(HERE, "folder or s3:// address of the runs to show", metavar="FOLDER")
    host: str = option(
        "127.0.0.1", "address to listen on; clients of other machines need the token"
    )
    port: int = option(0, "port to listen on; 0: any free one", least=0, most=65535)
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

    def slow_limits(self) -> "Limits":
        """Return the limits of slow players, which allow all of --time-limit."""
        from web.deciders import SLOW

        return SLOW._replace(deciding=max(SLOW.deciding, self.time_limit + 1))


def address_of(host: str, port: int, token: str | None) -> str:
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}/" + (f"?token={token}" if token else "")


def announce(config: Web, address: str, token: str | None) -> None:
    if token:
        warning = "anyone who can reach this machine and has the token can use this server"
        print(f"warning: {warning}; it is not encrypted", file=sys.stderr, flush=True)
    print(f"{address}\nCtrl-C ends it", flush=True)
    # other users of the machine can read a browser's command line, which must not hold a token
    if config.open and not token:
        # opening may wait for the browser to start
        threading.Thread(target=partial(webbrowser.open, address), daemon=True).start()


def make_roster(config: Web, runs: "RunList") -> "Roster":
    """Return the roster; raise BadInput if one of the user's players cannot play."""
    from web.limits import Refusal
    from web.roster import Roster

    roster = Roster(config.own_players(), runs)
    for name in roster.own:
        try:
            roster.player(name)
        except Refusal as error:
            raise BadInput(f"--player {name}: {error}") from None
    return roster


def work(config: Web) -> None:
    # aiohttp and these take long to import, and --help needs none of them
    from web import deciders
    from web.guard import Guard
    from web.runs import RunList
    from web.server import GRACE_SECONDS, listen, make_app, serve
    from web.state import State, warm_up

    runs = RunList(config.runs)
    state = State(runs, make_roster(config, runs), slow=config.slow_limits())
    guard = Guard.of(config.host)
    listener = listen(config.host, config.port)

    def on_up() -> None:
        address = address_of(config.host, listener.getsockname()[1], guard.token)
        announce(config, address, guard.token)
        # the first page has priority
        later = asyncio.get_running_loop().call_later
        later(WARM_UP_AFTER, deciders.warm_up)
        later(WARM_UP_AFTER, state.preparing.submit, warm_up)

    asyncio.run(serve(make_app(state, guard), listener, on_up))
    if not state.end(GRACE_SECONDS):
        # a thread is still in a search or compiling a kernel; there is nothing to save
        os.write(2, b"\ninterrupted\n")
        os._exit(130)
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    return run_command("web", __doc__, Web, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
