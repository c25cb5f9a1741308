"""A class that was written for a course's framework, and the framework's game around it. It stands
alone: any Python from 3.10 on can run it.
"""

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

# The framework asks again for ever; chance finds one free cell of sixteen in less than 1,000 tries.
MOST_ANSWERS = 1000
SLOW_TO_START = {"engine", "jax", "numba", "tensorflow", "torch"}
# Bytes of what modules hold that are looked at after every game.
MOST_STATE = 100_000
NO_DATA = (classmethod, staticmethod, property)
# Parameters that take the game, if no annotation says so; the game's own that need no value.
GAME_NAMES = ("quarto", "game")
PLAIN = (bool, int, float, str, list, tuple, dict)
FLAGS = re.compile("print|log|verbos|debug|show|display|gui|render|trace")
CELLS = [row + column for row in "abcd" for column in "1234"]


class Unfit(Exception):
    """What is wrong, in one line."""


def arguments_of(text):
    """`depth=3,name=x` as keywords; what is no Python value is a text."""
    keywords = {}
    for part in filter(None, re.split(r",(?=\s*(?:game\.)?\w+=)", text)):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name.removeprefix("game.").isidentifier():
            raise Unfit(f"{part!r} is no argument: write name=value,name=value")
        try:
            keywords[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            keywords[name] = value
    return keywords


def parameters_of(cls):
    """The parameters of its constructor."""
    for evaluate in (True, False):
        with contextlib.suppress(Exception):
            return list(inspect.signature(cls, eval_str=evaluate).parameters.values())
    return []


def is_game(found):
    return inspect.isclass(found) and hasattr(found, "get_board_status")


def game_parameter(theirs, named):
    """The parameter that takes the game, by its annotation, its name, or its place; None if there
    is none. `named` ones and those annotated as a number, a text or the like get another value."""

    def rank(parameter):
        said, name = parameter.annotation, parameter.name.lower()
        annotated = not inspect.isclass(said) and "Quarto" in str(said)
        if is_game(said) or annotated:
            return 0
        return 1 if name in GAME_NAMES else 2 if any(one in name for one in GAME_NAMES) else 3

    free = [one for one in parameters_of(theirs) if one.name not in named]
    free = [one for one in free if one.kind != one.VAR_KEYWORD and one.annotation not in PLAIN]
    return min(free, key=rank, default=None)


def game_named(name, theirs, quarto):
    """The class of `game=CLASS`, from the player's file or its framework, or
    `game=MODULE.CLASS`."""
    module, _, word = str(name).rpartition(".")
    places = [importlib.import_module(module)] if module else [sys.modules[theirs.__module__]]
    for place in (*places, quarto):
        if is_game(getattr(place, word, None)):
            return getattr(place, word)
    raise Unfit(f"game={name}: there is no such class of a game: write game=MODULE.CLASS")


def game_arguments(game, given):
    """Arguments of the game: the given ones, and False for flags about what is shown."""
    keywords = dict(given)
    for one in parameters_of(game):
        needed = one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        if needed and one.name not in keywords:
            if one.annotation is not bool and not FLAGS.search(one.name.lower()):
                name = game.__name__
                raise Unfit(f"{name} needs an argument: write game.{one.name}=VALUE behind CLASS:")
            keywords[one.name] = False
    return keywords


def in_a_copy(question):
    """Its answer, yes or no, from a copy of this process: asking leaves no trace in this one."""
    if not hasattr(os, "fork"):
        return question()
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = int(question())
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # where it fails, it fails here, too, and says why
    return bool(code) if code in (0, 1) else question()


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

    def __init__(self, theirs, quarto, root, text):
        self.theirs, self.quarto, self.root = theirs, quarto, f"{root}{os.sep}"
        # numpy brings it when it is first asked for: once, not in every copy of this process
        self.numpy_random = getattr(sys.modules.get("numpy"), "random", None)
        arguments = arguments_of(text)
        self.keywords = {k: v for k, v in arguments.items() if k.partition(".")[0] != "game"}
        self.parameter = game_parameter(self.theirs, self.keywords)
        self.game_class = self.quarto.Quarto
        if "game" in arguments:
            self.game_class = game_named(arguments["game"], self.theirs, self.quarto)
        elif self.parameter and is_game(self.parameter.annotation):
            # some projects have a game with more methods
            self.game_class = self.parameter.annotation
        given = {k.removeprefix("game."): v for k, v in arguments.items() if k[:5] == "game."}
        self.game_keywords = game_arguments(self.game_class, given)
        self.fresh = list(self.shared_by_games())

    def prepare(self):
        """See which way round it places, and load what loads slowly."""
        self.by_rows = in_a_copy(self.rows_first)
        self.warm_up()

    def shared_by_games(self):
        """What classes of the game hold: some keep the board there."""
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
        self.game, taken = self.make_game(), self.parameter
        self.board, self.hand, self.opponent = ["."] * 16, "-", Absent()
        if taken is None:
            self.player = self.theirs(**self.keywords)
            self.player.game = self.game
        elif taken.kind in (taken.POSITIONAL_ONLY, taken.VAR_POSITIONAL):
            self.player = self.theirs(self.game, **self.keywords)
        else:
            self.player = self.theirs(**{taken.name: self.game}, **self.keywords)

    def rows_first(self):
        """Whether their `place(x, y)` means row x, column y: most projects mean it the other way
        round."""
        game = self.make_game()
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
        # the player who gives first is 0
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
