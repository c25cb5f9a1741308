"""Records a small tournament and reads the stored run.

python examples/read_run.py
"""

from collections import Counter

import arena
import store
from engine.notation import cell_name

arena.tournament(["hardcoded", "rulebased"], record=True, games=100, workers=0, store="runs/rec")

run = store.Run("runs/rec")
print("steps:", ", ".join(run.steps()))
print("made with:", run.about("match-0000")["config"])

games = run.table("games").to_pylist()
for (seat, result), count in sorted(Counter((g["seat"], g["result"]) for g in games).items()):
    print(f"seat {seat}, result {result:+d}: {count} games")

moves = games[0]["moves"]
turns = zip(moves[::2], moves[1::2], strict=False)
print("first game:", " ".join(f"{piece:x}-{cell_name(cell)}" for piece, cell in turns))
