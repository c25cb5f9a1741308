"""examples/evaluate.py, called as tools that evolve programs call it, without these tools."""

import importlib.util
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType

import pytest

from tests.examples.test_examples import ROOT, run

EVALUATE, PLAYER = ROOT / "examples/evaluate.py", ROOT / "examples/my_player.py"
STAGES = {f"right_{placed}_pieces" for placed in range(5, 13)}
ILLEGAL = """
class Mine:
    def __init__(self, game):
        self.game = game

    def place_piece(self):
        return 7, 7

    def choose_piece(self):
        return 0
"""


@dataclass
class EvaluationResult:
    """Has the fields of OpenEvolve's class of this name."""

    metrics: dict[str, float]
    artifacts: dict[str, str] = field(default_factory=dict)


def load():
    """Return the module, imported as OpenEvolve does, with fewer positions."""
    spec = importlib.util.spec_from_file_location("evaluation_module", EVALUATE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.EVERY = 100
    return module


@pytest.fixture
def openevolve(monkeypatch):
    library = ModuleType("openevolve.evaluation_result")
    library.EvaluationResult = EvaluationResult
    monkeypatch.setitem(sys.modules, "openevolve", ModuleType("openevolve"))
    monkeypatch.setitem(sys.modules, library.__name__, library)


def in_thread(function, *arguments):
    with ThreadPoolExecutor(max_workers=1) as executor:
        return executor.submit(function, *arguments).result()


def test_openevolve_gets_metrics_and_the_worst_turns_as_an_artifact(openevolve):
    result = in_thread(load().evaluate, str(PLAYER))
    assert isinstance(result, EvaluationResult)
    assert result.metrics.keys() == {"combined_score", "ms_per_turn"} | STAGES
    assert all(isinstance(value, float) for value in result.metrics.values())
    worst = result.artifacts["feedback"].splitlines()
    assert len(worst) == 5 and "a win, but" in worst[0] and "leaves a loss" in worst[0]


def test_the_metrics_are_the_same_each_time_except_for_the_time():
    first, second = (load().evaluate(str(PLAYER)) for _ in range(2))
    assert first.pop("ms_per_turn") > 0 and second.pop("ms_per_turn") > 0
    assert first == second and 0.2 < first["combined_score"] < 0.6


def test_a_compiled_player_that_never_errs_has_the_full_score(tmp_path):
    program = tmp_path / "best.py"
    program.write_text(
        "from agents.search.exact import Perfect\n\n\nclass Best(Perfect):\n    name = 'best'\n"
    )
    metrics, text = load().judge(str(program))
    assert metrics["combined_score"] == 1.0 and text == "every turn keeps the value"


def test_no_program_is_executed_outside_the_sandbox(tmp_path):
    program, mark = tmp_path / "best.py", tmp_path / "mark"
    program.write_text(
        "from agents.search.exact import Perfect\n"
        f"open({str(mark)!r}, 'w')\n\n\nclass Best(Perfect):\n    pass\n"
    )
    module = load()
    module.SANDBOX = True
    with pytest.raises(ValueError, match="would not be in the sandbox"):
        module.judge(str(program))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        (ILLEGAL, "not a free cell"),
        ("class Mine:\n  def\n", "line 2: invalid syntax"),
        ("x = 1\n", "no class"),
        ("import nowhere\n\n\nclass Mine:\n    pass\n", "nowhere"),
    ],
)
def test_a_program_that_does_not_play_has_score_zero_and_the_reason(
    program, problem, openevolve, tmp_path
):
    file = tmp_path / "program.py"
    file.write_text(program)
    result = load().evaluate(str(file))
    assert result.metrics == {"combined_score": 0.0} and problem in result.artifacts["feedback"]


def test_shinkaevolve_gets_its_two_files(tmp_path):
    results, bad = tmp_path / "results", tmp_path / "bad.py"
    run(tmp_path, str(EVALUATE), "--program_path", str(PLAYER), "--results_dir", str(results))
    metrics, correct = (
        json.loads((results / f"{name}.json").read_text()) for name in ("metrics", "correct")
    )
    assert correct == {"correct": True, "error": ""}
    assert metrics.keys() == {"combined_score", "public", "private", "extra_data", "text_feedback"}
    assert 0.2 < metrics["combined_score"] < 0.6 and metrics["public"].keys() > STAGES
    assert "leaves a loss" in metrics["text_feedback"]
    bad.write_text(ILLEGAL)
    run(tmp_path, str(EVALUATE), "--program-path", str(bad), "--results-dir", str(results))
    metrics, correct = (
        json.loads((results / f"{name}.json").read_text()) for name in ("metrics", "correct")
    )
    assert not correct["correct"] and "not a free cell" in correct["error"]
    assert metrics["combined_score"] == 0.0
