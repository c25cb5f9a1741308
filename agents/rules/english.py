"""Strategies in English, for a reader who has only that text, and back."""

import re

from agents.rules.language import Rule, Spelling, Strategy, read_stages, spell_stages
from agents.rules.quantities import COUNT, LEFT, QUANTITIES

ENGLISH = Spelling(
    tuple(quantity.phrase for quantity in QUANTITIES + LEFT),
    plus=" plus ",
    minus=" minus ",
    times="{} x {}",
    rule="leave {} {}",
    worst_rule="keep {} {}",
    to=" to ",
    more=" or more",
)
FRAME = (
    "Take wins. Else play a safe turn: give a piece that wins nowhere. "
    "Choose by these rules; later ones break ties."
)
WORST = "You keep what the opponent's worst safe turn leaves you."
BOTH = "Left is counted for the opponent."
BLOCK = "With {} pieces: {}."
THEN = ", then "


def explain(strategy: Strategy) -> str:
    """Return the strategy in English: what all strategies share, the meaning of its words, and a
    line for each block of stages."""
    blocks = strategy.blocks()
    rules = [rule for block in blocks for rule in block]
    counted = {term.quantity for rule in rules for term in rule.terms}
    quantities = sorted({index % COUNT for index in counted})
    meanings = list(dict.fromkeys(QUANTITIES[index].meaning for index in quantities))
    if any(rule.worst for rule in rules):
        meanings.append(WORST)
    if max(counted, default=0) >= COUNT:
        meanings.append(BOTH)
    lines = [" ".join(filter(None, [FRAME, *meanings]))]
    for block, stages in blocks.items():
        listed = THEN.join(rule.spell(ENGLISH) for rule in block)
        lines.append(BLOCK.format(spell_stages(stages, ENGLISH), listed))
    return "\n".join(lines)


def read_english(text: str) -> Strategy:
    """Return the strategy that a text explains; raise ValueError if it is not such a text."""
    words, rules = " ".join(text.split()), dict[int, tuple[Rule, ...]]()
    pattern = re.escape(BLOCK).replace(r"\{\}", "([^.:]+)", 1).replace(r"\{\}", "([^.]+)")
    for stages, listed in re.findall(pattern, words):
        block = tuple(Rule.read(rule, ENGLISH) for rule in listed.split(THEN))
        rules |= dict.fromkeys(read_stages(stages, ENGLISH), block)
    strategy = Strategy.of(rules)
    if " ".join(explain(strategy).split()) != words:
        raise ValueError("not the English of a strategy, as `python -m agents rules` prints it")
    return strategy


def count_words(strategy: Strategy) -> int:
    """Return the number of words of its English."""
    return len(explain(strategy).split())
