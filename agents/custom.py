"""Your own player: a class in a file of yours, as in the reports, named on any command line as
`path/to/file.py:ClassName`.

    class Mine:
        def choose_piece(self): ...    a piece 0..15 that is neither on the board nor in hand
        def place_piece(self): ...     a free cell as (column, row)

If its __init__ takes an argument it gets the game: get_board_status() is a 4x4 array with -1 for
free cells, get_selected_piece() the piece in hand. Without one, the game is set as `self.game`.
`random` and `numpy.random` are seeded for each game, so its games can be played again.

An answer that is not legal, an exception, or no answer within the time limit ends the game with a
PlayerError that names the player, the position and the answer.
"""

import inspect
import signal
import threading
import traceback
import types
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from agents.mind import make_mind
from agents.player import Player
from console.errors import UserError
from engine.lines import PIECES
from engine.position import Position

SECONDS_A_DECISION = 10.0


class PlayerError(UserError):
    """A player did what no player may do."""


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

    def __init__(self, spec: str, cls: type, source: str):
        self.label = self.spec = spec
        self.cls, self.source, self.mind = cls, source, make_mind()
        self.new_game()

    @property
    def digest(self) -> str:
        return f"{zlib.crc32(self.source.encode()):08x}"

    def new_game(self) -> None:
        """A new one of theirs for every game: what it remembers of one must not reach the next,
        which another worker may play."""
        self.game = Game()
        try:
            takes_game = len(inspect.signature(self.cls).parameters) > 0
        except ValueError:
            takes_game = False
        self.theirs = self.cls(self.game) if takes_game else self.cls()
        if not takes_game:
            self.theirs.game = self.game

    @classmethod
    def load(cls, spec: str) -> "CustomPlayer":
        """From `path/to/file.py:ClassName`; ValueError says what is missing."""
        path = spec.rpartition(":")[0]
        if not path.endswith(".py"):
            raise ValueError(f"{spec!r} names no class: write path/to/file.py:ClassName")
        if not Path(path).is_file():
            raise ValueError(f"{spec!r}: there is no file {path}")
        return cls.from_source(spec, Path(path).read_text())

    @classmethod
    def from_source(cls, spec: str, source: str) -> "CustomPlayer":
        """From the text of the file, wherever that came from."""
        path, _, name = spec.rpartition(":")
        module = types.ModuleType(f"own_{Path(path).stem}")
        module.__file__ = path
        try:
            exec(compile(source, path, "exec"), module.__dict__)
        except Exception as error:
            raise ValueError(
                f"{spec!r}: importing {path} failed: {type(error).__name__}: {error}"
            ) from error
        theirs = getattr(module, name, None)
        if not inspect.isclass(theirs):
            classes = [
                n
                for n, v in vars(module).items()
                if inspect.isclass(v) and v.__module__ == module.__name__
            ]
            raise ValueError(
                f"{spec!r}: {path} has no class {name!r}; it has {', '.join(classes) or 'none'}"
            )
        for method in ("choose_piece", "place_piece"):
            if not callable(getattr(theirs, method, None)):
                raise ValueError(f"{spec!r}: {name} has no method {method}()")
        try:
            return cls(spec, theirs, source)
        except Exception as error:
            raise ValueError(
                f"{spec!r}: making {name} failed: {type(error).__name__}: {error}"
            ) from error

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
            with time_limit(SECONDS_A_DECISION):
                return getattr(self.theirs, method)()
        except TimeoutError:
            self._refuse(position, f"{method} gave no answer within {SECONDS_A_DECISION:g} s")
        except Exception as error:
            line = traceback.extract_tb(error.__traceback__)[-1].lineno
            self._refuse(position, f"{method} raised {type(error).__name__}: {error} (line {line})")

    def _refuse(self, position: Position, what: str):
        raise PlayerError(f"{self.spec} in '{position.to_text()}': {what}") from None


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
