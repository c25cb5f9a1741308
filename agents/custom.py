"""Your own player: a class in a file of yours, as in the reports, named on any command line as
`path/to/file.py:ClassName`.

    class Mine:
        def choose_piece(self): ...    a piece 0..15 that is neither on the board nor in hand
        def place_piece(self): ...     a free cell as (column, row)

If its __init__ takes an argument it gets the game: get_board_status() is a 4x4 array with -1 for
free cells, get_selected_piece() the piece in hand. Without one, the game is set as `self.game`.
`random` and `numpy.random` are seeded for each game, so its games can be played again.

The file may import what stands beside it; what it prints goes to stderr.

An answer that is not legal, an exception, sys.exit, or no answer within the time limit ends the
game with a PlayerError that names the player, the position and the answer. With --debug, or
QUARTO_DEBUG=1 in the environment, the whole traceback is shown, too.
"""

import inspect
import os
import signal
import sys
import threading
import traceback
import types
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import NoReturn

import numpy as np

from agents.mind import make_mind
from agents.player import Player
from agents.siblings import Siblings, siblings_of
from console.config import DEBUG
from console.errors import UserError
from engine.lines import PIECES
from engine.position import Position

SECONDS_A_DECISION = 10.0


class PlayerError(UserError):
    """A player did what no player may do."""


class Unfit(Exception):
    """A file that is no player; its text says why."""


def show_traceback(error: BaseException) -> None:
    """Of a player's crash, wherever it happened, if the user wants to see it."""
    if os.environ.get(DEBUG, "0") != "0":
        for note in getattr(error, "__notes__", []):
            print(note, file=sys.stderr, flush=True)


class Game:
    """The game as the reports' players see it."""

    def __init__(self):
        self.position = Position.start()

    def get_board_status(self) -> np.ndarray:
        return np.array(self.position.board).reshape(4, 4)

    def get_selected_piece(self) -> int:
        return self.position.hand


def is_path(spec: str) -> bool:
    return ".py:" in spec or spec.endswith(".py")


