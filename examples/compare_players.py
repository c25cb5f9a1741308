"""A small tournament that compares players, as tables and by number.

python examples/compare_players.py
"""

import arena

players = ["evolved", "pro", "shallow=pro:bound=1,value=1", "hardcoded", "rulebased"]
standings = arena.tournament(players, games=100, seed=1, workers=0)
print(standings.elo)
print(standings.points)

elo = {row.player: row.elo for row in standings.elo}
print(f"evolved is {elo['evolved'] - elo['shallow']:.0f} Elo stronger than shallow")
