"""How commands are typed: `quarto-evo evolve` or `python -m evo.run`, whichever the user does.

Whatever the program prints as a command comes from here, so that it works as it stands in the
shell that the program was called from.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from console import PROGRAM


class Command(NamedTuple):
    """`python -m module`; `main`: the module that holds its main function, if it is another."""

    module: str
    about: str
    main: str = ""


# by what follows `quarto-evo`
COMMANDS = {
    "play": Command("terminal", "play on the terminal, or watch two players", "terminal.game"),
    "players": Command("agents", "who there is, and what they take", "agents.__main__"),
    "tournament": Command("arena.run", "everybody against everybody, with Elo and error bars"),
    "accuracy": Command(
        "oracle.accuracy",
        "how many decisions of a player keep the exact value",
        "oracle.measure_accuracy",
    ),
    "conform": Command("arena.conform", "does a program speak the protocol of players?"),
    "review": Command("oracle.review", "a game, every decision with its exact value, or a page"),
    "annotate": Command("oracle.annotate", "mark every decision of recorded games"),
    "openings": Command("oracle.openings", "the first positions, and what games made of them"),
    "puzzles": Command("oracle.puzzles", "positions of games in which one turn alone wins"),
    "evolve": Command("evo.run", "evolve a player"),
    "selfplay": Command("selfplay.run", "learn from self-play"),
    "dataset": Command("selfplay.fit.dataset", "positions with their exact rewards, to learn from"),
    "fit-reward": Command("selfplay.fit.fit_reward", "learn the reward function of beam"),
    "turns": Command("selfplay.fit.turns", "turns with their exact values, to learn from"),
    "fit-net": Command("selfplay.fit.fit_net", "learn the nets of sprint"),
    "solve": Command("engine.solve", "the exact value of positions, the distance, the best line"),
    "compile": Command("engine.compile", "compile every kernel now, on all cores"),
    "book": Command("oracle.book", "make the book of all positions to six pieces again"),
    "prove": Command("oracle.solve", "the same on all cores, the empty board above all"),
    "web": Command("web", "all of it in the browser: play, analyse, runs, league", "web.__main__"),
    "runs": Command("store.runs", "list runs, compare two, remove one"),
    "show": Command("store.show", "what a run holds, as tables or CSV"),
    "page": Command("web.pages", "a page to look at, of any run"),
}
REPORTS = ("web.pages", "web.pages", "web.pages")
NAMES = {command.module: name for name, command in COMMANDS.items()} | dict.fromkeys(
    REPORTS, "page"
)
# a command in a text, and the room up to what is said about it
IN_TEXT = re.compile(r"python -m ([\w.]*\w)(.*?)(   +|$)", re.MULTILINE)


def command_line(module: str, *words: object) -> str:
    """What to type for `python -m module words`."""
    return printable(shlex.join([*_as_called(module), *map(str, words)]))


def printable(text: str) -> str:
    """The text with control characters spelled out, line ends and tabs aside: names that come from
    a run could otherwise send escape sequences to the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def as_typed(text: str) -> str:
    """A text for people, its commands as they are typed here. What stands beside a command stays
    in its column while there is room."""

    def typed(match: re.Match) -> str:
        command = command_line(match[1]) + match[2]
        width = len(match[0]) if match[3] else 0
        return command.ljust(max(width, len(command) + 2)) if width else command

    return IN_TEXT.sub(typed, text)


def _as_called(module: str) -> list[str]:
    program = sys.argv[0] if sys.argv else ""
    if Path(program).name == PROGRAM and module in NAMES:
        found = shutil.which(PROGRAM)
        on_path = found is not None and Path(found).absolute() == Path(program).absolute()
        return [PROGRAM if on_path else program, NAMES[module]]
    python = sys.orig_argv[0] if sys.orig_argv else sys.executable
    return [python or "python", "-m", module]
