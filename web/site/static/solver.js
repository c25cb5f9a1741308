// The oracle: exact values of positions and moves, distances to the win, best lines
// (engine/exact/solver.py, engine/exact/distance.py).
import { WHOLE_GAME, answer, winningCells } from "./search.js";

const maskOf = (items) => items.reduce((mask, item) => mask | 1 << item, 0);
export const can = (position, win, deadline) => answer(position.board, position.hand, maskOf(position.pool), win, deadline);

const wins = (position) => !position.giving && !position.over && winningCells(position.board, position.hand) !== 0;
const isSafe = (position, piece) => winningCells(position.board, piece) === 0;
export const safePieces = (position) => position.pool.filter((piece) => isSafe(position, piece));

// 1 for a win of the player to move, 0 for a draw, -1 for a loss; of a finished game, for the player
// who placed last.
export function solve(position) {
  if (!position.giving) return can(position, true) ? 1 : can(position, false) ? 0 : -1;
  if (position.won) return 1;
  if (!position.pool.length) return 0;
  const given = safePieces(position).map((piece) => position.play(piece));
  if (given.some((child) => !can(child, false))) return 1;
  return given.some((child) => !can(child, true)) ? 0 : -1;
}

// The value of a move for the player who makes it.
export const valueOfMove = (position, move) => (position.giving ? -1 : 1) * solve(position.play(move)) || 0;

// Moves in the order in which they are solved: first those that need no search.
export function movesInOrder(position) {
  const isQuick = (move) => (position.giving ? !isSafe(position, move) : winningCells(position.board, position.hand) >> move & 1);
  const quick = position.legal.filter(isQuick);
  return [...quick, ...position.legal.filter((move) => !quick.includes(move))];
}

// Placements until a won or lost position with a piece in hand ends.
function distanceWithHand(position, value) {
  if (wins(position)) return 1;
  const win = value === 1;
  let plies = win ? 3 : 2;
  while (position.placed + plies + 2 <= WHOLE_GAME && can(position, win, position.placed + plies) !== win) plies += 2;
  return plies;
}

// Placements until a position of this value ends; null for a draw and for a finished game.
function distanceOf(position, value) {
  if (value === 0 || position.over) return null;
  if (!position.giving) return distanceWithHand(position, value);
  const given = position.pool.map((piece) => position.play(piece)).filter((child) => -solve(child) === value);
  const distances = given.map((child) => distanceWithHand(child, -value));
  // the winner takes the shortest way, the loser the longest
  return value === 1 ? Math.min(...distances) : Math.max(...distances);
}

export function distanceOfMove(position, move, value) {
  const after = position.play(move);
  if (after.won) return 1;
  const plies = distanceOf(after, position.giving ? -value : value);
  return plies === null ? null : plies + (position.giving ? 0 : 1);
}

export const valueOf = (values) => Math.max(...Object.values(values));

export function bestMoves(values) {
  const most = valueOf(values);
  return Object.keys(values).map(Number).filter((move) => values[move] === most);
}

// The only move that keeps the value, if there is one and there are other moves; else null.
export function onlyMove(values) {
  const best = bestMoves(values);
  return best.length === 1 && Object.keys(values).length > 1 ? best[0] : null;
}

export function distanceOfBest(values, distances) {
  const most = valueOf(values), known = bestMoves(values).map((move) => distances[move]).filter(Boolean);
  if (!known.length) return null;
  return most === 1 ? Math.min(...known) : Math.max(...known);
}

// {value, values, distance, distances, only}: everything about a position that is not over.
export function analyse(position) {
  const values = {}, distances = {};
  for (const move of position.legal) values[move] = valueOfMove(position, move);
  for (const move of Object.keys(values).map(Number)) distances[move] = distanceOfMove(position, move, values[move]);
  return { value: valueOf(values), values, distances, distance: distanceOfBest(values, distances), only: onlyMove(values) };
}

// The principal variation, always the first of the quickest moves: names, with a ! behind those that
// alone keep the value.
export function bestLine(position) {
  const line = [];
  while (!position.over) {
    const { values, distances, distance, only } = analyse(position);
    const move = bestMoves(values).find((one) => distances[one] === distance);
    line.push(position.moveName(move) + (move === only ? "!" : ""));
    position = position.play(move);
  }
  return line;
}
