"""Course frameworks that differ in how they place, what their game needs, and where players are."""

from pathlib import Path

import pytest

import agents
from agents.guests.course import located
from agents.player import PlayerError
from arena.match import play_match
from engine.position import Position
from tests.agents.guests.programs import write
from tests.arena.referee import replay

QUARTO = """
    import numpy as np
    class Quarto:
        def __init__(self): self.board, self.hand = -np.ones((4, 4), int), -1
        def get_board_status(self): return self.board.copy()
        def get_selected_piece(self): return self.hand
        def select(self, piece): self.hand = piece; return True
        def place(self, x, y):
            assert self.board[y, x] == -1
            self.board[y, x] = self.hand
            return True
"""
# Gives the highest piece and places on the first free cell.
PLAYER = """
    class Mine:
        def __init__(self, game): self.game = game
        def choose_piece(self):
            return max(set(range(16)) - set(self.game.get_board_status().flatten().tolist()))
        def place_piece(self):
            board = self.game.get_board_status()
            return next((c, r) for r in range(4) for c in range(4) if board[r, c] == -1)
"""


def write_project(folder, framework=QUARTO, player=PLAYER):
    """Write a project with its own framework and return the spec of its player."""
    write(folder, framework, "quarto.py")
    return write(folder, player)


def play(spec):
    """Play games; assert that they are legal and that the player decides as PLAYER does."""
    batch = play_match(agents.make(spec), agents.make("random"), seed=1, games=4, record=True)
    for moves in batch.moves:
        replay(moves)
    assert batch.moves[::2, 0].tolist() == [15, 15], "it gives the highest piece"
    assert batch.moves[1::2, 1].tolist() == [0, 0], "it places on a1"


CLASS_BOARD = """
    import numpy as np
    class Quarto:
        board, hand = -np.ones((4, 4)), -1
        def get_board_status(self): return self.board.copy()
        def get_selected_piece(self): return self.hand
        def select(self, piece): self.hand = piece; return True
        def place(self, x, y): self.board[y, x] = self.hand; return True
"""


@pytest.mark.parametrize("slow", ["", "import numba"])
def test_a_board_stored_on_the_game_class_starts_empty(tmp_path, slow):
    """The probe that finds out whether rows or columns come first used to leave a piece on a2."""
    player = PLAYER.replace("class Mine", f"{slow}\n    class Mine")
    spec = write_project(tmp_path, CLASS_BOARD, player)
    play(spec)
    mine = agents.make(spec)
    for text in ("4.../c.b./7.1./3ed. 0", ".4../..../..../.... 0", "4.../c.b./7.1./3ed. 0"):
        position = Position.parse(text)
        assert mine.place(position) == next(c for c in range(16) if not position.occupied >> c & 1)


def test_a_board_stored_in_the_framework_s_module_starts_empty(tmp_path):
    text = CLASS_BOARD.replace("class Quarto:", "BOARD = -np.ones((4, 4))\n    class Quarto:")
    text = text.replace("board, hand = -np.ones((4, 4)), -1", "hand = -1")
    play(write_project(tmp_path, text.replace("self.board", "BOARD")))


@pytest.mark.parametrize(
    ("parameters", "taken", "options"),
    [
        ("genome, quarto", "quarto", ":genome=[1, 2]"),
        ("genome, quarto", "quarto", ":genome={'a': 1, 'b': 2}"),
        ("env, game", "game", ":env=none"),
        ("depth, the_game", "the_game", ":depth=3"),
        ("depth=1, q: 'quarto.Quarto' = None", "q", ""),
        ("depth=1, q: quarto.Quarto = None", "q", ":depth=3"),
        ("q, depth=1", "q", ""),
        ("name: str = 'x', q=None", "q", ""),
        ("q, /, depth=1", "q", ":depth=2"),
        ("*q", "q[0]", ""),
        ("*, depth, quarto", "quarto", ":depth=2"),
    ],
)
def test_the_game_is_passed_to_the_parameter_meant_for_it(tmp_path, parameters, taken, options):
    constructor = f"def __init__(self, {parameters}): self.game = {taken}"
    player = PLAYER.replace("def __init__(self, game): self.game = game", constructor)
    play(write_project(tmp_path, player=f"    import quarto{player}") + options)


