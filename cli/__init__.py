"""All commands under one name: `quarto-evo evolve` is `python -m evo.run`."""

from typing import NamedTuple

import console as console  # first: it handles Ctrl-C during imports


class Command(NamedTuple):
    """`python -m module`; `main`: the module with its main function, if it is another one."""

    module: str
    about: str
    main: str = ""


# by the word after `quarto-evo`
COMMANDS = {
    "play": Command("terminal", "play on the terminal, or watch two players", "terminal.__main__"),
    "players": Command("agents", "list the players and their options", "agents.__main__"),
    "tournament": Command("arena.run", "play all pairs of players, with Elo and error bars"),
    "compare": Command("oracle.compare", "decide whether a changed player is better"),
    "sprt": Command("cli.sprt", "the sequential test for given results of pairs of games"),
    "accuracy": Command(
        "oracle.accuracy",
        "measure how many decisions of a player keep the exact value",
        "oracle.measure_accuracy",
    ),
    "conform": Command("arena.conform", "check that a program speaks the protocol of players"),
    "review": Command("oracle.review", "review a game: every decision with its exact value"),
    "annotate": Command("oracle.annotate", "mark every decision of recorded games"),
    "certify": Command("oracle.certify", "list the turns of a player that can lose, to a depth"),
    "openings": Command(
        "oracle.openings", "the first positions and the results of games from them"
    ),
    "puzzles": Command("oracle.puzzles", "positions of games in which only one turn wins"),
    "evolve": Command("evo.run", "evolve a player"),
    "selfplay": Command("selfplay.run", "learn from self-play"),
    "dataset": Command("selfplay.fit.dataset", "make training positions with their exact rewards"),
    "fit-reward": Command("selfplay.fit.fit_reward", "learn the reward function of beam"),
    "turns": Command("selfplay.fit.turns", "make training turns with their exact values"),
    "fit-net": Command("selfplay.fit.fit_net", "learn the nets of sprint"),
    "solve": Command("engine.solve", "exact value, distance and best line of positions"),
    "compile": Command("engine.compile", "compile every kernel now, on all cores"),
    "book": Command("oracle.book", "make the book of all positions of up to six pieces"),
    "prove": Command("oracle.solve", "solve positions on all cores, such as the empty board"),
    "web": Command("web", "the web server: play, analyse, runs, league", "web.__main__"),
    "site": Command(
        "web.site", "write a static site: play, analyse, league, puzzles", "web.site.__main__"
    ),
    "runs": Command("cli.runs", "list runs, compare two, remove one"),
    "show": Command("cli.show", "show a run as tables or CSV"),
    "games": Command("arena.recorded", "print the recorded games of a run"),
    "page": Command(
        "web.pages", "write the page of a run or game as one file", "web.pages.__main__"
    ),
}
