"""A class that was written for a course's framework, and the framework's game around it: found,
imported, asked. It stands alone: any Python from 3.10 on can run it.
"""

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import pickle
import random
import re
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
# The framework asks again for ever; chance finds one free cell of sixteen in less than 1,000 tries.
MOST_ANSWERS = 1000
# Folders above the file in which modules are looked for that are found nowhere else.
FAR = 4
SLOW_TO_START = {"engine", "jax", "numba", "tensorflow", "torch"}
FRAMEWORKS, FILES = ("quarto", "quarto/quarto"), ("__init__.py", "objects.py")
# Bytes of what modules hold that are looked at after every game.
MOST_STATE = 100_000
NO_DATA = (classmethod, staticmethod, property)
# What pip calls a package that is imported under another name.
PIP_NAMES = {"sklearn": "scikit-learn", "cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml"}
CELLS = [row + column for row in "abcd" for column in "1234"]


class Unfit(Exception):
    """What is wrong, in one line."""


def root_of(file):
    """The nearest folder upwards that holds a `quarto` of its own; the file's own if none does."""
    for folder in file.parents:
        names = ("quarto.py", *(f"{inside}/{name}" for inside in FRAMEWORKS for name in FILES))
        if any((folder / name).is_file() for name in names):
            return folder, True
    return file.parent, False


class Upwards(importlib.abc.MetaPathFinder):
    """Finds what stands beside the file or in a folder above it, after all else: on sys.path,
    `Mine/Mine.py` would hide the package `Mine` that it is a part of."""

    def __init__(self, file):
        self.folders = [str(folder) for folder in list(file.parents)[:FAR]]

    def find_spec(self, name, path=None, target=None):
        if path is None:
            return importlib.machinery.PathFinder.find_spec(name, self.folders, target)
        return None


def import_class(file, name):
    """The class, and its framework's module. Packages and relative imports work as from the
    root."""
    root, has_quarto = root_of(file)
    os.chdir(str(root))
    sys.path[:1] = [str(root)] if has_quarto else [str(root), str(HERE)]
    sys.path.append(str(PROJECT))
    sys.meta_path.append(Upwards(file))
    quarto = importlib.import_module("quarto")
    if not hasattr(quarto, "Quarto"):
        # a plain folder, and the package inside it
        quarto = importlib.import_module("quarto.quarto")
    parts = file.relative_to(root).with_suffix("").parts
    if all(part.isidentifier() for part in parts):
        module = importlib.import_module(".".join(parts))
    else:
        spec = importlib.util.spec_from_file_location(file.stem, str(file))
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
    theirs = getattr(module, name, None)
    if not inspect.isclass(theirs):
        own = [n for n, v in vars(module).items() if inspect.isclass(v)]
        own = [n for n in own if getattr(module, n).__module__ == module.__name__]
        raise Unfit(f"{file.name} has no class {name!r}; it has {', '.join(own) or 'none'}")
    for method in ("choose_piece", "place_piece"):
        if not callable(getattr(theirs, method, None)):
            raise Unfit(f"{name} has no method {method}()")
    return theirs, quarto


