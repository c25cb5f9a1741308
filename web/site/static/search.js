// The exact search of engine/exact/proof.py in plain JavaScript. Two questions about the player to
// place: can it win? Can it at least draw? All positions are quiet: the piece in hand has no winning
// cell. They are stored relative to the hand, one frame for each number of pieces on the board:
//
//     like      occupied cells that agree with the hand, one lane for each attribute (tables.js)
//     unlike    occupied cells that differ from it
//     gaps      free cells that would complete a line of `unlike`
import { ALL, LANES_HI, LANES_LO, THREATS, completing, lanesInUse, lowest, popcount, setKey } from "./tables.js";
import { DRAW, NO_DRAW, NO_WIN, WIN, recall, remember } from "./memory.js";

// Numbers of pieces on the board: to store answers up to, to look children up before ordering them,
// to order moves by the replies that they leave, and to order the first moves of a draw by effort.
const TABLE_TO = 7, CHILDREN_TO = 4, COUNT_TO = 8, LOOK_TO = 6, LOOK_AT = 8;
const YES = 1, NO = 0, UNKNOWN = -1, MANY = 1000;
export const WHOLE_GAME = 16;

const frames = () => new Int32Array(18);
const likeLo = frames(), likeHi = frames(), unlikeLo = frames(), unlikeHi = frames(), gapsLo = frames(), gapsHi = frames();
const free = frames(), pool = frames(), hand = frames();
// The placement in progress in each frame: still relative to the same hand.
const putLikeLo = frames(), putLikeHi = frames(), putGapsLo = frames(), putGapsHi = frames();
const putLikeGapsLo = frames(), putLikeGapsHi = frames(), putFree = frames();
// The moves of each frame, the most promising first: 256 ranks, and piece mask << 4 | cell.
const ranks = new Int32Array(16 << 8), moves = new Int32Array(16 << 8);

export const search = { nodes: 0, deadline: WHOLE_GAME, book: null };

// The occupied cells that differ from the piece in hand, as a word.
function unlikeWord(board, piece) {
  let lo = 0, hi = 0, occupied = 0;
  for (let cell = 0; cell < 16; cell++) {
    if (board[cell] < 0) continue;
    const differs = board[cell] ^ piece;
    occupied |= 1 << cell;
    lo |= (differs & 1) << cell | (differs >> 1 & 1) << 16 + cell;
    hi |= (differs >> 2 & 1) << cell | (differs >> 3 & 1) << 16 + cell;
  }
  return { lo, hi, occupied };
}

// The cells where a piece completes a line.
export function winningCells(board, piece) {
  const { lo, hi, occupied } = unlikeWord(board, piece), everywhere = occupied | occupied << 16;
  const cells = completing(lo ^ everywhere) | completing(hi ^ everywhere);
  return (cells | cells >>> 16) & ~occupied & ALL;
}

// Writes a quiet position into its frame and returns the number of the frame.
function load(board, piece, pieces) {
  const { lo, hi, occupied } = unlikeWord(board, piece), empty = occupied ^ ALL, at = popcount(occupied);
  const everywhere = occupied | occupied << 16, nowhere = empty | empty << 16;
  [likeLo[at], likeHi[at], unlikeLo[at], unlikeHi[at]] = [lo ^ everywhere, hi ^ everywhere, lo, hi];
  [gapsLo[at], gapsHi[at]] = [completing(lo) & nowhere, completing(hi) & nowhere];
  [free[at], pool[at], hand[at]] = [empty, pieces, piece];
  return at;
}

// Places the hand on a cell, a mask with one bit, and returns the safe pieces.
function put(at, cell) {
  const empty = free[at] ^ cell, nowhere = empty | empty << 16, there = cell | cell << 16;
  const lo = likeLo[at] | there, hi = likeHi[at] | there;
  putLikeLo[at] = lo;
  putLikeHi[at] = hi;
  putFree[at] = empty;
  const newLo = completing(lo) & nowhere, newHi = completing(hi) & nowhere;
  const oldLo = gapsLo[at] & nowhere, oldHi = gapsHi[at] & nowhere;
  putLikeGapsLo[at] = newLo;
  putLikeGapsHi[at] = newHi;
  putGapsLo[at] = oldLo;
  putGapsHi[at] = oldHi;
  return pool[at] & ~THREATS[hand[at] << 8 | lanesInUse(newLo, newHi, oldLo, oldHi)];
}

// Gives a safe piece after a placement: the next frame is the quiet position of the opponent. The
// lanes in which the piece differs from the hand swap sides.
function handOver(at, piece) {
  const next = at + 1, other = hand[at] ^ piece, swapLo = LANES_LO[other], swapHi = LANES_HI[other];
  const changedLo = (putLikeLo[at] ^ unlikeLo[at]) & swapLo, changedHi = (putLikeHi[at] ^ unlikeHi[at]) & swapHi;
  likeLo[next] = putLikeLo[at] ^ changedLo;
  likeHi[next] = putLikeHi[at] ^ changedHi;
  unlikeLo[next] = unlikeLo[at] ^ changedLo;
  unlikeHi[next] = unlikeHi[at] ^ changedHi;
  gapsLo[next] = putGapsLo[at] ^ (putLikeGapsLo[at] ^ putGapsLo[at]) & swapLo;
  gapsHi[next] = putGapsHi[at] ^ (putLikeGapsHi[at] ^ putGapsHi[at]) & swapHi;
  free[next] = putFree[at];
  pool[next] = pool[at] & ~(1 << piece);
  hand[next] = piece;
}

