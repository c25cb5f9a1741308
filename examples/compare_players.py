"""A small tournament that compares players, as tables and as a DataFrame.

python examples/compare_players.py
"""

import arena

players = ["evolved", "pro", "shallow=pro:bound=1,value=1", "hardcoded", "rulebased"]
standings = arena.tournament(players, games=100, seed=1, workers=0)
print(standings.elo)
print(standings.points)

table = standings.elo.to_pandas().set_index("player")
behind = table.loc["evolved", "elo"] - table.loc["shallow", "elo"]
print(f"evolved is {behind:.0f} Elo stronger than shallow")
