"""The scripts of examples/, each run as a process in an empty folder."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# whole programs may be longer
BOTS = {"bot": 110, "evaluate": 130, "train_ppo": 65, "validate_strategy": 200}
FIRST_GAME = "first game: 6-a1 9-a4 5-b3 d-c1 0-b4 f-c3 1-b2 e-d4 a-a2 b-d2 2-b1"


def start(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder, which may have modules that hide installed ones."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=240,
    )


def run(folder: Path, *command: str) -> str:
    """Run Python in the folder and return its output."""
    done = start(folder, *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hide(folder: Path, library: str) -> None:
    """Make the library appear missing to scripts that run in the folder."""
    (folder / f"{library}.py").write_text(f"raise ModuleNotFoundError(name={library!r})")


def test_the_newcomers_script_prints_what_the_readme_shows(tmp_path):
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"```pycon\n(.*?)```", readme, re.DOTALL)
    assert block
    shown = [line for line in block[1].splitlines() if line and not line.startswith(">>>")]
    hide(tmp_path, "pandas")
    printed = run(tmp_path, str(ROOT / "examples/newcomer.py"))
    assert shown
    assert [line for line in shown if line not in printed] == []


def test_players_are_compared_under_their_labels(tmp_path):
    hide(tmp_path, "pandas")
    printed = run(tmp_path, str(ROOT / "examples/compare_players.py"))
    assert "evolved is 985 Elo stronger than shallow" in printed


def test_a_stored_run_is_read_and_not_played_again(tmp_path):
    hide(tmp_path, "pandas")
    script = str(ROOT / "examples/read_run.py")
    first = run(tmp_path, script)
    assert "steps: games-0000, match-0000" in first and FIRST_GAME in first
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert run(tmp_path, script) == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")} == written


def test_the_custom_player_beats_random(tmp_path):
    player = f"{ROOT / 'examples/my_player.py'}:MyPlayer"
    printed = run(tmp_path, "-m", "terminal", player, "random", "--games", "50")
    wins = re.search(r"(\d+) wins", printed)
    assert wins and int(wins[1]) >= 45


def test_the_example_of_the_environments_runs(tmp_path):
    pytest.importorskip("pettingzoo", reason="needs the extra [env]")
    printed = run(tmp_path, str(ROOT / "examples/random_env.py"))
    # a player with the oracle does not lose against a random one
    assert re.search(r"player_0: \+[01]\n", printed)
    assert re.search(r"\d{3},\d{3} random games, [12]\.\d % of them drawn", printed)


@pytest.mark.parametrize(
    ("script", "library", "extra"),
    [("random_env", "gymnasium", "env"), ("train_ppo", "sb3_contrib", "train")],
)
def test_an_example_without_its_library_names_the_extra(script, library, extra, tmp_path):
    if script == "train_ppo":
        pytest.importorskip("gymnasium", reason="needs the extra [env]")
    hide(tmp_path, library)
    done = start(tmp_path, str(ROOT / f"examples/{script}.py"))
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.endswith(f" needs {library}: pip install -e '.[{extra}]'\n")


def test_stored_ppo_weights_are_played(tmp_path):
    rng, sizes = np.random.default_rng(1), ((64, 176), (64,), (64, 64), (64,), (32, 64), (32,))
    np.savez(tmp_path / "ppo.npz", *(rng.normal(size=size) for size in sizes))
    player = f"{ROOT / 'examples/ppo_player.py'}:PPO:weights={tmp_path / 'ppo.npz'}"
    printed = run(tmp_path, "-m", "terminal", player, "random", "--games", "4")
    assert "against random" in printed


def test_the_ppo_example_returns_the_last_observation_of_a_finished_game(monkeypatch):
    """stable-baselines3 requires it; the library itself is replaced by empty modules."""
    for name in ("stable_baselines3", "stable_baselines3.common", "sb3_contrib"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    library = ModuleType("stable_baselines3.common.vec_env")
    monkeypatch.setitem(sys.modules, library.__name__, library)
    monkeypatch.setattr(library, "DummyVecEnv", object, raising=False)
    monkeypatch.setattr(sys.modules["sb3_contrib"], "MaskablePPO", None, raising=False)
    pytest.importorskip("gymnasium", reason="needs the extra [env]")
    boards = runpy.run_path(str(ROOT / "examples/train_ppo.py"))["Quarto"](64)
    boards.reset()
    ended = []
    for _ in range(30):
        boards.step_async(boards.game.boards.random_actions())
        _, _, dones, infos = boards.step_wait()
        assert [bool(info) for info in infos] == dones.tolist()
        ended += [info["terminal_observation"] for info in infos if info]
    assert len(ended) > 50 and all(map(boards.observation_space.contains, ended))
    assert not any(np.array_equal(last, np.zeros_like(last)) for last in ended)


def test_maskable_ppo_learns_and_writes_its_weights(tmp_path):
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    run(tmp_path, str(ROOT / "examples/train_ppo.py"), "20000", "ppo.npz")
    assert [array.shape for array in np.load(tmp_path / "ppo.npz").values()][-1] == (32,)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(example):
    assert len(example.read_text().splitlines()) < BOTS.get(example.stem, 41)
