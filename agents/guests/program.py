"""Players in a process of their own, behind the protocol of docs/protocol.md: programs, which run
in their own folder, and Python classes, hosted by course/host.py. One that fails raises a
PlayerError of one line; the next game begins with a new process."""

import re
import shlex
import subprocess
import sys
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
SECONDS_TO_START = 60.0  # until `ready`: libraries take their time
OLDEST = 3, 10  # the oldest Python that course/host.py runs in
OPTIONS = re.compile(r"((?:\w+=[^\s:,]*)(?:,\w+=[^\s:,]*)*):(.*)", re.DOTALL)
INTERPRETER = re.compile(r"(python|pypy|node|java|ruby|perl|lua|sh|bash)[\d.]*")
# Unbuffered, so that what a player prints is in the log even if it crashes right after.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "MPLBACKEND": "Agg", "PYTHONUNBUFFERED": "1"}


class HouseRules(NamedTuple):
    """How guest programs are run: time limit, interpreter, sandbox, and the result of a failure."""

    seconds: float = 10.0  # for a decision
    on_error: str = "stop"  # after a failure: `lose` the game, or `stop` the match
    python: str = ""  # the interpreter of Python classes; default: this one
    sandbox: bool = False  # no network, read-only file system


class Command(NamedTuple):
    """A command line and its folder."""

    words: tuple[str, ...]
    folder: str | None
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_program(cls, text: str) -> "Command":
        """Return the command of `[name=value,...:]./mybot --fast`, which runs in the folder of the
        first file that it names; raise ValueError if there is none."""
        options: tuple[tuple[str, str], ...] = ()
        with_options = OPTIONS.fullmatch(text)
        if with_options:
            pairs = (part.partition("=") for part in with_options[1].split(","))
            options, text = tuple((name, value) for name, _, value in pairs), with_options[2]
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise ValueError(f"'program:{text}' is not a command: {error}") from None
        if not words:
            raise ValueError("'program:' names no command: write program:./mybot --fast")
        files = [i for i, word in enumerate(words) if Path(word).is_file() and (i or "/" in word)]
        own = [i for i in files if not INTERPRETER.fullmatch(Path(words[i]).name)]
        for i in own:
            words[i] = str(Path(words[i]).resolve())
        return cls(tuple(words), str(Path(words[own[0]]).parent) if own else None, options)

    @classmethod
    def of_class(cls, spec: ClassSpec, python: str) -> "Command":
        """Return the command of a Python class; it runs in the folder of its `quarto` package."""
        file = Path(spec.path).resolve()
        words = (python or sys.executable, str(HOST), str(file), spec.name, spec.options)
        return cls(words, str(root_of(file)[0]))

    def at(self, folder: str | None) -> "Command":
        """Return this command for a copy of the folder, to which its words then point."""
        if not folder or not self.folder:
            return self
        old, new = f"{self.folder}/", f"{folder}/"
        words = (new + w.removeprefix(old) if w.startswith(old) else w for w in self.words)
        return self._replace(words=tuple(words), folder=folder)