def test_the_first_parameter_may_be_an_option_instead_of_the_game(tmp_path):
    player = PLAYER.replace("(self, game): self.game = game", "(self, depth): self.depth = depth")
    play(write_project(tmp_path, player=player) + ":depth=3")


def test_flags_of_the_game_are_off_and_other_arguments_must_be_given(tmp_path):
    framework = QUARTO.replace("__init__(self)", "__init__(self, print_log, quiet: bool)")
    play(
        write_project(
            tmp_path / "a", framework.replace("self.board,", "assert not print_log; self.board,")
        )
    )
    framework = QUARTO.replace("__init__(self)", "__init__(self, size)")
    spec = write_project(tmp_path / "b", framework.replace("(4, 4)", "(size, size)"))
    with pytest.raises(ValueError, match=r"Quarto needs an argument: write game\.size=VALUE"):
        agents.make(spec)
    play(f"{spec}:game.size=4")
    assert agents.split_specs(f"pro,{spec}:game.size=4,game.x=1") == [
        "pro",
        f"{spec}:game.size=4,game.x=1",
    ]


def test_a_game_that_cannot_be_made_is_not_blamed_on_the_import(tmp_path):
    framework = QUARTO.replace("def __init__(self):", "def __init__(self): 1 / 0;")
    with pytest.raises(ValueError, match="making its game failed: ZeroDivisionError") as error:
        agents.make(write_project(tmp_path, framework))
    assert "importing" not in str(error.value)


CUSTOM = """
    import quarto
    class CustomQuarto(quarto.Quarto):
        def lowest_free(self):
            return next((c, r) for r in range(4) for c in range(4) if self.board[r, c] == -1)
"""


@pytest.mark.parametrize("name", ["CustomQuarto", "tools.custom.CustomQuarto"])
def test_a_spec_can_name_the_game_that_a_class_needs(tmp_path, name):
    write(tmp_path / "tools", CUSTOM, "custom.py")
    player = (
        f"    from quarto import Quarto{PLAYER.replace('(self, game)', '(self, game: Quarto)')}"
    )
    head, place, _ = player.partition("        def place_piece")
    player = f"{head}{place}(self): return self.game.lowest_free()\n"
    if name == "CustomQuarto":
        player = f"    from tools.custom import CustomQuarto\n{player}"
    spec = write_project(tmp_path, player=player)
    with pytest.raises(PlayerError, match="no attribute 'lowest_free'"):
        play(spec)
    play(f"{spec}:game={name}")
    with pytest.raises(ValueError, match=r"game=Nothing: .* write game=MODULE\.CLASS"):
        agents.make(f"{spec}:game=Nothing")


@pytest.mark.parametrize("folder", ["bots", "agents", "my-bots"])
@pytest.mark.parametrize("init", [True, False])
def test_a_package_with_relative_imports_needs_no_framework_of_its_own(tmp_path, folder, init):
    bots = tmp_path / folder
    player = f"    from .tools import first{PLAYER.replace('next((c, r)', 'first((c, r)')}"
    spec = write(bots, player, "corner.py")
    write(bots, "first = next", "tools.py")
    if init:
        write(bots, "", "__init__.py")
    play(spec)


def test_relative_imports_may_lead_upwards(tmp_path):
    player = f"    from ..tools.words import first{PLAYER.replace('next((c, r)', 'first((c, r)')}"
    spec = write(tmp_path / "bots" / "good", player, "corner.py")
    write(tmp_path / "bots" / "tools", "first = next", "words.py")
    play(spec)
    assert located.root_of(Path(spec.rpartition(":")[0])) == (tmp_path / "bots", False)
