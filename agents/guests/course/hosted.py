"""A class that was written for a course's framework, and the framework's game around it. It stands
alone: any Python from 3.10 on can run it."""

import ast
import contextlib
import copy
import importlib
import inspect
import os
import pickle
import random
import re
import sys

# The framework repeats its question for ever; a random player finds the one free cell of sixteen in
# fewer than 1,000 tries.
MOST_ANSWERS = 1000
SLOW_TO_START = {"engine", "jax", "numba", "tensorflow", "torch"}
MOST_STATE = 100_000  # bytes of module state that are compared after every game
NO_DATA = (classmethod, staticmethod, property)
# Names of parameters that take the game, where no annotation says so.
GAME_NAMES = ("quarto", "game")
# Annotations of parameters that do not take it.
PLAIN = (bool, int, float, str, list, tuple, dict)
# Parameters of the game that are set to False: they switch output on.
FLAGS = re.compile("print|log|verbos|debug|show|display|gui|render|trace")
CELLS = [row + column for row in "abcd" for column in "1234"]


class Unfit(Exception):
    """The class or its arguments cannot be used; the message is one line."""


def arguments_of(text):
    """Return `depth=3,name=x` as keywords. A value that is not a Python literal is a string."""
    keywords = {}
    for part in filter(None, re.split(r",(?=\s*(?:game\.)?\w+=)", text)):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name.removeprefix("game.").isidentifier():
            raise Unfit(f"{part!r} is not an argument: write name=value,name=value")
        try:
            keywords[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            keywords[name] = value
    return keywords


def parameters_of(cls):
    """Return the parameters of the constructor of a class."""
    for evaluate in (True, False):
        with contextlib.suppress(Exception):
            return list(inspect.signature(cls, eval_str=evaluate).parameters.values())
    return []


def is_game(value):
    return inspect.isclass(value) and hasattr(value, "get_board_status")


def game_parameter(player_class, named):
    """Return the parameter that takes the game, by annotation, name or place; None if none does."""

    def rank(parameter):
        annotation, name = parameter.annotation, parameter.name.lower()
        if is_game(annotation) or ("Quarto" in str(annotation) and not inspect.isclass(annotation)):
            return 0
        return 1 if name in GAME_NAMES else 2 if any(word in name for word in GAME_NAMES) else 3

    free = [p for p in parameters_of(player_class) if p.name not in named]
    free = [p for p in free if p.kind != p.VAR_KEYWORD and p.annotation not in PLAIN]
    return min(free, key=rank, default=None)


def game_named(name, player_class, quarto):
    """Return the class of `game=CLASS` or `game=MODULE.CLASS`; raise Unfit if there is none."""
    module, _, word = str(name).rpartition(".")
    places = [importlib.import_module(module)] if module else [sys.modules[player_class.__module__]]
    for place in (*places, quarto):
        if is_game(getattr(place, word, None)):
            return getattr(place, word)
    raise Unfit(f"game={name}: there is no game class of this name: write game=MODULE.CLASS")


def game_arguments(game, options):
    """Return the arguments of the game: the options, and False for flags about output."""
    keywords = dict(options)
    for p in parameters_of(game):
        needed = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if needed and p.name not in keywords:
            if p.annotation is not bool and not FLAGS.search(p.name.lower()):
                name = game.__name__
                raise Unfit(f"{name} needs an argument: write game.{p.name}=VALUE behind CLASS:")
            keywords[p.name] = False
    return keywords


def in_a_copy(question):
    """Return the answer, yes or no, of a forked copy: asking leaves no trace in this process."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = int(question())
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # if it failed there, it fails here, too, with a message
    return bool(code) if code in (0, 1) else question()


def is_data(value):
    return not (callable(value) or inspect.ismodule(value) or isinstance(value, NO_DATA))


class Absent:
    """Stands for the opponent, who decides elsewhere; notifications are ignored."""

    def choose_piece(self):
        raise RuntimeError("the opponent decides elsewhere")

    place_piece = choose_piece

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **keywords: None


class Host:
    """Keeps the framework's game in step with the positions, and asks the player."""

    def __init__(self, player_class, quarto, root, text):
        self.player_class, self.root = player_class, f"{root}{os.sep}"
        # numpy imports it when it is first asked for: once here, not in every copy of this process
        self.numpy_random = getattr(sys.modules.get("numpy"), "random", None)
        arguments = arguments_of(text)
        self.keywords = {k: v for k, v in arguments.items() if k.partition(".")[0] != "game"}
        self.parameter = game_parameter(player_class, self.keywords)
        self.game_class = quarto.Quarto
        if "game" in arguments:
            self.game_class = game_named(arguments["game"], player_class, quarto)
        elif self.parameter and is_game(self.parameter.annotation):
            # some projects have a game with more methods
            self.game_class = self.parameter.annotation
        options = {k.removeprefix("game."): v for k, v in arguments.items() if k[:5] == "game."}
        self.game_keywords = game_arguments(self.game_class, options)
        self.fresh = list(self.class_attributes())

    def prepare(self):
        """Find out whether the game places by (row, column), and load what loads slowly."""
        self.by_rows = in_a_copy(self.rows_first)
        self.warm_up()

    def class_attributes(self):
        """Yield copies of the data that the game's classes hold: some keep the board there."""
        for cls in self.game_class.__mro__[:-1]:
            for name, value in list(vars(cls).items()):
                if name[:2] != "__" and is_data(value):
                    with contextlib.suppress(Exception):
                        yield cls, name, copy.deepcopy(value)

    def make_game(self):
        for cls, name, value in self.fresh:
            setattr(cls, name, copy.deepcopy(value))
        return self.game_class(**self.game_keywords)

    def state(self):
        """Return the pickled data of the project's modules and classes, None if too large."""
        holders = []
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None) or ""
            if file.startswith(self.root) and "site-packages" not in file:
                classes = filter(inspect.isclass, vars(module).values())
                holders += [module, *(c for c in classes if c.__module__ == module.__name__)]
        items = [item for holder in dict.fromkeys(holders) for item in vars(holder).items()]
        try:
            state = pickle.dumps([(k, v) for k, v in items if k[:2] != "__" and is_data(v)])
        except Exception:
            return None
        return state if len(state) <= MOST_STATE else None

    def new(self, seed):
        """Begin a game with a new player; nothing carries over from the last one."""
        random.seed(seed)
        if self.numpy_random:
            self.numpy_random.seed(seed % 2**32)
        self.begin()

    def begin(self):
        self.game, parameter = self.make_game(), self.parameter
        self.board, self.hand, self.opponent = ["."] * 16, "-", Absent()
        if parameter is None:
            self.player = self.player_class(**self.keywords)
            self.player.game = self.game
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            self.player = self.player_class(self.game, **self.keywords)
        else:
            self.player = self.player_class(**{parameter.name: self.game}, **self.keywords)

    def rows_first(self):
        """Return whether `place(x, y)` means row x, column y, and not column x, row y."""
        game = self.make_game()
        game.select(0)
        game.place(1, 0)
        return game.get_board_status()[1][0] == 0

    def turned(self, x, y):
        return (y, x) if self.by_rows else (x, y)

    def warm_up(self):
        """Let libraries that compile or load at the first call do so once, not in every copy."""
        if SLOW_TO_START & set(sys.modules):
            # a class that fails now fails in its first game, too
            with contextlib.suppress(Exception, SystemExit):
                self.new(0)
                self.follow("." * 16, "-")
                self.give()
                self.begin()
                self.follow("0" + "." * 15, "f")
                self.place()
                self.give()

    def follow(self, board, hand):
        """Bring the game to this position, as the framework would have done it."""
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
        # the player who gives first is 0
        seat = (16 - self.board.count(".") + (hand != "-")) % 2
        if hasattr(self.game, "_current_player"):
            self.game._current_player = seat
        if hasattr(self.game, "set_players"):
            players = (self.player, self.opponent)
            self.game.set_players(players if seat == 0 else players[::-1])

    def place(self):
        def cell_of(answer):
            column, row = self.turned(*(int(x) for x in answer))
            free = 0 <= column < 4 and 0 <= row < 4 and self.board[4 * row + column] == "."
            return 4 * row + column if free else None

        answer, cell = self.ask("place_piece", cell_of, "a free cell as (column, row)")
        self.game.place(*answer)
        self.board[cell] = self.hand
        return CELLS[cell]

    def give(self):
        def piece_of(answer):
            piece = f"{int(answer):x}"
            legal = int(answer) == answer and 0 <= answer < 16 and piece not in self.board
            return piece if legal else None

        answer, piece = self.ask("choose_piece", piece_of, "a piece of the pool")
        self.game.select(answer)
        self.hand = piece
        return piece

    def ask(self, method, meaning_of, wanted):
        """Return (answer, meaning) for the first legal answer; raise Unfit if there is none."""
        decide = getattr(self.player, method)
        for _ in range(MOST_ANSWERS):
            answer = decide()
            with contextlib.suppress(TypeError, ValueError, OverflowError):
                meaning = meaning_of(answer)
                if meaning is not None:
                    return answer, meaning
        times = f" ({MOST_ANSWERS:,} answers like that)"
        raise Unfit(f"{method} answered {answer!r}, not {wanted}{times}")
