"""The games of a generation, and what they add to the results of its individuals."""

import numpy as np

from evo.evaluate import Evaluator, Games
from evo.fitness import add_results, known_shares, luck_of
from evo.individual import Individual


def play_generation(
    evaluator: Evaluator, number: int, survivors: list[Individual], newborn: list[Individual]
) -> None:
    """Play this generation's games: every individual meets the same ones, survivors meet more.

    All of them meet the same luck, too. The survivors, whose strength is known, show how much: it
    is taken out, so that a generation that was born to easy games does not look stronger.
    """
    problem = evaluator.problem
    config, scoring = problem.config, problem.scoring
    known, changing = known_shares(survivors, scoring), problem.changing
    for one in survivors:
        one.counts = np.where(changing[:, np.newaxis], 0, one.counts)
        one.points = np.where(changing, 0.0, one.points)
    population = newborn + survivors
    groups = [Games(np.array(population, np.float64), 0, config.games)]
    if survivors and config.again > config.games:
        more = config.again - config.games
        groups.append(Games(np.array(survivors, np.float64), config.games, more))
    results = evaluator.evaluate(number, groups)
    for players, result in zip((population, survivors), results, strict=False):
        seen = result[len(players) - len(survivors) :]
        luck = np.where(changing, 0.0, luck_of(known, seen, scoring))
        add_results(players, result, luck, scoring)
