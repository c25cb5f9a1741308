"""The games of a generation, and with --racing who stops playing on the way: in rungs of a quarter,
a half and all of a newborn's games. Decisions fall at the end of a rung alone, from the counts of
all: so it makes no difference who plays, or where a run was killed."""

import numpy as np

from arena.statistics import wilson
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Games
from evo.fitness import RESOLUTION, Scoring, add_results, known_shares, luck_of
from evo.individual import Individual

SHARES = (0.25, 0.5, 1.0)  # of a newborn's games, at the end of each rung


def play_generation(
    evaluator: Evaluator, number: int, survivors: list[Individual], newborn: list[Individual]
) -> set[int]:
    """Play this generation's games: everybody meets the same ones, survivors meet more of them.
    Returns the ids of those who fell behind and stopped.

    All meet the same luck, too. How much it is shows on the survivors, whose strength is known: it
    is taken out, so that a generation that was born to easy games is not taken for a better one.
    """
    problem, running = evaluator.problem, newborn
    config, scoring = problem.config, problem.scoring
    known, changing = known_shares(survivors, scoring), problem.changing
    for one in survivors:
        one.counts = np.where(changing[:, np.newaxis], 0, one.counts)
        one.points = np.where(changing, 0.0, one.points)
    first, group = 0, 0
    for end in rung_ends(config):
        everybody = running + survivors
        groups = [Games(np.array(everybody, np.float64), first, end - first)]
        if survivors and not first and config.again > config.games:
            more = config.again - config.games
            groups.append(Games(np.array(survivors, np.float64), config.games, more))
        evaluator.part = first / config.games, end / config.games
        results = evaluator.evaluate(number, groups, group)
        for who, result in zip((everybody, survivors), results, strict=False):
            seen = result[len(who) - len(survivors) :]
            luck = np.where(changing, 0.0, luck_of(known, seen, scoring))
            add_results(who, result, luck, scoring)
        if end < config.games:
            behind = fallen_behind(running + survivors, scoring, config.population)
            running = [one for one in running if one.id not in behind]
        first, group = end, group + len(groups)
    return {one.id for one in newborn} - {one.id for one in running}


def rung_ends(config: EvolveConfig) -> list[int]:
    """Games of a newborn, even numbers of them."""
    if not config.racing:
        return [config.games]
    return sorted({2 * round(share * config.games / 2) for share in SHARES} - {0})


def fallen_behind(everybody: list[Individual], scoring: Scoring, population: int) -> set[int]:
    """The ids of those who are surely behind as many as there are places."""
    if len(everybody) <= population:
        return set()
    low, high = np.array([sure_ends(one, scoring) for one in everybody]).T
    last = np.sort(low)[-population]
    # what differs by less is taken for equal where opponents are compared in order
    last -= RESOLUTION if scoring.compare == "order" else 0.0
    return {one.id for one, best in zip(everybody, high, strict=True) if best < last}


def sure_ends(individual: Individual, scoring: Scoring) -> tuple[float, float]:
    """The ends of the 95 % interval of what selection goes by, without luck: of the first
    opponent, or the mean over all."""
    games = individual.counts.sum(axis=1)
    points = np.clip(individual.points, 0, games)
    ends = [
        (p / n, p / n) if same else wilson(p, n)
        for p, n, same in zip(points, games, scoring.repeats, strict=True)
    ]
    low, high = ends[0] if scoring.compare == "order" else np.mean(ends, axis=0)
    return float(low), float(high)
