"""A genome of trees, programs of DEAP's gp: python -m evo.run --genome examples/my_tree.py:Formula

The value of a cell is a formula of the number of safe pieces that it leaves."""

import operator

from deap import gp
from my_genome import Worth

from evo import TreeGenome

FORMULAS = gp.PrimitiveSetTyped("formula", [float], float, prefix="safe")
for function in (operator.add, operator.sub, operator.mul):
    FORMULAS.addPrimitive(function, [float, float], float)
FORMULAS.addTerminal(1.0, float, "one")


class Formula(TreeGenome):
    player, opponents, fitness = Worth, ("random",), "games+brevity"
    primitives, longest = FORMULAS, 15

    def program(self, text):
        """Return the genes of Worth: a win is worth more than any cell."""
        return [1e6, *(self.run(text, float(safe)) for safe in range(4)), 1.0]
