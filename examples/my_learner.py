"""A player that learns from its own games the value of leaving a given number of safe pieces:

python -m selfplay.run --learner examples/my_learner.py:MyLearner
"""

import pyarrow as pa
from my_genome import Worth

from agents.mind import make_mind
from engine import Position
from selfplay import ITSELF, Games, Learner


class MyLearner(Learner):
    mix, games, round = {ITSELF: 0.5, "random": 0.5}, 4_000, 500

    def summarise(self, games: Games) -> pa.Table:
        """Return one row a placement: the number of safe pieces that it left, and the result."""
        rows = []
        for moves, result, gives_first in games:
            position = Position.start()
            for i, move in enumerate(moves):
                position = position.play(move)
                if i % 4 == (3 if gives_first else 1):
                    left = "win" if position.is_won else str(min(len(position.safe_pieces()), 3))
                    rows.append({"left": left, "result": result})
        return pa.Table.from_pylist(rows, pa.schema({"left": pa.string(), "result": pa.int8()}))

    def update(self, state: pa.Table | None, summaries: list[pa.Table]) -> pa.Table:
        """Return all rows so far."""
        return pa.concat_tables(summaries if state is None else [state, *summaries])

    def player(self, state: pa.Table | None, exploration: float) -> Worth:
        """Return a player whose genes are mean results; with all genes 0 it plays at random."""
        if state is None:
            return Worth()
        means = state.group_by("left").aggregate([("result", "mean")]).to_pylist()
        worth = {row["left"]: row["result_mean"] for row in means}
        genes = [worth.get(left, 0.0) for left in ("win", "0", "1", "2", "3")]
        return Worth().with_mind(make_mind([*genes, 1.0]), "worth")