function leavesSafePiece(at) {
  for (let cells = free[at]; cells; cells &= cells - 1) if (put(at, cells & -cells)) return true;
  return false;
}

// The number of turns, a cell and a safe piece, to choose from.
function countReplies(at) {
  let replies = 0;
  for (let cells = free[at]; cells; cells &= cells - 1) replies += popcount(put(at, cells & -cells));
  return replies;
}

// The least number of safe pieces, not 0, after a placement.
function fewestSafe(at) {
  let fewest = MANY;
  for (let cells = free[at]; cells; cells &= cells - 1) {
    const safe = put(at, cells & -cells);
    if (safe) fewest = Math.min(fewest, popcount(safe));
  }
  return fewest;
}

// An estimate of the work of proving that the player to place cannot win.
function effort(at) {
  let total = 0;
  for (let cells = free[at]; cells; cells &= cells - 1) {
    for (let safe = put(at, cells & -cells); safe; safe &= safe - 1) {
      handOver(at, lowest(safe));
      total += fewestSafe(at + 1);
    }
  }
  return total;
}

// The answer from 13 pieces on, where no quiet position is won after the next placement.
function lastPlies(at, win) {
  if (!win) return leavesSafePiece(at);
  for (let cells = free[at]; cells; cells &= cells - 1) {
    for (let safe = put(at, cells & -cells); safe; safe &= safe - 1) {
      search.nodes++;
      handOver(at, lowest(safe));
      if (!leavesSafePiece(at + 1)) return true;
    }
  }
  return false;
}

const loadKey = (at) => setKey(unlikeLo[at], unlikeHi[at], free[at] ^ ALL);

// The answer of the book or of the table.
function knownAnswer(at, win) {
  loadKey(at);
  const book = search.book;
  if (book && at <= book.pieces) {
    const yes = book.wins() || (!win && !book.loses());
    // a win or loss of the book may come after the deadline
    if (yes !== win || search.deadline === WHOLE_GAME) return yes ? YES : NO;
  }
  const known = recall(search.deadline);
  if (win) return known & WIN ? YES : known & (NO_WIN | NO_DRAW) ? NO : UNKNOWN;
  return known & (DRAW | WIN) ? YES : known & NO_DRAW ? NO : UNKNOWN;
}

function insertSorted(at, n, rank, move) {
  let i = (at << 8) + n;
  for (; i > at << 8 && (ranks[i - 1] > rank || (ranks[i - 1] === rank && moves[i - 1] > move)); i--) {
    ranks[i] = ranks[i - 1];
    moves[i] = moves[i - 1];
  }
  ranks[i] = rank;
  moves[i] = move;
}

// Lists the moves of a frame and returns their number, or -1 if one is known to succeed.
function listMoves(at, win) {
  let n = 0;
  for (let cells = free[at]; cells; cells &= cells - 1) {
    const cell = lowest(cells);
    let safe = put(at, 1 << cell);
    if (at > COUNT_TO) {
      if (safe) insertSorted(at, n++, popcount(safe), safe << 4 | cell);
      continue;
    }
    for (; safe; safe &= safe - 1) {
      const piece = lowest(safe);
      handOver(at, piece);
      if (at <= CHILDREN_TO) {
        const answer = knownAnswer(at + 1, !win);
        if (answer === NO) return -1;
        if (answer === YES) continue;
      }
      const replies = countReplies(at + 1);
      if (replies === 0) return -1;
      insertSorted(at, n++, replies, 16 << piece | cell);
    }
  }
  return n;
}

// Sorts the first few of the n moves of a frame by effort.
function lookAhead(at, n) {
  for (let i = 0; i < Math.min(n, LOOK_AT); i++) {
    const move = moves[(at << 8) + i];
    put(at, 1 << (move & 15));
    handOver(at, lowest(move >> 4));
    insertSorted(at, i, effort(at + 1), move);
  }
}

function someMoveSucceeds(at, n, win) {
  for (let i = 0; i < n; i++) {
    const move = moves[(at << 8) + i];
    for (let pieces = move >> 4; pieces; pieces &= pieces - 1) {
      put(at, 1 << (move & 15));
      handOver(at, lowest(pieces));
      if (!can(at + 1, !win)) return true;
    }
  }
  return false;
}

// Whether the player to place can win (`win`), or at least draw, before the deadline.
function can(at, win) {
  const before = search.nodes++;
  // a win comes with the third placement from now at the earliest, a loss with the second
  if (at + (win ? 3 : 2) > search.deadline) return !win;
  if (at >= 13) return lastPlies(at, win);
  if (at <= TABLE_TO) {
    const answer = knownAnswer(at, win);
    if (answer !== UNKNOWN) return answer === YES;
  }
  const n = listMoves(at, win);
  if (at <= LOOK_TO && !win && n > 0) lookAhead(at, n);
  const yes = n < 0 || someMoveSucceeds(at, n, win);
  if (at <= TABLE_TO) {
    loadKey(at);
    remember(search.deadline, yes ? (win ? WIN | DRAW : DRAW) : win ? NO_WIN : NO_WIN | NO_DRAW, search.nodes - before);
  }
  return yes;
}

// The same for a board with 16 pieces or -1, a piece to place and a mask of the pool.
export function answer(board, piece, pieces, win, deadline = WHOLE_GAME) {
  if (winningCells(board, piece)) return true;
  search.deadline = deadline;
  return can(load(board, piece, pieces), win);
}
