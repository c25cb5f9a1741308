"""Review games by the oracle: every decision of a game with its exact value before and after, or a
summary of many games.

    python -m oracle.review games.txt                  all games of a file: accuracy, mistakes by
                                                       number of pieces and by kind, and the ten
                                                       most instructive positions
    python -m oracle.review games.txt --game 3         the third game, decision by decision
    python -m oracle.review RUN --match 2 --game 3     of a run of recorded games; without --game
                                                       a summary of the match, without both of all

Files of games come from `python -m terminal A B --save FILE`, recorded games from
`python -m arena.run A B --record`.

A decision is marked ?? if it turns a win into a loss, ? if it loses half of that, ! if it is the
only one that keeps the value. Distances count placements: a win in 1 is the next placement. "at
stake" counts the decisions in which moves differ in value; moves of an opening do not count.
The most instructive mistakes cost most, then had the fewest right moves, and are then shown by the
shortest win, of two placements at least.
"""

import json
from collections.abc import Iterator
from itertools import chain, islice, zip_longest
from pathlib import Path
from textwrap import shorten, wrap
from typing import Any

from arena.draw import winning_line
from arena.game_file import load_games
from arena.recorded import GAMES, game_steps, read_recorded
from console.command import command
from console.config import Config, argument, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import printable
from engine.exact.solver import WORDS
from engine.game_text import DRAW, SEATS, UNFINISHED, GameText
from engine.lines import CELLS
from engine.notation import cell_name
from oracle.judge import Judged, accuracy, judge_each, turning_point, verdict
from oracle.summary import MAX_GAMES, Summary, facts, tables
from store import Run

# columns of the text: one for move numbers and one for each player, 79 characters in all
MARGIN, COLUMN = 9, 35
WIDTH = MARGIN + 2 * COLUMN


class GameConfig(Config):
    """Games of a file, or of a run."""

    source: str = argument("a run or a file of games", metavar="RUN_OR_FILE")
    game: int | None = option(
        None,
        "review the game of this number (default: a summary if there are several)",
        least=1,
        metavar="N",
    )
    match: int | None = option(
        None,
        "review this match of a run (default: all, with --game the first)",
        least=0,
        metavar="M",
    )
    most: int = option(
        MAX_GAMES, "review only the first N games in a summary", least=1, metavar="N"
    )

    def is_file(self) -> bool:
        """Return whether the source is a file; raise BadInput if it is nothing."""
        source, match = self.source, self.match
        if Path(source).is_file():
            if match is not None:
                raise BadInput(f"--match {match}: {source} is a file, only runs have matches")
            return True
        if "://" not in source and not Path(source).exists():
            raise BadInput(f"{source}: there is no such file, and no such run")
        return False

    def steps(self, run: Run) -> list[str]:
        """Return the steps of the run with the games to review."""
        return game_steps(run, GAMES if self.match is None else f"{GAMES}-{self.match:04d}")

    def games(self) -> Iterator[GameText]:
        if self.is_file():
            return load_games(self.source)
        run = Run(self.source)
        return chain.from_iterable(read_recorded(run, step) for step in self.steps(run))

    @property
    def is_many(self) -> bool:
        return self.game is None and len(list(islice(self.games(), 2))) > 1

    def chosen_game(self) -> GameText:
        """Return the game that the options name; raise BadInput if it does not exist."""
        # of a run, these are the games of its first match
        number, count = self.game or 1, 0
        for count, game in enumerate(islice(self.games(), number), 1):
            if count == number:
                return game
        games = f"{count or 'no'} game{'s' * (count != 1)}"
        raise BadInput(f"--game {number}: {self.source} holds {games}")


class ReviewConfig(GameConfig):
    json: bool = option(False, "print one JSON object instead")


def report(game: GameText, decisions: list[Judged]) -> dict[str, Any]:
    """Return the review of a game, as JSON has it."""
    own, end = decisions[game.prescribed :], game.positions()[-1]
    decisive = turning_point(reversed(own))
    line = winning_line(end)
    text = verdict(game, decisive) if decisive else "no decision lost exact value"
    if game.failure:
        seat, reason = game.failure
        text = f"{game.players[SEATS.index(seat)]} lost by failing: {reason}"
    return {
        "headers": game.headers,
        "players": list(game.players),
        "result": game.result,
        "moves": game.moves_text,
        "end": end.to_text(),
        "winning_line": [cell_name(cell) for cell in range(CELLS) if line >> cell & 1],
        "decisions": [decision._asdict() for decision in decisions],
        "accuracy": {seat: accuracy(own, seat)._asdict() for seat in SEATS},
        # counted from 0
        "turning_point": decisions.index(decisive) if decisive else None,
        "verdict": text,
    }


