"""The script of the README: analyse, play, evolve, and read a run.

python examples/newcomer.py
"""

import agents
import arena
import engine
import evo
import store

position = engine.Position.parse("4.../c.b./7.1./3ed. 0")
print("cells that keep the win:", engine.analyse(position).best())
print("pro plays:", agents.make("pro").place(position))
print("pro against rulebased:", arena.play("pro", "rulebased", games=1000))
print(arena.tournament(["hardcoded", "rulebased", "pro"], games=100, workers=0).elo)

small = {"population": 20, "offspring": 20, "games": 20, "fresh": 100, "workers": 0}
champion = evo.evolve("ga", generations=3, store="runs/first", **small)
print("champion against random:", arena.play(champion, "random", games=1000))

fitness = store.Run("runs/first").table("fitness")
most = fitness.group_by("opponent", use_threads=False).aggregate([("wins", "max")])
print(most.to_pydict())
