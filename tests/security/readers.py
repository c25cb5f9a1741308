"""Every command and page that reads a run.

A command (a module with a `main`) and a path of the server must be in one of the lists below;
`unlisted` returns those that are not.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import agents
import arena
import cli
import console
import engine
import evo
import oracle
import selfplay
import store
import terminal
import web
import workers
from agents.player import find
from cli import COMMANDS
from store import Run, StoreError
from tests.commands import Result, call
from tests.security.genuine import COMMANDS as MADE
from tests.security.stored_variants import Place
from web.run_page import Watched, look
from web.runs import RunList
from web.server import make_app

ROOMS = (agents, arena, cli, console, engine, evo, oracle, selfplay)
ROOMS += (store, terminal, web, workers)
ONE_MATCH = ("--plies", 1, "--count", 1)
OUT = ("--out", "OUT")
# the tags that a notebook shows of a run
TAGS = "table|caption|thead|tbody|tr|th|td|svg|rect|path|text|polyline|circle"
# arguments of each command: RUN is hostile, OTHER is the unchanged run, FOLDER holds both
READERS: dict[str, list[tuple]] = {
    "arena.recorded": [("RUN",)],
    "cli.show": [("RUN",), ("FOLDER",)]
    + [
        ("RUN", step, *rest)
        for step in ("match", "games", "mind", "generation", "round", "pieces")
        for rest in ((), ("--csv", "OUT"))
    ],
    "web.pages.__main__": [("RUN",), ("RUN", *OUT), ("RUN", "--game", 1, *OUT)],
    "oracle.annotate": [("RUN", "--workers", 0)],
    "oracle.certify": [(*MADE["certificate"][1:], "--workers", 0, "--store", "RUN")],
    "oracle.openings": [("RUN", "--pieces", 1)],
    "oracle.puzzles": [("--run", "RUN", *ONE_MATCH)],
    "oracle.review": [("RUN",)],
    "web.league": [("RUN", *OUT)],
    "evo.run": [
        (*MADE["evolution"][1:], "--workers", 0, "--store", "RUN"),
        (*MADE["evolution"][1:], "--workers", 0, "--import", "RUN", "--store", "OUT"),
    ],
    "selfplay.run": [(*MADE["self-play"][1:], "--workers", 0, "--store", "RUN")],
    "selfplay.fit.fit_reward": [("RUN", "--store", "OUT")],
    "selfplay.fit.fit_net": [("RUN", "--passes", 1, "--store", "OUT")],
    "arena.run": [(*MADE["tournament"][1:], "--workers", 0, "--store", "RUN")],
    "cli.runs": [("FOLDER",), ("--compare", "RUN", "OTHER"), ("--remove", "RUN")],
}
EXECUTES = {
    "oracle.compare": "plays the two players of its command line, as arena.run does",
    "oracle.measure_accuracy": "--tournament runs the players of the run, after printing each",
    "terminal.__main__": "plays champion:run=RUN if given; the readers below make other players",
    "web.__main__": "serves the paths below",
}
NO_READERS = {
    "agents.__main__": "lists players",
    "arena.suite": "makes openings from the book",
    "cli.sprt": "tests numbers",
    "agents.guests.course.host": "runs a class that is named, as a player",
    "agents.guests.new": "writes a file",
    "agents.guests.sandbox": "starts a program that is named",
    "agents.guests.supervisor": "starts a program that is named",
    "arena.conform": "runs a program that is named",
    "oracle.book": "writes a run of its own, as arena.run does",
    "workers.head": "keeps a Ray cluster",
    "oracle.solve": "solves positions",
    "oracle.testset": "makes positions",
    "web.site.__main__": "writes what ships",
    "cli.main": "calls the others",
    "engine.compile": "compiles kernels",
    "engine.solve": "solves positions",
    "selfplay.fit.dataset": "writes a run of its own, as arena.run does",
    "selfplay.fit.turns": "writes a run of its own, as arena.run does",
}
# readers that take seconds on a valid run; the others read the same steps
HEAVY = ("oracle.puzzles", "selfplay.fit.fit_net", "selfplay.fit.fit_reward", "selfplay.run")
PATHS = {
    "/api/runs": "/api/runs",
    "/api/runs/{name}": "/api/runs/run",
    "/api/compare": "/api/compare?run=run&run=other",
    "/api/league": "/api/league?run=run",
    "/api/game": "/api/game?run=run&step=games-0000&game=1",
    "/api/players": "/api/players",
    "/api/live": "",
}
# a decision is made in its own process, and only by players of the project
NO_RUNS = {
    "/api/decide",
    *("/api/analyse", "/api/analyse/live", "/api/position", "/api/player", "/api/review"),
    *("/api/turns", "/api/card", "/api/puzzles", "/api/strategies"),
    *("/api/{path}", "/plotly.js", "/{path}"),
}


class Reader(NamedTuple):
    """A command or page. `ask` reads the run of a case and returns the result."""

    name: str
    ask: Callable[["Case"], Result]
    module: str = ""


class Case(NamedTuple):
    """A variant on disk, with the paths that its readers are given."""

    place: Place
    run: Path
    other: Path
    out: Path
    # the web server on the folder of the case
    server: Any = None

    @property
    def folder(self) -> Path:
        return self.place.run.parent


def mains() -> set[str]:
    """Return the modules of the project that are commands."""
    folders = [Path(room.__path__[0]) for room in ROOMS]
    files = (file for folder in folders for file in folder.rglob("*.py"))
    starts = re.compile(r"^(def main\(|main = )", re.MULTILINE)
    commands = (file for file in files if starts.search(file.read_text(encoding="utf-8")))
    names = {
        ".".join(file.relative_to(folders[0].parent).with_suffix("").parts) for file in commands
    }
    return names | {command.main or command.module for command in COMMANDS.values()}


def unlisted(modules: set[str], routes: set[str]) -> set[str]:
    """Return the commands and paths that are in none of the lists above."""
    return (modules - {*READERS, *EXECUTES, *NO_READERS}) | (routes - {*PATHS, *NO_RUNS})


def routes(state: Any, guard: Any) -> set[str]:
    resources = make_app(state, guard).router.resources()
    return {resource.canonical for resource in resources}


def command(module: str, words: tuple) -> Reader:
    def ask(case: Case) -> Result:
        places = {"RUN": case.run, "OTHER": case.other, "FOLDER": case.folder, "OUT": case.out}
        return call(module, *[places.get(word, word) for word in words])

    return Reader(" ".join(map(str, (module, *words))), ask, module)


def player(name: str) -> Reader:
    """Return a reader that makes a player from the run."""

    def ask(case: Case) -> Result:
        try:
            agents.make(f"{name}:run={case.run}")
        except ValueError as error:
            return Result(2, "", str(error).replace("\x1b", "").replace("\x07", ""))
        return Result(0, "", "")

    return Reader(f"{name}:run=RUN", ask)


def path(query: str) -> Reader:
    def ask(case: Case) -> Result:
        state = case.server.state
        state.runs = state.roster.runs = RunList(str(case.folder))
        answer = case.server.ask(query)
        assert answer.status < 500 and isinstance(json.loads(answer.body), dict), answer
        return Result(0, answer.body if query == "/api/runs" else "", "")

    return Reader(query, ask)


def in_a_notebook(case: Case) -> Result:
    try:
        view = Run(str(case.run))._repr_mimebundle_()
    except StoreError as error:
        return Result(2, "", str(error))
    shown = "".join(text for kind, text in view.items() if kind != "text/plain")
    assert not re.search(rf"<(?!/?({TAGS})\b)", shown), shown
    return Result(0 if shown else 2, view["text/plain"], "")


def live(case: Case) -> Result:
    watched = Watched()
    look(RunList(str(case.folder)), "run", watched)
    return Result(0, str(len(json.loads(watched.page))), "")


def every_reader() -> Iterator[Reader]:
    """Yield all readers; those that delete the run come last."""
    for name in agents.names():
        if "run" in find(name).options:
            yield player(name)
    for query in filter(None, PATHS.values()):
        yield path(query)
    yield Reader("/api/live", live)
    yield Reader("a run in a notebook", in_a_notebook)
    for module, uses in READERS.items():
        for words in uses:
            yield command(module, words)
