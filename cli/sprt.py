"""The sequential test for given results: counts of pairs of games or of games, the best first.

    python -m cli.sprt 390 16974 36229 16618 365 --sprt 0,2 --normalised
                                            pairs with 2, 3/2, 1, 1/2 and 0 points
    python -m cli.sprt 21404 40708 21184 --sprt 0.5,2.5
                                            wins, draws and losses of games without pairing

Exit code: 0 stronger by ELO1 rather than ELO0, 3 not, 4 undecided.
"""

import numpy as np

from arena.pentanomial import bound, decide, elo_of_pairs, likelihood_ratio, normalised_elo
from arena.run import EXIT_CODES, read_bounds
from console.command import command
from console.config import Config, argument, option
from console.errors import BadInput


class SprtConfig(Config):
    counts: list[str] = argument("five counts of pairs or three of games", metavar="COUNT")
    sprt: str = option("0,10", "hypotheses", metavar="ELO0,ELO1")
    normalised: bool = option(False, "both are normalised Elo")

    def check(self) -> None:
        self.bounds = read_bounds(self.sprt)
        if len(self.counts) not in (3, 5) or not all(text.isdecimal() for text in self.counts):
            text = " ".join(self.counts)
            raise BadInput(f"COUNT {text!r}: give five counts of pairs or three of games")
        self.pairs = np.array(self.counts[::-1], np.int64)
        if not self.pairs.any():
            raise BadInput("COUNT: no games: give at least one")


def test_and_print(config: SprtConfig) -> int:
    ratio = float(likelihood_ratio(config.pairs, *config.bounds, config.normalised))
    decision, (low, high) = decide(ratio), config.bounds
    print(f"Elo difference        {elo_of_pairs(config.pairs)}")
    print(f"normalised Elo        {normalised_elo(config.pairs)}")
    print(f"log likelihood ratio  {ratio:+.2f} (bounds +-{bound():.2f})")
    verdict = [f"not stronger by {high:g}", f"stronger by {high:g} rather than {low:g}"]
    print("undecided" if decision is None else verdict[decision])
    return EXIT_CODES[decision]


main = command("cli.sprt", __name__, __doc__, SprtConfig, test_and_print)
