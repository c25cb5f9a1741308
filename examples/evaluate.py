"""Judges a player for tools that evolve programs, such as OpenEvolve and ShinkaEvolve.

python examples/evaluate.py examples/my_player.py                     prints the metrics
python evaluate.py --program_path player.py --results_dir results     as ShinkaEvolve calls it
evaluate("player.py")                                                 as OpenEvolve calls it

The program holds a class as in examples/my_player.py or a compiled player; the last class of the
file plays. It is asked in positions of the test set, whose exact values are stored.
"""

import argparse
import ast
import json
import time
from pathlib import Path

import agents
from agents import HouseRules, Player, PlayerError
from agents.guests.source import Source, is_derived
from engine import Position
from engine.notation import cell_name
from oracle import testset

EVERY = 20  # one in 20 of 8,000 positions is asked
MOST_SHOWN = 5
SECONDS = 2.0  # that a decision may take
# True: the program gets no network and cannot write outside its folder; needs bubblewrap on Linux
SANDBOX = False
WORDS = {1: "a win", 0: "a draw", -1: "a loss"}


def load(path: str) -> Player:
    """Return the player that a file holds. Raise ValueError if it holds none."""
    try:
        nodes = ast.parse(Path(path).read_text()).body
    except SyntaxError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}") from None
    names = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    if not names:
        raise ValueError("the program has no class")
    if SANDBOX and is_derived(Source.read(path), names[-1], "agents"):
        raise ValueError("a compiled player would not be in the sandbox: write a plain class")
    return agents.make(f"{path}:{names[-1]}", HouseRules(seconds=SECONDS, sandbox=SANDBOX))


def ask(player: Player, position: Position, number: int) -> tuple[int, int]:
    """Return the cell and the piece of a turn."""
    cell = player.place(position, number)
    return cell, player.give(position.place(cell), number)


def judge(path: str) -> tuple[dict[str, float], str]:
    """Return the metrics of a program and its worst turns as text. Raise ValueError or PlayerError
    if the program does not play."""
    player, questions = load(path), testset.read()[::EVERY]
    # not measured: it starts the program, or compiles it
    ask(player, questions[0].position, 0)
    counts: dict[int, list[bool]] = {}
    errors, spent = [], 0.0
    for number, (position, value, turns) in enumerate(questions):
        player.new_game(number)
        started = time.perf_counter()
        cell, piece = ask(player, position, number)
        spent += time.perf_counter() - started
        left = int(turns[cell, piece])
        counts.setdefault(position.placed, []).append(left == value)
        if left < value:
            turn = f"{cell_name(cell)} and giving {piece:x}"
            text = f"{position.to_text()}: {WORDS[value]}, but {turn} leaves {WORDS[left]}"
            errors.append((left - value, number, text))
    right = {f"right_{n}_pieces": sum(kept) / len(kept) for n, kept in counts.items()}
    score = sum(map(sum, counts.values())) / len(questions)
    metrics = {"combined_score": score, **right, "ms_per_turn": 1000 * spent / len(questions)}
    worst = [text for _, _, text in sorted(errors)[:MOST_SHOWN]]
    return metrics, "\n".join(worst) or "every turn keeps the value"


def evaluate(program_path: str):
    """Return the metrics, and for OpenEvolve the worst turns as an artifact."""
    try:
        metrics, text = judge(program_path)
    except (ValueError, PlayerError) as error:
        metrics, text = {"combined_score": 0.0}, str(error)
    try:
        from openevolve.evaluation_result import EvaluationResult
    except ImportError:
        return metrics
    return EvaluationResult(metrics=metrics, artifacts={"feedback": text})


def write_results(program_path: str, results_dir: Path) -> None:
    """Write metrics.json and correct.json, which ShinkaEvolve reads."""
    metrics, text, error = {"combined_score": 0.0}, "", ""
    try:
        metrics, text = judge(program_path)
    except (ValueError, PlayerError) as problem:
        error = text = str(problem)
    public = {name: value for name, value in metrics.items() if name != "combined_score"}
    shown = {"combined_score": metrics["combined_score"], "public": public, "private": {}}
    results = {"metrics": {**shown, "extra_data": {}, "text_feedback": text}}
    results["correct"] = {"correct": not error, "error": error}
    results_dir.mkdir(parents=True, exist_ok=True)
    for name, contents in results.items():
        (results_dir / f"{name}.json").write_text(json.dumps(contents, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--program_path", "--program-path")
    parser.add_argument("--results_dir", "--results-dir", type=Path)
    options = parser.parse_args()
    program = options.program_path or options.program or parser.error("name a program")
    if options.results_dir:
        write_results(program, options.results_dir)
    else:
        try:
            metrics, text = judge(program)
        except (ValueError, PlayerError) as error:
            parser.error(str(error))
        print(json.dumps(metrics, indent=1), text, sep="\n")
