"""Compiled players in the user's own files."""

import numpy as np
import pytest

import agents
from agents.guests.new import TEMPLATE
from agents.guests.source import Source, is_derived, load_module
from arena.match import play_match
from tests.arena.referee import replay
from tests.commands import call


def write_player(folder, text=None, name="mine.py"):
    (folder / name).write_text(text or TEMPLATE.read_text())
    return f"{folder / name}:Greedy"


def test_the_template_plays_legal_games_in_compiled_code(tmp_path):
    player = agents.make(write_player(tmp_path))
    assert player.compiled and player.spec.endswith("mine.py:Greedy")
    games = play_match(player, agents.make("rulebased"), seed=1, games=100, record=True)
    for moves in games.moves:
        replay(moves)
    assert games.score.wins > 80


def test_options_of_the_template_are_checked_and_appear_in_the_spec(tmp_path):
    spec = write_player(tmp_path)
    player = agents.make(f"{spec}:many=2,odd=-1")
    assert player.spec == f"{spec}:many=2.0,odd=-1.0" and player.mind.parameters.tolist() == [2, -1]
    assert player.digest != agents.make(spec).digest
    for options, said in (("man=1", "did you mean many"), ("many=99", "many=99: give .*10")):
        with pytest.raises(ValueError, match=said):
            agents.make(f"{spec}:{options}")


def test_its_spec_with_options_can_be_one_of_several_opponents(tmp_path):
    spec = write_player(tmp_path)
    specs = agents.split_specs(f"random,{spec}:many=1,odd=2,pro:bound=1,value=1")
    assert specs == ["random", f"{spec}:many=1,odd=2", "pro:bound=1,value=1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from agents import Player\nclass Greedy(Player):\n    pass", "has no place_kernel"),
        ("from agents import Player\nclass Other(Player):\n    pass", "has no class 'Greedy'"),
        ("from agents import Player\n1 / 0\nclass Greedy(Player): pass", r"Zero.* \(line 2\)"),
        ("from agents import Missing\nclass Greedy(Missing): pass", "ImportError"),
    ],
)
def test_a_class_that_lacks_something_is_refused_in_one_line(tmp_path, text, said):
    with pytest.raises(ValueError, match=said) as error:
        agents.make(write_player(tmp_path, text))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("from agents import Player\nclass A(Player): pass", True),
        ("from agents.player import Player as P\nclass B(P): pass\nclass A(B): pass", True),
        ("import agents.player\nclass A(agents.player.Player): pass", True),
        ("import quarto\nclass A(quarto.Player): pass", False),
        ("from quarto.objects import Player\nclass A(Player): pass", False),
        ("class A: pass", False),
        ("class A(A): pass", False),
        ("from agents import Player\nclass B(Player): pass", False),
        ("not Python", False),
    ],
)
def test_a_class_is_ours_if_it_derives_from_our_player(tmp_path, text, ours):
    (tmp_path / "x.py").write_text(text)
    assert is_derived(Source.read(str(tmp_path / "x.py")), "A", "agents") is ours


def test_a_user_s_folder_named_like_one_of_our_packages_is_the_user_s(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "x.py").write_text("from agents import Player\nclass A(Player): pass")
    assert not is_derived(Source.read(str(tmp_path / "x.py")), "A", "agents")


def test_an_edit_of_an_imported_file_changes_the_player(tmp_path):
    """Both its digest and its compiled code."""
    text = TEMPLATE.read_text().replace("one_of(safe if safe", "chosen(safe if safe")
    text = text.replace("from engine.bits", "from words import chosen\nfrom engine.bits")
    (tmp_path / "words.py").write_text(WORDS.format("lowest"))
    low = agents.make(write_player(tmp_path, text))
    (tmp_path / "words.py").write_text(WORDS.format("highest"))
    high = agents.make(low.spec)
    assert low.digest != high.digest
    first = [play_match(p, agents.make("dumb"), 1, 2, record=True).moves for p in (low, high)]
    assert first[0][0, 0] == 0 and first[1][0, 0] == 15


WORDS = """
from engine.bits import nth_bit, popcount
from engine.jit.kernel import helper

@helper
def lowest(mask, rng):
    return nth_bit(mask, 0)

@helper
def highest(mask, rng):
    return nth_bit(mask, popcount(mask) - 1)

chosen = {}
"""


def test_two_files_of_the_same_name_are_two_players(tmp_path):
    for name, many in (("a", "-1.0"), ("b", "1.0")):
        (tmp_path / name).mkdir()
        write_player(tmp_path / name, TEMPLATE.read_text().replace("Option(-1.0", f"Option({many}"))
    a, b = (agents.make(f"{tmp_path}/{name}/mine.py:Greedy") for name in "ab")
    assert a.mind.parameters[0] == -1 and b.mind.parameters[0] == 1
    games = play_match(a, b, seed=1, games=200)
    assert games.score.wins > games.score.losses


def test_the_same_text_is_imported_once(tmp_path):
    source = Source.read(write_player(tmp_path).rpartition(":")[0])
    assert load_module(source) is load_module(Source.read(source.path))
    assert np.isfinite(agents.make(write_player(tmp_path)).mind.parameters).all()


def test_the_command_writes_a_player_and_prints_how_to_play_it(tmp_path):
    file = tmp_path / "mine.py"
    done = call("agents.guests.new", file)
    assert done.code == 0 and "terminal" in done.out and file.read_text() == TEMPLATE.read_text()
    done = call("agents.guests.new", file)
    assert done.code == 2 and "is there already: give another name" in done.err
    assert call("agents.guests.new", tmp_path / "mine.txt").code == 2
    assert call("agents.guests.new", tmp_path / "nowhere" / "mine.py").code == 2