class ProgramPlayer(Player):
    """A player whose decisions come from a program."""

    compiled = False

    def __init__(self, spec: str, command: Command, rules: HouseRules):
        self.label = self.spec = spec
        self.command, self.rules, self.mind = command, rules, make_mind()
        self.process: Process | None = None
        self.settings = dict(command.options)

    @classmethod
    def make(cls, spec: str, command: Command, rules: HouseRules) -> Self:
        """Return a started player; raise ValueError if it does not start or reports an error."""
        player = cls(spec, command, rules)
        try:
            player.start()
            player.new_game(0)
        except PlayerError as error:
            failure = ValueError(str(error))
            failure.__notes__ = getattr(error, "__notes__", [])
            raise failure from None
        return player

    @property
    def on_error(self) -> str:  # type: ignore[override]
        return self.rules.on_error

    @cached_property
    def digest(self) -> str:  # type: ignore[override]
        """Digest of the program's folder at the first use."""
        return digest_of(self.command.folder) if self.command.folder else "00000000"

    def start(self) -> None:
        """Start the process and exchange greetings."""
        words, folder = list(self.command.words), self.command.folder
        try:
            if self.rules.sandbox:
                words = sandboxed(words, folder)
            self.process = Process(self.spec.rpartition("/")[2], words, folder, **ENVIRONMENT)
            self._greet(self.process)
        except (Trouble, ValueError) as trouble:
            self._fail(str(trouble))

    def _greet(self, process: Process) -> None:
        process.tell(f"quarto {VERSION}")
        greeting = without_error(process.hear(SECONDS_TO_START))
        if greeting.split()[:2] != ["quarto", str(VERSION)]:
            raise Trouble(f"greeted with {greeting[:60]!r}, not with 'quarto {VERSION} NAME'")
        options = {}
        while (line := process.hear(SECONDS_TO_START)) != "ready":
            word, name, *_ = [*line.split(), "", ""]
            if word != "option":
                raise Trouble(f"said {line[:60]!r}, not 'option NAME DEFAULT' or 'ready'")
            options[name] = line
        for name, value in self.command.options:
            if name not in options:
                takes = f"it takes {', '.join(options)}" if options else "it takes none"
                raise Trouble(f"has no option {name!r}: {takes}")
            process.tell(f"option {name} {value}")

    def new_game(self, seed: int = 0) -> None:
        """Announce a new game, after restarting the program if it has ended."""
        if self.process is None or not self.process.end.alive:
            self.start()
        assert self.process is not None
        self.process.stay_close()
        answer = self._ask(f"new {seed}", SECONDS_TO_START)
        if answer != "ready":
            self._fail(f"answered {answer[:60]!r} to a new game, not 'ready'")

    def place(self, position: Position, rng=None) -> int:
        answer = self._decide("place", position)
        # a number, which a person may type, is no cell of the protocol
        cell = None if answer.isdecimal() else read_cell(answer)
        if cell is None or position.occupied >> cell & 1:
            self._fail(f"answered {answer[:60]!r}, not a free cell, a1 to d4", position)
        return cell

    def give(self, position: Position, rng=None) -> int:
        answer = self._decide("give", position)
        piece = read_piece(answer)
        if piece is None or not position.pool >> piece & 1:
            self._fail(f"answered {answer[:60]!r}, not a piece of the pool, 0 to f", position)
        return piece

    def _decide(self, what: str, position: Position) -> str:
        if self.process is None or not self.process.end.alive:
            self.new_game()
        return self._ask(f"{what} {position.to_text()}", self.rules.seconds, position)

    def _ask(self, line: str, seconds: float, position: Position | None = None) -> str:
        assert self.process is not None
        try:
            return without_error(self.process.ask(line, seconds))
        except Trouble as trouble:
            self._fail(str(trouble), position)

    def _fail(self, what: str, position: Position | None = None) -> NoReturn:
        """End the program; raise a PlayerError of one line, with the end of the log as a note."""
        where = f" in '{position.to_text()}'" if position else ""
        error = PlayerError(f"{self.spec}{where}: {what}")
        if self.process is not None:
            self.process.end()
            if printed := self.process.log.tail():
                error = PlayerError(f"{error}; its output is in {self.process.log.path}")
                error.add_note(printed)
                show_traceback(error)
        raise error


@lru_cache(maxsize=16)
def check_python(python: str) -> None:
    """Raise ValueError unless this is a Python that is new enough for course classes."""
    asks = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        result = subprocess.run([python, "-c", asks], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        raise ValueError("cannot be run") from None
    version = re.fullmatch(r"(\d+)\.(\d+)\s*", result.stdout)
    if not version:
        raise ValueError("is not a Python interpreter")
    if (int(version[1]), int(version[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ValueError(f"is Python {version[0].strip()}; classes need {oldest} or newer")


def without_error(answer: str) -> str:
    """Return the answer; raise Trouble if it is the program's own report of an error."""
    if answer.startswith("error"):
        raise Trouble(answer.removeprefix("error").strip() or "said 'error'")
    return answer
