"""The laboratory in the browser: play, analyse, review, watch runs, read the league.

    python -m web                              on this machine, on a free port; opens the browser
    python -m web --runs FOLDER --port 8000    the runs of another folder, always at one address
    python -m web --player mine.py:Mine        with a player of your own

Ctrl-C ends it. Other machines are let in only with --host, and only with the token that is printed.
"""

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
    runs: str = option(HERE, "the folder, or s3:// address, whose runs are shown", metavar="FOLDER")
    host: str = option(
        "127.0.0.1", "the address to listen at; others than this machine's need the token"
    )
    port: int = option(0, "0 for a free one", least=0, most=65535)
    player: str | None = option(
        None, "players of your own, which the page may ask", metavar="FILE.py:CLASS,..."
    )
    open: bool = option(True, "do not open the browser; with --host it is never opened")

    def own_players(self) -> dict[str, Callable[[], Player]]:
        """What makes each of them, by the label that was typed, or else the whole text."""
        own: dict[str, Callable[[], Player]] = {}
        try:
            specs = agents.split_specs(self.player) if self.player else []
        except ValueError as error:
            raise BadInput(f"--player {self.player}: {error}") from None
        for spec in map(str.strip, specs):
            labelled = LABEL.fullmatch(spec)
            name = labelled[1] if labelled else spec
            if name in own or name.lower() in REGISTRY:
                taken = "given twice" if name in own else "a player of the project"
                raise BadInput(f"--player {spec}: {name!r} is {taken}: write NAME={spec}")
            own[name] = partial(agents.make, spec, self.rules)
        return own

    def slow_limits(self) -> "Limits":
        """A player of one's own has all of --time-limit."""
        from web.deciders import SLOW

        return SLOW._replace(deciding=max(SLOW.deciding, self.time_limit + 1))


def address_of(host: str, port: int, token: str | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def announce(config: Web, address: str, token: str | None) -> None:
    if token:
        warning = "whoever can reach this machine and has the token in it can use this server"
        print(f"warning: {warning}; it is not encrypted", file=sys.stderr, flush=True)
    print(f"{address}\nCtrl-C ends it", flush=True)
    # a browser's command line, which other users of the machine can read, must show no token
    if config.open and not token:
        # it may wait for the browser to come up
        threading.Thread(target=partial(webbrowser.open, address), daemon=True).start()


def make_roster(config: Web, runs: "RunList") -> "Roster":
    """BadInput if one of the user's players cannot play."""
    from web.limits import Refused
    from web.roster import Roster

    roster = Roster(config.own_players(), runs)
    for name in roster.own:
        try:
            roster.player(name)
        except Refused as error:
            raise BadInput(f"--player {name}: {error}") from None
    return roster


def work(config: Web) -> None:
    # with aiohttp they take longer to import than all the rest, and --help needs none of them
    from web import deciders
    from web.guard import Guard
    from web.runs import RunList
    from web.server import FAREWELL, listen, make_app, serve
    from web.state import State
    from web.warm import warm_up

    runs = RunList(config.runs)
    state = State(runs, make_roster(config, runs), slow=config.slow_limits())
    guard = Guard.of(config.host)
    taken = listen(config.host, config.port)
    address = address_of(config.host, taken.getsockname()[1], guard.token)

    def up() -> None:
        announce(config, address, guard.token)
        # the first page first
        later = asyncio.get_running_loop().call_later
        later(WARM_UP_AFTER, deciders.warm_up)
        later(WARM_UP_AFTER, state.preparing.submit, warm_up)

    asyncio.run(serve(make_app(state, guard), taken, up))
    if not state.end(FAREWELL):
        # a search goes on, or a kernel is being compiled: there is nothing to save
        os.write(2, b"\ninterrupted\n")
        os._exit(130)
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    return run_command("web", __doc__, Web, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
