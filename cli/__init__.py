"""Every command of the project under one name: `quarto-evo evolve` is `python -m evo.run`."""

from typing import NamedTuple

import console as console  # first: it hears Ctrl-C


class Command(NamedTuple):
    """`python -m module`; `main`: the module that holds its main function, if it is another."""

    module: str
    about: str
    main: str = ""


# by what follows `quarto-evo`
COMMANDS = {
    "play": Command("terminal", "play on the terminal, or watch two players", "terminal.game"),
    "players": Command("agents", "who there is, and what they take", "agents.__main__"),
    "tournament": Command("arena.run", "everybody against everybody, with Elo and error bars"),
    "accuracy": Command(
        "oracle.accuracy",
        "how many decisions of a player keep the exact value",
        "oracle.measure_accuracy",
    ),
    "conform": Command("arena.conform", "does a program speak the protocol of players?"),
    "review": Command("oracle.review", "a game, every decision with its exact value"),
    "annotate": Command("oracle.annotate", "mark every decision of recorded games"),
    "openings": Command("oracle.openings", "the first positions, and what games made of them"),
    "puzzles": Command("oracle.puzzles", "positions of games in which one turn alone wins"),
    "evolve": Command("evo.run", "evolve a player"),
    "selfplay": Command("selfplay.run", "learn from self-play"),
    "dataset": Command("selfplay.fit.dataset", "positions with their exact rewards, to learn from"),
    "fit-reward": Command("selfplay.fit.fit_reward", "learn the reward function of beam"),
    "turns": Command("selfplay.fit.turns", "turns with their exact values, to learn from"),
    "fit-net": Command("selfplay.fit.fit_net", "learn the nets of sprint"),
    "solve": Command("engine.solve", "the exact value of positions, the distance, the best line"),
    "compile": Command("engine.compile", "compile every kernel now, on all cores"),
    "book": Command("oracle.book", "make the book of all positions to six pieces again"),
    "prove": Command("oracle.solve", "solve positions on all cores, the empty board above all"),
    "web": Command("web", "all of it in the browser: play, analyse, runs, league", "web.__main__"),
    "runs": Command("cli.runs", "list runs, compare two, remove one"),
    "show": Command("cli.show", "what a run holds, as tables or CSV"),
    "games": Command("arena.recorded", "the recorded games of a run, as text"),
    "page": Command("web.pages", "a page of any run or game, as one file", "web.pages.__main__"),
}