def as_text(report: dict[str, Any]) -> str:
    """Return a review in 79 columns: a line for each move, with a column for each player."""
    decisions, players = [Judged(**row) for row in report["decisions"]], report["players"]
    lines = [f"{players[0]} {verb(players[0], 'give')} first; {outcome(report)}", ""]
    lines.append(_row("", *map(_cut, players)))
    for pair in zip_longest(decisions[::2], decisions[1::2]):
        by_seat = {decision.player: decision for decision in pair if decision}
        names = dict(zip(SEATS, players, strict=True))
        cells = [_decision(by_seat.get(seat), names[seat]) for seat in SEATS]
        lines.append(_row(f"{pair[0].number:7}", *cells))
        better = [_better(by_seat.get(seat)) for seat in SEATS]
        lines += [_row("", *better)] if any(better) else []
    counts = [report["accuracy"][seat] for seat in SEATS]
    lines.append("")
    lines.append(_row("at stake", *(_share(count["right"], count["at_stake"]) for count in counts)))
    lines.append(_row("of all", *(_share(count["kept"], count["decisions"]) for count in counts)))
    return "\n".join([*lines, *wrap(report["verdict"], WIDTH)])


def verb(player: str, word: str) -> str:
    """Return the form of a verb for a player's name: "pro wins", "you win"."""
    return word if player == "you" else f"{word}s"


def outcome(report: dict[str, Any]) -> str:
    if report["result"] in (DRAW, UNFINISHED):
        return {DRAW: "a draw", UNFINISHED: "not finished"}[report["result"]]
    winner = report["players"][SEATS.index(report["result"].split()[0])]
    return f"{winner} {verb(winner, 'win')}"


def _row(margin: str, left: str, right: str) -> str:
    return f"{margin:{MARGIN}}{left:{COLUMN}}{right}".rstrip()


def _cut(text: str) -> str:
    return shorten(text, COLUMN - 2, placeholder=" ...")


def _decision(one: Judged | None, player: str) -> str:
    if not one:
        return ""
    move = f"{verb(player, 'give')} {one.move}" if one.kind == "give" else one.move
    before, after = _value(one.value, one.distance), _value(one.after, one.after_distance)
    return f"{move:8}{one.mark:3}{before if before == after else f'{before} > {after}'}"


def _value(value: int, distance: int | None) -> str:
    return f"{WORDS[value]} in {distance}" if distance else WORDS[value]


def _better(one: Judged | None) -> str:
    return _cut(f"better: {' '.join(one.better)}") if one and one.lost else ""


def _share(part: int, of: int) -> str:
    return f"{part} of {of} kept the value, {100 * part / of:.0f} %" if of else "none"


def review_with_progress(game: GameText) -> dict[str, Any]:
    """Return the review of a game, with a progress line in the meantime."""
    decisions = []
    with Progress("reviewing", "decisions", len(game.moves)) as progress:
        for decision in judge_each(game):
            decisions.append(decision)
            progress.show(len(decisions))
    return report(game, decisions)


def summary_with_progress(config: GameConfig) -> dict[str, Any]:
    """Return the summary of the games, with a progress line in the meantime."""
    summary, games = Summary(), list(islice(config.games(), config.most + 1))
    summary.is_cut = len(games) > config.most
    with Progress("reviewing", "games", min(len(games), config.most)) as progress:
        for game in games[: config.most]:
            summary.add(game)
            progress.show(summary.games)
        return summary.as_json()


def print_summary(summary: dict[str, Any]) -> None:
    print("".join(f"{name} {value}\n" for name, value in facts(summary).items()))
    if summary["is_cut"]:
        print(f"only the first {summary['games']:,} games are reviewed: --most N takes more\n")
    for title, rows in tables(summary).items():
        print_table(rows, f"{title}:")
        print()
    print("The most instructive mistakes:" if summary["instructive"] else "no mistake")
    for lesson in summary["instructive"]:
        where = f"game {lesson['game']}, move {lesson['number']}: {lesson['position']}"
        shown = f"{lesson['shown_by']}: {' '.join(lesson['line'])}"
        lines = [line for text in (lesson["sentence"], shown) for line in wrap(text, WIDTH - 4)]
        print(printable("\n    ".join([where, *lines])))


def review_and_print(config: ReviewConfig) -> None:
    if config.is_many:
        summary = summary_with_progress(config)
        print(json.dumps(summary)) if config.json else print_summary(summary)
        return
    reviewed = review_with_progress(config.chosen_game())
    print(json.dumps(reviewed) if config.json else as_text(reviewed))


main = command("oracle.review", __name__, __doc__, ReviewConfig, review_and_print)
