// The perfect player (agents/search/exact.py): it keeps the exact value. Among moves of equal value it
// prefers those that leave the opponent the most ways to go wrong, then draws. The other player plays
// at random.
import { can, safePieces, solve } from "./solver.js";
import { winningCells } from "./search.js";

// Pieces on the board above which the opponent's mistakes are counted exactly; earlier, it is slow.
const EXACT_TRAPS_FROM = 8;

const keeps = (child, value) => value === -1 || !can(child, value === 0);

// The positions that the safe turns of a position hand over.
const children = (position) => position.free.map((cell) => position.play(cell))
  .flatMap((after) => safePieces(after).map((piece) => after.play(piece)));

// The share of replies that do not lose value for the opponent.
function shareOfRight(child, value) {
  const all = child.free.length * child.pool.length;
  const right = children(child).filter((one) => !can(one, value === 0)).length;
  return 1 - (all - right) / Math.max(all, 1);
}

function rankOf(child, value) {
  if (value === 1 || child.placed <= EXACT_TRAPS_FROM) return children(child).length;
  return keeps(child, value) ? shareOfRight(child, value) : Infinity;
}

// The pieces to give on a board, as {cell, piece, child, rank}.
function givings(after, cell, value) {
  const safe = safePieces(after);
  return (safe.length ? safe : after.pool).map((piece) => {
    const child = after.play(piece);
    return { cell, piece, child, rank: safe.length ? rankOf(child, value) : Infinity };
  });
}

export function perfect(position, below) {
  if (position.giving ? !position.pool.length : position.free.length === 1) return position.legal[0];
  const forced = position.giving ? 0 : winningCells(position.board, position.hand);
  if (forced) return position.legal.find((cell) => forced >> cell & 1);
  const value = solve(position);
  const turns = position.giving ? givings(position, 0, value)
    : position.free.flatMap((cell) => givings(position.play(cell), cell, value));
  for (const turn of turns) turn.random = below(1 << 16);
  turns.sort((a, b) => (a.rank === b.rank ? a.random - b.random : a.rank - b.rank));
  const turn = turns.find((one) => keeps(one.child, value)) ?? turns.at(-1);
  return position.giving ? turn.piece : turn.cell;
}

export const random = (position, below) => position.legal[below(position.legal.length)];
