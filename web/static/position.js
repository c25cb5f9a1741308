// A position on the page: board, hand and complete lines. The server checks all rules again.
const LINES = [
  [0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15],
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [3, 6, 9, 12],
];
export const NONE = -1;
export const PIECES = [...Array(16).keys()];
export const WORDS = { 1: "win", 0: "draw", "-1": "loss" };
export const SHAPES = { 1: "▲", 0: "=", "-1": "▼" };

export const digit = (piece) => piece.toString(16);
export const cellName = (cell) => "abcd"[cell >> 2] + "1234"[cell & 3];
export const cellOf = (name) => 4 * "abcd".indexOf(name[0]) + Number(name[1]) - 1;
export const worth = (value, distance) => (distance ? `${WORDS[value]} in ${distance}` : WORDS[value]);

export function describe(piece) {
  const has = (bit, yes, no) => (piece & bit ? yes : no);
  return `${digit(piece)}, ${has(8, "high", "low")}, ${has(4, "coloured", "plain")}, ${has(2, "solid", "hollow")}, ${has(1, "square", "round")}`;
}

export class Position {
  constructor(board = Array(16).fill(NONE), hand = NONE) {
    this.board = board;
    this.hand = hand;
  }

  static parse(text) {
    const [rows, hand] = text.trim().toLowerCase().split(/\s+/);
    const board = [...rows.replaceAll("/", "")].map((c) => (c === "." ? NONE : parseInt(c, 16)));
    return new Position(board, hand === "-" ? NONE : parseInt(hand, 16));
  }

  // From moves: piece, cell, piece, ...
  static after(moves) {
    return moves.reduce((position, move) => position.play(move), new Position());
  }

  toText() {
    const cells = this.board.map((piece) => (piece === NONE ? "." : digit(piece))).join("");
    return `${cells.match(/.{4}/g).join("/")} ${this.hand === NONE ? "-" : digit(this.hand)}`;
  }

  get placed() { return this.board.filter((piece) => piece !== NONE).length; }
  get giving() { return this.hand === NONE; }
  get pool() { return PIECES.filter((piece) => piece !== this.hand && !this.board.includes(piece)); }
  get free() { return PIECES.filter((cell) => this.board[cell] === NONE); }

  // The cells of every complete line.
  get line() {
    const complete = LINES.filter((cells) => {
      const pieces = cells.map((cell) => this.board[cell]);
      if (pieces.includes(NONE)) return false;
      return pieces.reduce((a, b) => a & b) !== 0 || pieces.map((p) => ~p & 15).reduce((a, b) => a & b) !== 0;
    });
    return [...new Set(complete.flat())];
  }

  get won() { return this.line.length > 0; }
  get over() { return this.won || this.placed === 16; }
  get legal() { return this.over ? [] : this.giving ? this.pool : this.free; }

  moveName(move) { return this.giving ? digit(move) : cellName(move); }
  readMove(name) { return this.giving ? parseInt(name, 16) : cellOf(name); }

  play(move) {
    if (this.giving) return new Position(this.board, move);
    return new Position(this.board.with(move, this.hand), NONE);
  }
}

// "8-a1 7-d4 0-" from [8, 0, 7, 15, 0], and back.
export function movesText(moves) {
  const words = [];
  for (let i = 0; i < moves.length; i += 2) {
    words.push(`${digit(moves[i])}-${i + 1 < moves.length ? cellName(moves[i + 1]) : ""}`);
  }
  return words.join(" ");
}

export function readMoves(text) {
  return text.trim().split(/[\s_]+/).filter(Boolean).flatMap((word) => {
    const [piece, cell] = word.toLowerCase().split("-");
    return cell ? [parseInt(piece, 16), cellOf(cell)] : [parseInt(piece, 16)];
  });
}

// The player to move: 0 gives the first piece, 1 places it.
export const acting = (position) => (position.placed + (position.giving ? 0 : 1)) % 2;
