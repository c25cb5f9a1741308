"""One small run of every kind, made by its command, or by this file if the command takes long."""

import importlib
from pathlib import Path

import numpy as np
import pyarrow as pa

import agents
from agents.beam.reward import FIRST, LABELS, LAST
from agents.learned import read_shipped
from agents.rules.player import HOLDS as STRATEGY
from agents.rules.player import strategy_of_size
from agents.sprint.net import HOLDS, NETS, random_weights, to_table
from engine.symmetry import key_of
from oracle.measure_accuracy import KINDS
from oracle.turn_values import quiet_position
from selfplay.fit.dataset import KINDS as SOURCES
from store import Run
from store.curve import GAMES, TURNS
from store.parquet import pack
from tests.commands import call

FIELD = ("rulebased", "dumb", "random", "--games", 4, "--record")
EVOLVE = ("--generations", 2, "--population", 5, "--offspring", 5, "--games", 2, "--fresh", 2)
MINDS = Path(agents.__file__).parent
COMMANDS = {
    "tournament": ("arena.run", *FIELD),
    "sequential": ("arena.run", "random", "dumb", "--games", 100, "--sprt", "0,300"),
    "evolution": ("evo.run", *EVOLVE, "--no-curve"),
    "islands": ("evo.run", *EVOLVE, "--no-curve", "--islands", 2, "--epoch", 1),
    "certificate": ("oracle.certify", "dumb", "--pieces", 2),
    "self-play": ("selfplay.run", "--games", 40, "--tests", 2, "--no-curve"),
}


def make_runs(folder: Path) -> dict[str, Path]:
    """Make the runs in an empty folder; return their paths by name."""
    for name, words in COMMANDS.items():
        done = call(*words, "--workers", 0, "--store", folder / name)
        assert done.code == 0, (words, done)
    assert call("oracle.annotate", folder / "tournament", "--workers", 0).code == 0
    add(folder / "tournament", "accuracy", accuracy_table(["rulebased", "dumb", "random"]))
    for name, unit in (("evolution", "generation"), ("self-play", "round")):
        add(folder / name, "curve-00000", curve_table(unit))
    write_dataset(folder / "dataset")
    write_turns(folder / "turns")
    write_net(folder / "net")
    write(folder / "accuracy", "accuracy", {"players": [["random", "random", "0"]]}).write(
        "accuracy", accuracy_table(["random"])
    )
    write_reward(folder / "reward")
    write_strategy(folder / "rules", folder / "evolution")
    for name, kind in (("evolved", "evolution"), ("zero", "self-play")):
        there = Run(str(folder / kind))
        holds = {"holds": importlib.import_module(f"agents.{name}").HOLDS, "made_by": "a test"}
        config = there.about(there.steps()[0])["config"]
        write(folder / name, kind, config).write(
            "mind", read_shipped(MINDS / f"{name}.parquet"), holds
        )
    runs = {path.name: path for path in sorted(folder.iterdir())}
    for path in runs.values():
        separate(path)
    return runs


def write_strategy(folder: Path, like: Path) -> None:
    """Write a run of evolution whose champion is a strategy."""
    there = Run(str(like))
    config = there.about(there.steps()[0])["config"]
    strategy = pa.table({"gene": ["program"], "value": [str(strategy_of_size(1))]})
    about = {"holds": STRATEGY, "made_by": "a test"}
    write(folder, "evolution", config).write("mind", strategy, about)


def separate(folder: Path) -> None:
    """Give every step a file of its own, since variants change single steps."""
    run = Run(str(folder))
    steps = [step for step in run.steps() if run.file_of(step) != step]
    files = {step: pack(run.read(step), run.about(step)) for step in steps}
    for segment in {run.file_of(step) for step in steps}:
        (folder / f"{segment}.parquet").unlink()
    for step, data in files.items():
        (folder / f"{step}.parquet").write_bytes(data)


def write(folder: Path, kind: str, config: dict) -> Run:
    run = Run(str(folder), kind, config)
    run.folder.make()
    return run


def add(folder: Path, step: str, table: pa.Table) -> None:
    """Write one more step to a run, with the kind and configuration of its other steps."""
    there = Run(str(folder))
    about = there.about(there.steps()[0])
    Run(str(folder), about["kind"], about["config"]).write(step, table)


def accuracy_table(players: list[str]) -> pa.Table:
    rows = [(name, kind, placed, 1, 2) for name in players for kind in KINDS for placed in (5, 8)]
    return pa.table(
        list(map(list, zip(*rows, strict=True))), ["player", "decision", "placed", "right", "of"]
    )


def curve_table(unit: str) -> pa.Table:
    rows = [(0, TURNS, "5 pieces", None, 1.0, 2), (0, GAMES, "random", 0, 1.0, 2)]
    names = [unit, "measure", "what", "elo", "points", "of"]
    return pa.table(list(map(list, zip(*rows, strict=True))), names)


def keys_of(placed: int, count: int) -> np.ndarray:
    keys = [key_of(quiet_position(0, placed, index)) for index in range(count)]
    return np.array(keys, np.uint64)


def write_dataset(folder: Path) -> None:
    config = {"seed": 0, "positions": 100, "labels": LABELS, "minds": {"pro": "0"}}
    run, rows = write(folder, "dataset", config), 4 * len(SOURCES)
    for placed in range(FIRST, LAST + 1):
        reals = {name: np.resize(np.float32([1, 0]), rows) for name in ("reward", "traps")}
        reals["stands_for"] = np.ones(rows, np.float32)
        columns = {
            "key": keys_of(placed, rows),
            "kind": pa.array(np.resize(SOURCES, rows)).dictionary_encode(),
            "value": np.resize(np.int8([1, 0, -1]), rows),
        }
        split = {"validation": np.resize([True, False], rows)}
        run.write(f"pieces-{placed:02d}", pa.table(columns | reals | split))


def write_reward(folder: Path) -> None:
    config = {"seed": 0, "method": "ridge", "dataset": {"seed": 0, "positions": 100}}
    run, weights = write(folder, "reward", config), read_shipped(MINDS / "beam" / "reward.parquet")
    judged = {"boards": {"positions": 2, "error": 1.0, "signs": None, "nearest": 1.0}}
    for placed in range(FIRST, LAST + 1):
        rows = weights.filter(np.asarray(weights["placed"]) == placed)
        measured = {"placed": placed, "judged": judged, "traps": None}
        run.write(f"pieces-{placed:02d}", rows, measured)
    run.write("mind", weights, {"holds": "beam reward", "made_by": "a test"})


def write_turns(folder: Path) -> None:
    run = write(folder, "turns", {"seed": 0, "positions": 10})
    for placed in NETS:
        columns = {
            "position": np.arange(8) // 2,
            "key": keys_of(placed, 8),
            "value": np.resize(np.int8([1, 0, -1]), 8),
            "validation": np.arange(8) >= 4,
        }
        run.write(f"pieces-{placed:02d}", pa.table(columns))


def write_net(folder: Path) -> None:
    nets = {placed: random_weights(0, placed) for placed in NETS}
    config = {"seed": 0, "passes": 1, "rate": 0.1, "turns": {"seed": 0, "positions": 10}}
    about = {"holds": HOLDS, "made_by": "a test"}
    write(folder, "net", config).write("mind", to_table(nets), about)
