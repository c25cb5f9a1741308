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
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import agents
from agents.player import Player
from arena.entrants import Guests, as_player
from console.command import run_command
from console.config import option
from console.errors import BadInput
from store.runs import HERE

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
    open: bool = option(True, "do not open the browser")

    def own_players(self) -> dict[str, Player]:
        """By the names that the page calls them: without where they are on this machine."""
        own: dict[str, Player] = {}
        for spec in agents.split_specs(self.player) if self.player else ():
            try:
                player = as_player(spec, self.rules)
            except BadInput as error:
                raise BadInput(f"--player {spec}: {error}") from None
            file, _, rest = player.label.rpartition(":")
            name = f"{Path(file).name}:{rest}" if file else player.label
            if name in own:
                label = f"give one another name: --player NAME={spec}"
                raise BadInput(f"--player: two players are called {name}; {label}")
            own[name] = player
        return own


def address_of(host: str, port: int, token: str | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def work(config: Web) -> None:
    # with aiohttp they take longer to import than all the rest, and --help needs none of them
    from web.guard import Guard
    from web.roster import Roster
    from web.runs import RunList
    from web.server import FAREWELL, listen, make_app, serve
    from web.state import State
    from web.warm import warm_up

    runs = RunList(config.runs)
    state = State(runs, Roster(config.own_players(), runs))
    guard = Guard.of(config.host)
    taken = listen(config.host, config.port)
    address = address_of(config.host, taken.getsockname()[1], guard.token)

    def up() -> None:
        if guard.token:
            warning = "whoever can reach this machine and has the token in it can use this server"
            print(f"warning: {warning}; it is not encrypted", file=sys.stderr, flush=True)
        print(f"{address}\nCtrl-C ends it", flush=True)
        # the first page first
        asyncio.get_running_loop().call_later(WARM_UP_AFTER, state.preparing.submit, warm_up)
        if config.open:
            # it may wait for the browser to come up
            threading.Thread(target=partial(webbrowser.open, address), daemon=True).start()

    asyncio.run(serve(make_app(state, guard), taken, up))
    if not state.end(FAREWELL):
        # somebody still thinks, or compiles: there is nothing to save
        os.write(2, b"\ninterrupted\n")
        os._exit(130)
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    return run_command("web", __doc__, Web, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
