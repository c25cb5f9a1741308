"""Monte Carlo tree search: UCT with random playouts, and proofs, which are backed up as such.

A node is a quiet position with a piece in hand; its children are the safe turns (a cell, then a
piece), or pieces for the root of `give`. A node gets its children at its second visit. A playout
continues with random safe turns; the player without one loses.

The tree is stored in the mind's memory, three words a node, and begins anew with every decision:

    word 0   visits << 32 | children << 16 | outcome << 8 | turn: cell * 16 + piece
         1   index of the first child; siblings are stored one after the other
         2   points of the player who made the turn that leads here: 2 for a win, 1 for a draw
"""

from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.whole_turn import TURN, forced_cell, safe_turns
from console.option import Option
from engine.bits import each
from engine.exact.quiet import ONE, ZERO, Quiet, as_quiet, hand_over, put, safe_after
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rules import free_cells, give, safe_pieces

PLAYOUTS, CURIOSITY = 0, 1  # indices of the parameters
WORDS = np.uint64(3)  # of a node
# The memory has room for this many nodes; a tree that has filled it stops growing.
NODES_A_PLAYOUT, MORE_NODES = 16, 4096
# Proved outcomes of a node, for the player who made the turn that leads to it.
OPEN, LOST, DRAWN, WON = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
BYTE, COUNT = np.uint64(8), np.uint64(0xFFFF)
CHILDREN, VISITS = np.uint64(16), np.uint64(32)
POINTS = np.array([0, 0, 1, 2], np.uint64)  # by outcome
# Stands for the position of a root without a hand: only its turns are used.
NO_POSITION = Quiet(*np.zeros(7, np.uint64))


@helper
def outcome_of(tree, node):
    return tree[node] >> BYTE & np.uint64(3)


@helper
def children_of(tree, node):
    return tree[node] >> CHILDREN & COUNT


@helper
def visits_of(tree, node):
    return tree[node] >> VISITS


@helper
def add_child(tree, end, turn):
    tree[end], tree[end + ONE], tree[end + np.uint64(2)] = turn, ZERO, ZERO
    return end + WORDS


@helper
def grow(tree, node, end, quiet):
    """Add the children of a node if there is room; return the new end of the tree. Without a safe
    turn the game is decided: the player to move gives a win away, or places the last piece."""
    start = end
    if end + WORDS * np.uint64(256) > np.uint64(len(tree)):
        return end
    for cell in each(quiet.free):
        for piece in each(safe_after(quiet, put(quiet, ONE << cell))):
            end = add_child(tree, end, cell << np.uint64(4) | piece)
    tree[node + ONE] = start
    tree[node] |= (end - start) // WORDS << CHILDREN
    if start == end:
        tree[node] |= (WON if quiet.pool else DRAWN) << BYTE
    return end


@helper
def playout(quiet, rng):
    """Return the points of the player who handed the position over, after random safe turns."""
    own = False
    while quiet.placed < np.uint64(15):
        cells = quiet.free
        safe = ZERO
        after = put(quiet, ZERO)
        while cells and not safe:
            cell = ONE << np.uint64(one_of(cells, rng))
            cells ^= cell
            after = put(quiet, cell)
            safe = safe_after(quiet, after)
        if not safe:
            return ZERO if own else np.uint64(2)
        quiet = hand_over(quiet, after, np.uint64(one_of(safe, rng)))
        own = not own
    return ONE


@helper
def best_child(tree, node, curiosity):
    """Return the child with the highest upper confidence bound; unvisited and won ones come first,
    lost ones last."""
    first, chosen, best = tree[node + ONE], tree[node + ONE], -1.0
    spread = curiosity * curiosity * np.log(np.float64(max(visits_of(tree, node), ONE)))
    for i in range(children_of(tree, node)):
        child = first + WORDS * np.uint64(i)
        outcome, visits = outcome_of(tree, child), np.float64(visits_of(tree, child))
        if outcome == LOST:
            continue
        if outcome == WON or visits == 0.0:
            return child
        share = np.float64(tree[child + np.uint64(2)]) / (2.0 * visits)
        bound = share + np.sqrt(spread / visits)
        if bound > best:
            chosen, best = child, bound
    return chosen


