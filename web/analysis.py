"""What the oracle says of a position, told bit by bit: the value of every move as soon as it is
known, then how far the win is, then how the game goes on if both play well."""

import time
from collections.abc import Iterator
from typing import Any

from engine.exact.solver import default_solver
from engine.game_text import GameText
from engine.notation import move_name
from engine.position import NONE, Position
from engine.solve import Told, answer
from oracle.judge import Judged, judge_each
from oracle.review import report

Event = dict[str, Any]


def whole(position: Position, distance: bool, line: bool) -> Event:
    """All at once, as `python -m engine.solve --moves --json` prints it."""
    told = Told(positions=[], moves=True, distance=distance, line=line)
    return answer(default_solver(), position, told)


def quick_first(position: Position) -> list[int]:
    """Legal moves, those first that need no search: cells that win, pieces that lose."""
    if position.hand == NONE:
        safe = set(position.safe_pieces())
        return sorted(position.legal(), key=lambda piece: piece in safe)
    winning = set(position.winning_cells())
    return sorted(position.legal(), key=lambda cell: cell not in winning)


def value_of(position: Position, move: int) -> int:
    """For whoever makes it: after placing the same player acts again, after giving the other."""
    value = default_solver().solve(position.play(move))
    return -value if position.hand == NONE else value


def distance_of(position: Position, move: int) -> int | None:
    after = position.play(move)
    if position.hand == NONE:
        return default_solver().distance(after)
    if after.is_won:
        return 1
    distance = default_solver().distance(after)
    return distance and distance + 1


def steps(position: Position) -> Iterator[Event]:
    """`{"move": "b3", "value": 1}` for every move, and so on: docs/web.md tells the rest."""
    solver, started = default_solver(), time.perf_counter()
    nodes = solver.nodes
    giving = position.hand == NONE
    yield {"position": position.to_text(), "kind": "give" if giving else "place"}
    values: dict[int, int] = {}
    for move in quick_first(position):
        values[move] = value_of(position, move)
        yield {"move": move_name(position, move), "value": values[move]}
    value = max(values.values()) if values else solver.solve(position)
    best = [move for move in values if values[move] == value]
    only = move_name(position, best[0]) if len(best) == 1 < len(values) else None
    yield {"value": value, "only": only, "over": position.is_over}
    far: list[int] = []
    for move in values:
        if distance := distance_of(position, move) if values[move] else None:
            far += [distance] if values[move] == value else []
            yield {"move": move_name(position, move), "distance": distance}
    yield {"distance": (min(far) if value == 1 else max(far)) if far else None}
    line, here = [], position
    for move, alone in solver.best_line(position):
        line.append(move_name(here, move) + "!" * alone)
        here = here.play(move)
    seconds = round(time.perf_counter() - started, 6)
    yield {"line": line, "nodes": solver.nodes - nodes, "seconds": seconds, "done": True}


def review_steps(game: GameText) -> Iterator[Event]:
    """Every decision of a game as it is judged, then all that `python -m oracle.review --json`
    tells of it."""
    decisions: list[Judged] = []
    yield {"decisions": len(game.moves)}
    for one in judge_each(game):
        decisions.append(one)
        yield {"judged": len(decisions)}
    yield {"review": report(game, decisions), "done": True}