class CustomPlayer(Player):
    """A class of the user's behind the interface of every player."""

    compiled = False

    def __init__(self, spec: str, source: str, siblings: dict[str, str] | None = None):
        """From the text of the file and of those beside it, wherever they came from."""
        self.label = self.spec = spec
        self.source, self.mind = source, make_mind()
        path, _, name = spec.rpartition(":")
        self.siblings = Siblings(Path(path).parent, siblings or {})
        with self._theirs_to_say(f"importing {path}"):
            self.cls = self._import(path, name)
        with self._theirs_to_say(f"making {name}"):
            self._make()

    def _import(self, path: str, name: str) -> type:
        module = types.ModuleType(f"own_{Path(path).stem}")
        module.__file__ = path
        exec(compile(self.source, path, "exec"), module.__dict__)
        theirs = getattr(module, name, None)
        if not inspect.isclass(theirs):
            classes = [
                n
                for n, v in vars(module).items()
                if inspect.isclass(v) and v.__module__ == module.__name__
            ]
            raise Unfit(f"{path} has no class {name!r}; it has {', '.join(classes) or 'none'}")
        for method in ("choose_piece", "place_piece"):
            if not callable(getattr(theirs, method, None)):
                raise Unfit(f"{name} has no method {method}()")
        return theirs

    @property
    def digest(self) -> str:
        texts = [self.source, *(text for _, text in sorted(self.siblings.texts.items()))]
        return f"{zlib.crc32(''.join(texts).encode()):08x}"

    def new_game(self) -> None:
        """A new one of theirs for every game: what it remembers of one must not reach the next,
        which another worker may play."""
        try:
            with self._theirs():
                self._make()
        except (Exception, SystemExit) as error:
            self._crash(self.game.position, "__init__", error)

    def _make(self) -> None:
        self.game = Game()
        try:
            takes_game = len(inspect.signature(self.cls).parameters) > 0
        except ValueError:
            takes_game = False
        self.theirs = self.cls(self.game) if takes_game else self.cls()
        if not takes_game:
            self.theirs.game = self.game

    @contextmanager
    def _theirs(self) -> Iterator[None]:
        """While code of theirs runs."""
        with self.siblings.importable(), redirect_stdout(sys.stderr):
            yield

    @contextmanager
    def _theirs_to_say(self, what: str) -> Iterator[None]:
        """What goes wrong is a ValueError of one line."""
        try:
            with self._theirs():
                yield
        except Unfit as error:
            raise ValueError(f"{self.spec!r}: {error}") from None
        except (Exception, SystemExit) as error:
            line = f"{self.spec!r}: {what} failed: {type(error).__name__}: {error}"
            raise with_traceback(ValueError(line), error) from error

    @classmethod
    def load(cls, spec: str) -> "CustomPlayer":
        """From `path/to/file.py:ClassName`; ValueError says what is missing."""
        path = spec.rpartition(":")[0]
        if not path.endswith(".py"):
            raise ValueError(f"{spec!r} names no class: write path/to/file.py:ClassName")
        if not Path(path).is_file():
            raise ValueError(f"{spec!r}: there is no file {path}")
        source = Path(path).read_text()
        return cls(spec, source, siblings_of(Path(path), source))

    def place(self, position: Position, rng=None) -> int:
        answer = self._ask("place_piece", position)
        try:
            column, row = (int(x) for x in answer)
            cell = 4 * row + column
            legal = 0 <= column < 4 and 0 <= row < 4 and not position.occupied >> cell & 1
        except (TypeError, ValueError, OverflowError):
            legal = False
        if not legal:
            self._refuse(
                position, f"place_piece answered {answer!r}, not a free cell as (column, row)"
            )
        return cell

    def give(self, position: Position, rng=None) -> int:
        answer = self._ask("choose_piece", position)
        try:
            legal = (
                int(answer) == answer and 0 <= answer < PIECES and position.pool >> int(answer) & 1
            )
        except (TypeError, ValueError, OverflowError):
            legal = False
        if not legal:
            self._refuse(position, f"choose_piece answered {answer!r}, not a piece of the pool")
        return int(answer)

    def _ask(self, method: str, position: Position):
        self.game.position = position
        try:
            with self._theirs(), time_limit(SECONDS_A_DECISION):
                return getattr(self.theirs, method)()
        except TimeoutError:
            self._refuse(position, f"{method} gave no answer within {SECONDS_A_DECISION:g} s")
        except (Exception, SystemExit) as error:
            self._crash(position, method, error)

    def _crash(self, position: Position, method: str, error: BaseException) -> NoReturn:
        """Names the last line that is the user's own."""
        frames = traceback.extract_tb(error.__traceback__)
        folder = str(self.siblings.folder)
        own = [frame for frame in frames if str(Path(frame.filename).parent) == folder] or frames
        file, line = Path(own[-1].filename).name, f"line {own[-1].lineno}"
        where = line if file == Path(self.spec.rpartition(":")[0]).name else f"{file}, {line}"
        what = f"{method} raised {type(error).__name__}: {error} ({where})"
        self._refuse(position, what, error)

    def _refuse(
        self, position: Position, what: str, cause: BaseException | None = None
    ) -> NoReturn:
        refusal = PlayerError(f"{self.spec} in '{position.to_text()}': {what}")
        raise (with_traceback(refusal, cause) if cause else refusal) from None


def with_traceback(error: Exception, cause: BaseException) -> Exception:
    """The error with the cause's traceback as a note, which travels with it; shown here if the user
    wants to see it."""
    error.add_note("".join(traceback.format_exception(cause)).rstrip())
    show_traceback(error)
    return error


@contextmanager
def time_limit(seconds: float):
    """TimeoutError in the body after so many seconds, even in the middle of an endless loop."""
    if threading.current_thread() is not threading.main_thread():
        with _time_limit_in_thread(seconds):
            yield
        return

    def ring(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _time_limit_in_thread(seconds: float):
    """Signals reach only the main thread: elsewhere the interpreter is asked to raise in this
    one."""
    import ctypes

    this = ctypes.c_ulong(threading.get_ident())
    timer = threading.Timer(
        seconds,
        lambda: ctypes.pythonapi.PyThreadState_SetAsyncExc(this, ctypes.py_object(TimeoutError)),
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
