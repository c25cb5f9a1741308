"""The reviews of many games in one: accuracy by player, mistakes by number of pieces and by kind,
and the most instructive mistakes.

A mistake is a decision that lost exact value. The most instructive mistakes are those

1. that cost most: first the wins that became losses;
2. where the fewest moves were right: first those with a single one;
3. that the shortest win shows: the win that the opponent has afterwards or, if the mistake led to
   a draw, the win that was missed. Wins with the next placement come last: they need no oracle.

Positions that a symmetry maps to each other count once, in the earliest game.
"""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from arena.statistics import interval_text
from console.table import Rows
from engine.exact.solver import WORDS, default_solver, line_names
from engine.game_text import DRAW, SEATS, UNFINISHED, GameText
from engine.lines import CELLS
from engine.position import NONE, Position
from engine.symmetry import canonical_key
from oracle.judge import BLUNDER, Judged, judge

MOST_INSTRUCTIVE = 10
MAX_GAMES = 1000  # in a summary by default; one takes about 6 ms (--most 1000)
MISSED, GAVE = "missed a win with this placement", "gave a piece that wins at once"
COUNTS = ("decisions", "at_stake", "mistakes", "blunders")
RESULTS = ("games", "wins", "draws", "losses")
# value before and after a mistake -> its name
COSTS = {
    (1, -1): "a win became a loss",
    (1, 0): "a win became a draw",
    (0, -1): "a draw became a loss",
}


class Mistake(NamedTuple):
    """A decision that lost value; `number`: of its game, from 1; `ply`: index of its move."""

    number: int
    game: GameText
    ply: int
    position: Position
    decision: Judged

    @property
    def after(self) -> Position:
        return self.position.play(self.game.moves[self.ply])

    @property
    def key(self) -> tuple[int, bool]:
        """The same for positions that a symmetry maps to each other."""
        return canonical_key(self.position), self.position.hand == NONE

    @property
    def rank(self) -> tuple[int, int]:
        """Cost and number of right moves: the lower, the more instructive."""
        return self.decision.after - self.decision.value, len(self.decision.better)

    @property
    def placements(self) -> int:
        """Placements of the win that shows the mistake; CELLS if it is the next placement."""
        shown = self.after if self.decision.after < 0 else self.position
        count = default_solver().distance(shown) or CELLS
        return count if count > 1 else CELLS

    @property
    def overlooked(self) -> str:
        """MISSED, GAVE, or "" for a mistake that needs more than a look at the next placement."""
        if self.decision.kind == "place":
            return MISSED if self.position.winning_cells() else ""
        return GAVE if self.after.winning_cells() else ""


class Summary:
    """Counts of all games added so far."""

    def __init__(self) -> None:
        self.games = 0
        self.is_cut = False  # whether there are games that have not been added
        self.players: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.pieces: defaultdict[int, Counter[str]] = defaultdict(Counter)
        # (kind of decision, cost or oversight) -> mistakes
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.mistakes: list[Mistake] = []

    def add(self, game: GameText) -> None:
        """Judge every decision of a game but those of its opening."""
        self.games += 1
        names, result = dict(zip(SEATS, game.players, strict=True)), game.result
        for seat, name in names.items():
            counts = {DRAW: "draws", UNFINISHED: "unfinished", f"{seat} wins": "wins"}
            self.players[name].update(["games", counts.get(result, "losses")])
        positions = game.positions()
        for ply in range(game.prescribed, len(game.moves)):
            position = positions[ply]
            decision = judge(position, game.moves[ply], False)
            self._count(names[decision.player], decision)
            if decision.lost:
                mistake = Mistake(self.games, game, ply, position, decision)
                self.mistakes.append(mistake)
                cost = COSTS[decision.value, decision.after]
                self.kinds.update((decision.kind, what) for what in (cost, mistake.overlooked))

    def _count(self, name: str, decision: Judged) -> None:
        counted = True, decision.at_stake, decision.lost, decision.mark == BLUNDER
        words = [count for count, is_one in zip(COUNTS, counted, strict=True) if is_one]
        self.players[name].update(words)
        self.pieces[decision.number - 1].update(words)

    def instructive(self) -> list[Mistake]:
        """Return the MOST_INSTRUCTIVE mistakes in different positions, the best first."""
        chosen: dict[tuple[int, bool], Mistake] = {}
        worst = None
        for mistake in sorted(self.mistakes, key=lambda mistake: mistake.rank):
            if worst and mistake.rank > worst:
                break
            chosen.setdefault(mistake.key, mistake)
            worst = mistake.rank if len(chosen) >= MOST_INSTRUCTIVE else None
        # the search for the shortest win is slow, so only for these
        best = sorted(chosen.values(), key=lambda mistake: (*mistake.rank, mistake.placements))
        return best[:MOST_INSTRUCTIVE]

    def as_json(self) -> dict[str, Any]:
        total = sum(self.pieces.values(), Counter())
        return {
            "games": self.games,
            "is_cut": self.is_cut,
            **{count: total[count] for count in COUNTS},
            "players": [
                {"player": name} | {count: counts[count] for count in (*RESULTS, *COUNTS)}
                for name, counts in self.players.items()
            ],
            "pieces": [
                {"pieces": placed} | {count: self.pieces[placed][count] for count in COUNTS}
                for placed in sorted(self.pieces)
            ],
            "kinds": [
                {"decision": kind, "kind": what, "mistakes": self.kinds[kind, what]}
                for what in (*COSTS.values(), MISSED, GAVE)
                for kind in ("place", "give")
            ],
            "instructive": [as_lesson(mistake) for mistake in self.instructive()],
        }