@helper
def proved(tree, node):
    """Return the outcome that the children prove: one won for its mover, or all of them decided."""
    first, best = tree[node + ONE], LOST
    for i in range(children_of(tree, node)):
        outcome = outcome_of(tree, first + WORDS * np.uint64(i))
        if outcome == WON:
            return LOST
        if outcome == OPEN:
            best = OPEN
        elif best != OPEN:
            best = max(best, outcome)
    # a loss for the player to move is a win for the other
    return OPEN if best == OPEN else (WON if best == LOST else DRAWN)


@helper
def follow(position, quiet, turn):
    """Return the position that a turn of the root, or of any other node, hands over."""
    piece = turn & np.uint64(15)
    if position.hand == NONE and quiet.placed == ZERO:
        return as_quiet(give(position, np.int64(piece)))
    return hand_over(quiet, put(quiet, ONE << (turn >> np.uint64(4))), piece)


@helper
def back_up(tree, path, depth, points):
    """Add a visit, the points and new proofs to the nodes along the path."""
    for i in range(depth, -1, -1):
        node = path[i]
        if outcome_of(tree, node) == OPEN and children_of(tree, node):
            tree[node] |= proved(tree, node) << BYTE
        outcome = outcome_of(tree, node)
        if outcome != OPEN:
            points = POINTS[outcome]
        tree[node] += ONE << VISITS
        tree[node + np.uint64(2)] += points
        points = np.uint64(2) - points


@helper
def chosen_turn(tree):
    """Return the root's winning turn, else the first most visited of those not proved lost."""
    first, chosen, most = tree[ONE], tree[ONE], np.int64(-1)
    for i in range(children_of(tree, ZERO)):
        child = first + WORDS * np.uint64(i)
        if outcome_of(tree, child) == WON:
            return np.int64(tree[child] & TURN)
        visits = np.int64(visits_of(tree, child))
        if outcome_of(tree, child) != LOST and visits > most:
            chosen, most = child, visits
    return np.int64(tree[chosen] & TURN)


@kernel(DECISION)
def searched_turn(position, mind, rng):
    """Return the chosen turn, as agents/whole_turn.py defines it, or NONE if no turn is safe."""
    tree, curiosity = mind.memory, mind.parameters[CURIOSITY]
    path = np.zeros(20, np.uint64)
    end = add_child(tree, ZERO, ZERO)
    tree[ONE] = end
    for turn, _ in safe_turns(position):
        end = add_child(tree, end, turn)
    if end == WORDS:
        return NONE
    tree[ZERO] |= (end - WORDS) // WORDS << CHILDREN
    root = as_quiet(position) if position.hand != NONE else NO_POSITION
    for _ in range(np.int64(mind.parameters[PLAYOUTS])):
        if outcome_of(tree, ZERO) != OPEN:
            break
        node, quiet, depth = ZERO, root, 0
        while children_of(tree, node) and outcome_of(tree, node) == OPEN:
            node = best_child(tree, node, curiosity)
            quiet = follow(position, quiet, tree[node] & TURN)
            depth += 1
            path[depth] = node
            if not children_of(tree, node) and visits_of(tree, node):
                end = grow(tree, node, end, quiet)
                break
        points = playout(quiet, rng) if outcome_of(tree, node) == OPEN else ZERO
        back_up(tree, path, depth, points)
    return chosen_turn(tree)


@kernel(DECISION)
def play_mcts(position, mind, rng):
    if position.hand == NONE:
        if not position.occupied or not safe_pieces(position):
            return one_of(position.pool, rng)
        return searched_turn(position, mind, rng) & 15
    cell = forced_cell(position)
    if cell == NONE:
        turn = searched_turn(position, mind, rng)
        cell = one_of(free_cells(position), rng) if turn == NONE else turn >> 4
    return cell


class MCTS(Player):
    """Ours. Monte Carlo tree search (UCT) over safe turns, with playouts of random safe turns;
    proved wins, draws and losses are backed up as such. Placing and giving are two searches."""

    name = "mcts"
    options: ClassVar = {
        "playouts": Option(1000, "playouts of a decision", least=1, most=10**6),
        "c": Option(1.4, "exploration constant of UCT", least=0),
    }
    place_kernel = give_kernel = play_mcts

    def make_mind(self) -> Mind:
        nodes = NODES_A_PLAYOUT * int(self.settings["playouts"]) + MORE_NODES
        return make_mind(self.settings.values(), np.zeros(int(WORDS) * nodes, np.uint64))
