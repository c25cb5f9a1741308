"""Players in a process of their own, behind the protocol of docs/protocol.md:

    program:./mybot --fast           any program that speaks it; it runs in its own folder
    program:depth=3:./mybot          the same with options of its own
    path/to/file.py:Class            a Python class, as it is (course/host.py speaks for it)
    path/to/file.py:Class:depth=3    with arguments

A program may crash, hang, answer nonsense or flood its output: that is a PlayerError of one line,
the process is ended, and the next game begins with a new one.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn, Self

from agents.guests.course.located import root_of
from agents.guests.folder import digest_of
from agents.guests.process import Process, Trouble
from agents.guests.sandbox import sandboxed
from agents.guests.source import ClassSpec
from agents.mind import make_mind
from agents.player import Player, PlayerError, show_traceback
from engine.notation import read_cell, read_piece
from engine.position import Position

VERSION = 1
HOST = Path(__file__).with_name("course") / "host.py"
# Until it says `ready`: libraries may take their time.
SECONDS_TO_START = 60.0
# The oldest Python that course/host.py runs in.
OLDEST = 3, 10
OPTIONS = re.compile(r"((?:\w+=[^\s:,]*)(?:,\w+=[^\s:,]*)*):(.*)", re.DOTALL)
# what runs the file that is meant
INTERPRETER = re.compile(r"(python|pypy|node|java|ruby|perl|lua|sh|bash)[\d.]*")


class HouseRules(NamedTuple):
    """How programs of others are treated."""

    # a decision
    seconds: float = 10.0
    # a program that fails: `lose` the game, or `stop` the match
    on_error: str = "stop"
    # the interpreter of Python classes; this one if none is given
    python: str = ""
    # without a network and with a read-only file system
    sandbox: bool = False


class Command(NamedTuple):
    """What is started, and where. A word that begins with the folder's path means the copy of it
    on another machine."""

    words: tuple[str, ...]
    folder: str | None
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_program(cls, text: str) -> "Command":
        """`[name=value,...:]./mybot --fast`: it runs in the folder of the first file that it
        names."""
        options: tuple[tuple[str, str], ...] = ()
        given = OPTIONS.fullmatch(text)
        if given:
            pairs = (part.partition("=") for part in given[1].split(","))
            options, text = tuple((name, value) for name, _, value in pairs), given[2]
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise ValueError(f"'program:{text}' is no command: {error}") from None
        if not words:
            raise ValueError("'program:' names no command: write program:./mybot --fast")
        files = [i for i, word in enumerate(words) if Path(word).is_file() and (i or "/" in word)]
        own = [i for i in files if not INTERPRETER.fullmatch(Path(words[i]).name)]
        folder = str(Path(words[own[0]]).resolve().parent) if own else None
        for i in own:
            words[i] = str(Path(words[i]).resolve())
        return cls(tuple(words), folder, options)

    @classmethod
    def of_class(cls, spec: ClassSpec, python: str) -> "Command":
        """A Python class, in the folder that holds its `quarto` package."""
        file = Path(spec.path).resolve()
        words = (python or sys.executable, str(HOST), str(file), spec.name, spec.options)
        return cls(words, str(root_of(file)[0]))

    def at(self, folder: str | None) -> "Command":
        """With the folder somewhere else."""
        if folder == self.folder or not folder or not self.folder:
            return self
        here = f"{self.folder}/"
        there = [
            f"{folder}/{w.removeprefix(here)}" if w.startswith(here) else w for w in self.words
        ]
        return self._replace(words=tuple(there), folder=folder)


class ProgramPlayer(Player):
    """A program behind the interface of every player."""

    compiled = False
    name = ""

    def __init__(self, spec: str, command: Command, rules: HouseRules):
        self.label = self.spec = spec
        self.command, self.rules, self.mind = command, rules, make_mind()
        self.process: Process | None = None
        self.settings = dict(command.options)

    @classmethod
    def make(cls, spec: str, command: Command, rules: HouseRules) -> Self:
        """ValueError if it cannot be started, or says why it cannot play."""
        player = cls(spec, command, rules)
        try:
            player.start()
            player.new_game(0)
        except PlayerError as error:
            note = ValueError(str(error))
            for one in getattr(error, "__notes__", []):
                note.add_note(one)
            raise note from None
        return player

    @property
    def on_error(self) -> str:  # type: ignore[override]
        return self.rules.on_error

    @cached_property
    def digest(self) -> str:  # type: ignore[override]
        """Of its folder, when it was made."""
        return digest_of(self.command.folder) if self.command.folder else "00000000"

    def start(self) -> None:
        """The process, and what it says of itself."""
        # unbuffered: what a player prints is in the log even if it crashes right after
        environment = {"PYTHONHASHSEED": "0", "MPLBACKEND": "Agg", "PYTHONUNBUFFERED": "1"}
        name = self.spec.rpartition("/")[2]
        words, folder = list(self.command.words), self.command.folder
        try:
            if self.rules.sandbox:
                words = sandboxed(words, folder)
            self.process = Process(name, words, folder, **environment)
            self._greet(self.process)
        except (Trouble, ValueError) as trouble:
            self._fail(str(trouble))

    def _greet(self, process: Process) -> None:
        process.tell(f"quarto {VERSION}")
        said = without_error(process.hear(SECONDS_TO_START))
        if said.split()[:2] != ["quarto", str(VERSION)]:
            raise Trouble(f"greeted with {said[:60]!r}, not with 'quarto {VERSION} NAME'")
        options = {}
        while (line := process.hear(SECONDS_TO_START)) != "ready":
            word, name, *_ = [*line.split(), "", ""]
            if word != "option":
                raise Trouble(f"said {line[:60]!r}, not 'option NAME DEFAULT' or 'ready'")
            options[name] = line
        self._set(process, options)

    def _set(self, process: Process, known: Mapping[str, str]) -> None:
        for name, value in self.command.options:
            if name not in known:
                takes = f"it takes {', '.join(known)}" if known else "it takes none"
                raise Trouble(f"has no option {name!r}: {takes}")
            process.tell(f"option {name} {value}")

    def new_game(self, seed: int = 0) -> None:
        """What it remembers of one game must not reach the next, which another worker may play."""
        if self.process is None or not self.process.end.alive:
            self.start()
        assert self.process is not None
        self.process.stay_close()
        try:
            said = self._ask(f"new {seed}", SECONDS_TO_START)
            if said != "ready":
                raise Trouble(f"answered {said[:60]!r} to a new game, not 'ready'")
        except Trouble as trouble:
            self._fail(str(trouble))

    def place(self, position: Position, rng=None) -> int:
        said = self._decide("place", position)
        # a number, which a person may type, is no cell of the protocol
        cell = None if said.isdecimal() else read_cell(said)
        if cell is None or position.occupied >> cell & 1:
            self._fail(f"answered {said[:60]!r}, not a free cell, a1 to d4", position)
        return cell

    def give(self, position: Position, rng=None) -> int:
        said = self._decide("give", position)
        piece = read_piece(said)
        if piece is None or not position.pool >> piece & 1:
            self._fail(f"answered {said[:60]!r}, not a piece of the pool, 0 to f", position)
        return piece

    def _decide(self, what: str, position: Position) -> str:
        if self.process is None or not self.process.end.alive:
            self.new_game()
        try:
            return self._ask(f"{what} {position.to_text()}", self.rules.seconds)
        except Trouble as trouble:
            self._fail(str(trouble), position)

    def _ask(self, line: str, seconds: float) -> str:
        assert self.process is not None
        return without_error(self.process.ask(line, seconds))

    def _fail(self, what: str, position: Position | None = None) -> NoReturn:
        """One line; the end of what the program printed travels with it."""
        printed = ""
        if self.process is not None:
            self.process.end()
            printed = self.process.log.tail()
        where = f" in '{position.to_text()}'" if position else ""
        log = f"; it printed: {self.process.log.path}" if printed and self.process else ""
        error = PlayerError(f"{self.spec}{where}: {what}{log}")
        if printed:
            error.add_note(printed)
            show_traceback(error)
        raise error


@lru_cache(maxsize=16)
def check_python(python: str) -> None:
    """ValueError if this is no Python, or one that is too old for course classes."""
    asks = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", asks], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        raise ValueError("cannot be run") from None
    version = re.fullmatch(r"(\d+)\.(\d+)\s*", done.stdout)
    if not version:
        raise ValueError("is no Python")
    if (int(version[1]), int(version[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ValueError(f"is Python {version[0].strip()}; classes need {oldest} or newer")


def without_error(said: str) -> str:
    """An answer, unless the program says itself that it cannot go on."""
    if said.startswith("error"):
        raise Trouble(said.removeprefix("error").strip() or "said 'error'")
    return said
