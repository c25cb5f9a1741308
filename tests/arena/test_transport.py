"""Players on their way to a worker come out as who they were."""

import numpy as np
import pytest

import agents
from agents.mind import Mind
from arena.match import play_match
from arena.transport import SharedArray, pack, unpack

MINE = """
import random
class Mine:
    def choose_piece(self):
        return random.choice([p for p in range(16) if p not in self.on_board() | {self.in_hand()}])
    def place_piece(self):
        free = [i for i, piece in enumerate(self.game.get_board_status().ravel()) if piece < 0]
        cell = random.choice(free)
        return cell % 4, cell // 4
    def on_board(self):
        return set(self.game.get_board_status().ravel().tolist())
    def in_hand(self):
        return self.game.get_selected_piece()
"""


def check_journey(player):
    there = unpack(pack(player))
    assert (there.spec, there.label) == (player.spec, player.label)
    assert there.digest == player.digest and there.compiled == player.compiled
    here, away = (
        play_match(p, agents.make("hardcoded"), seed=5, games=4, record=True)
        for p in (player, there)
    )
    assert np.array_equal(here.moves, away.moves)
    return there


@pytest.mark.parametrize(
    "spec", ["random", "pro:bound=1,value=1", "rl", "strongest=frontier:depth=1", "x=ga:alpha=2.5"]
)
def test_a_player_that_travelled_keeps_its_spec_its_label_and_its_games(spec):
    check_journey(agents.make(spec))


def test_a_player_of_ones_own_travels_with_its_source(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    player = agents.make(f"me={file}:Mine")
    file.unlink()
    assert check_journey(player).label == "me"


def test_what_stands_beside_a_player_travels_with_it(tmp_path):
    (tmp_path / "mine.py").write_text(MINE.replace("import random", "from chance import random"))
    (tmp_path / "chance.py").write_text("import random\n")
    player = agents.make(f"{tmp_path}/mine.py:Mine")
    (tmp_path / "chance.py").unlink()
    assert check_journey(player).siblings.texts == {"chance": "import random\n"}


def test_a_learned_mind_travels_once(tmp_path):
    player = agents.make("rl")
    memory = player.mind.memory.copy()
    learned = player.with_mind(Mind(player.mind.parameters, memory), "rl:run=somewhere")
    there = check_journey(learned.called("learned"))
    assert np.array_equal(there.mind.memory, memory) and there.mind.memory is not memory
    assert unpack(pack(learned.called("learned"))) is there, "made once"
    assert SharedArray(memory) == SharedArray(memory.copy())