def arguments_of(text):
    """`depth=3,name=x` as keywords; what is no Python value is a text."""
    keywords = {}
    for part in filter(None, re.split(r",(?=\s*\w+=)", text)):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name.isidentifier():
            raise Unfit(f"{part!r} is no argument: write name=value,name=value")
        try:
            keywords[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            keywords[name] = value
    return keywords


def game_of(theirs, usual):
    """What makes the game that the class takes as its first argument; None if it takes none. Some
    projects have a game with more methods, and say so in the argument's annotation."""
    try:
        first = next(iter(inspect.signature(theirs).parameters.values()), None)
    except ValueError:
        first = None
    said = getattr(first, "annotation", None)
    return said if hasattr(said, "get_board_status") else usual if first else None


def is_data(value):
    return not (callable(value) or inspect.ismodule(value) or isinstance(value, NO_DATA))


class Absent:
    """Stands for the opponent, who decides elsewhere."""

    def choose_piece(self):
        raise RuntimeError("the opponent decides elsewhere")

    place_piece = choose_piece

    def __getattr__(self, name):
        """What a framework tells its players is not for this one."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **keywords: None


class Host:
    """Keeps the framework's game where the positions say that it is, and asks the player."""

    def __init__(self, file, name, text):
        self.theirs, self.quarto = import_class(file, name)
        self.root = str(root_of(file)[0]) + os.sep
        # numpy brings it when it is first asked for: once, not in every copy of this process
        self.numpy_random = getattr(sys.modules.get("numpy"), "random", None)
        self.keywords = arguments_of(text)
        self.game_class = game_of(self.theirs, self.quarto.Quarto)
        self.by_rows = self.rows_first()

    def state(self):
        """What the project's own modules and their classes hold, as bytes; None if there is too
        much of it, or something that has no bytes."""
        holders = []
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None) or ""
            if file.startswith(self.root) and "site-packages" not in file:
                classes = [one for one in vars(module).values() if inspect.isclass(one)]
                holders += [module, *(one for one in classes if one.__module__ == module.__name__)]
        held = [vars(one).items() for one in dict.fromkeys(holders)]
        held = [(k, v) for items in held for k, v in items if k[:2] != "__" and is_data(v)]
        try:
            known = pickle.dumps(held)
        except Exception:
            return None
        return known if len(known) <= MOST_STATE else None

    def new(self, seed):
        """Another game, another player: what it remembers of one must not reach the next, which
        another machine may play."""
        random.seed(seed)
        if self.numpy_random:
            self.numpy_random.seed(seed % 2**32)
        self.begin()

    def begin(self):
        self.game = (self.game_class or self.quarto.Quarto)()
        self.board, self.hand, self.opponent = ["."] * 16, "-", Absent()
        if self.game_class:
            self.player = self.theirs(self.game, **self.keywords)
        else:
            self.player = self.theirs(**self.keywords)
            self.player.game = self.game

    def rows_first(self):
        """Whether their `place(x, y)` means row x, column y: most projects mean it the other way
        round."""
        game = (self.game_class or self.quarto.Quarto)()
        game.select(0)
        game.place(1, 0)
        return game.get_board_status()[1][0] == 0

    def turned(self, x, y):
        return (y, x) if self.by_rows else (x, y)

    def warm_up(self):
        """Libraries that compile or load at the first call do so here, once, and not in the copy
        of this process that plays a game. A class that fails now fails in its first game, too."""
        if SLOW_TO_START & set(sys.modules):
            with contextlib.suppress(Exception, SystemExit):
                self.new(0)
                self.follow("." * 16, "-")
                self.give()
                self.begin()
                self.follow("0" + "." * 15, "f")
                self.place()
                self.give()

    def follow(self, board, hand):
        """What has happened since, as the framework would have done it."""
        if any(old not in (".", new) for old, new in zip(self.board, board, strict=True)):
            self.begin()
        for cell, piece in enumerate(board):
            if self.board[cell] != piece:
                if self.hand != piece:
                    self.game.select(int(piece, 16))
                self.game.place(*self.turned(cell % 4, cell // 4))
                self.board[cell] = self.hand = piece
        if hand not in ("-", self.hand):
            self.game.select(int(hand, 16))
            self.hand = hand
        # whoever gives first is 0
        who = (16 - self.board.count(".") + (hand != "-")) % 2
        if hasattr(self.game, "_current_player"):
            self.game._current_player = who
        if hasattr(self.game, "set_players"):
            seats = (self.player, self.opponent)
            self.game.set_players(seats if who == 0 else seats[::-1])

    def place(self):
        def fits(answer):
            column, row = self.turned(*(int(x) for x in answer))
            free = 0 <= column < 4 and 0 <= row < 4 and self.board[4 * row + column] == "."
            return 4 * row + column if free else None

        answer, cell = self.ask("place_piece", fits, "a free cell as (column, row)")
        self.game.place(*answer)
        self.board[cell] = self.hand
        return CELLS[cell]

    def give(self):
        def fits(answer):
            piece = f"{int(answer):x}"
            fine = int(answer) == answer and 0 <= answer < 16 and piece not in self.board
            return piece if fine else None

        answer, piece = self.ask("choose_piece", fits, "a piece of the pool")
        self.game.select(answer)
        self.hand = piece
        return piece

    def ask(self, method, fits, wanted):
        """(the answer, what it means): the first that is legal, as in the framework."""
        decide = getattr(self.player, method)
        for _ in range(MOST_ANSWERS):
            answer = decide()
            try:
                meant = fits(answer)
            except (TypeError, ValueError, OverflowError):
                meant = None
            if meant is not None:
                return answer, meant
        times = f" ({MOST_ANSWERS:,} answers like that)"
        raise Unfit(f"{method} answered {answer!r}, not {wanted}{times}")


def reason(error, file):
    """One line: a package that is missing, or what was raised and in which line of theirs."""
    if isinstance(error, Unfit):
        return str(error)
    traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        pip = PIP_NAMES.get(package, package)
        return f"it needs the package {package!r}: {sys.executable} -m pip install {pip}"
    root = str(root_of(file)[0])
    frames = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if Path(one.filename).parent != HERE
    ]
    own = [one for one in frames if one.filename.startswith(root)] or frames
    where = ""
    if own:
        other = "" if Path(own[-1].filename) == file else f"{Path(own[-1].filename).name}, "
        where = f" ({other}line {own[-1].lineno})"
    return f"{type(error).__name__}: {error}{where}"
