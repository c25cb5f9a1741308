"""What is kept: makes a small tournament with every move, and reads it again.

python examples/read_run.py
"""

import arena
import store

arena.tournament(["hardcoded", "rulebased"], record=True, games=100, workers=0, store="runs/rec")

run = store.Run("runs/rec")
print("steps:", ", ".join(run.steps()))
print("made with:", run.about("match-0000")["config"])

games = run.table("games").to_pandas()
print(games.groupby("seat")["result"].value_counts())

moves = games.moves[0]
print("first game:", " ".join(f"{moves[i]:x}-{moves[i + 1]}" for i in range(0, len(moves) - 1, 2)))
