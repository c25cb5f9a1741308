"""A player that learns from its own games what it is worth to leave so many safe pieces:

python -m selfplay.run --learner examples/my_learner.py:MyLearner
"""

import pyarrow as pa
from my_genome import Worth

from agents.mind import make_mind
from engine import Position
from selfplay import ITSELF, Learner, PlayedGame


class MyLearner(Learner):
    first_player = Worth  # all genes 0: it plays by chance
    mix = {ITSELF: 0.5, "random": 0.5}
    games, round = 4_000, 500

    def keep(self, games: list[PlayedGame]) -> pa.Table:
        """A row for each of its placements: how many safe pieces it left, what came of it."""
        rows = []
        for moves, result, gives_first in games:
            position = Position.start()
            for i, move in enumerate(moves):
                position = position.play(move)
                if i % 4 == (3 if gives_first else 1):
                    left = "win" if position.is_won else str(min(len(position.safe_pieces()), 3))
                    rows.append({"left": left, "result": result})
        return pa.Table.from_pylist(rows, pa.schema({"left": pa.string(), "result": pa.int8()}))

    def player(self, known: pa.Table, exploration: float) -> Worth:
        """Its genes: the mean result of each."""
        means = known.group_by("left").aggregate([("result", "mean")]).to_pylist()
        worth = {row["left"]: row["result_mean"] for row in means}
        genes = [worth.get(left, 0.0) for left in ("win", "0", "1", "2", "3")]
        return Worth().with_mind(make_mind([*genes, 1.0]), "worth")