def as_lesson(mistake: Mistake) -> dict[str, Any]:
    """Return a mistake with the win that shows it, as a line of best play."""
    game, ply = mistake.game, mistake.ply
    decision = judge(mistake.position, game.moves[ply])
    shown = mistake.after if decision.after < 0 else mistake.position
    name = game.players[SEATS.index(decision.player)]
    return decision._asdict() | {
        "game": mistake.number,
        "ply": ply,
        "players": list(game.players),
        "player": name,
        "sentence": sentence(name, decision),
        "shown_by": "the opponent wins by" if decision.after < 0 else "the win that was missed",
        "line": line_names(shown, default_solver().best_line(shown)),
        "text": game.to_text(),
    }


def sentence(name: str, decision: Judged) -> str:
    hand, move = decision.position.split()[1], decision.move
    act = f"gave {move}" if decision.kind == "give" else f"placed {hand} on {move}"
    before = worth(decision.value, decision.distance)
    change = f"a {before} became a {worth(decision.after, decision.after_distance)}"
    right, moves = decision.better, len(decision.values)
    kept = f"only {right[0]} keeps" if len(right) == 1 else f"{len(right)} of {moves} moves keep"
    return f"{name} {act}: {change}; {kept} the {WORDS[decision.value]}"


def worth(value: int, distance: int | None) -> str:
    return f"{WORDS[value]} in {distance}" if distance else WORDS[value]


def facts(summary: dict[str, Any]) -> dict[str, str]:
    """Return the key figures of a summary by name."""
    right = summary["at_stake"] - summary["mistakes"]
    return {
        "games": f"{summary['games']:,}",
        "decisions at stake": f"{summary['at_stake']:,}",
        "of these right": share(right, summary["at_stake"]),
        "mistakes": f"{summary['mistakes']:,}",
        "wins that became losses": f"{summary['blunders']:,}",
    }


def tables(summary: dict[str, Any]) -> dict[str, Rows]:
    """Return the tables of a summary by title."""
    players: list[list[str]] = [["player", "games", "won", "drawn", "lost"]]
    players[0] += ["at stake", "right", "95 %", "mistakes"]
    for row in summary["players"]:
        at_stake, right = row["at_stake"], row["at_stake"] - row["mistakes"]
        counts = [f"{row[count]:,}" for count in (*RESULTS, "at_stake")]
        bounds = interval_text(right, at_stake) if at_stake else ""
        accuracy = [share(right, at_stake), bounds, f"{row['mistakes']:,}"]
        players.append([row["player"], *counts, *accuracy])
    pieces = [["pieces", "at stake", "right", "mistakes", "win to loss"]]
    for row in summary["pieces"]:
        if row["at_stake"]:
            right = share(row["at_stake"] - row["mistakes"], row["at_stake"])
            lost = [f"{row['mistakes']:,}", f"{row['blunders']:,}"]
            pieces.append([str(row["pieces"]), f"{row['at_stake']:,}", right, *lost])
    kinds = [["kind of mistake", "placing", "giving"]]
    by_kind = {(row["kind"], row["decision"]): row["mistakes"] for row in summary["kinds"]}
    for what in dict.fromkeys(row["kind"] for row in summary["kinds"]):
        kinds.append([what, *(f"{by_kind[what, kind]:,}" for kind in ("place", "give"))])
    titles = ("Accuracy by player", "Mistakes by number of pieces", "Mistakes by kind")
    return dict(zip(titles, (players, pieces, kinds), strict=True))


def share(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} %" if of else "-"
