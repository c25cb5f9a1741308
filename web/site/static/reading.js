// Positions and games as text (engine/notation.py, engine/game_text.py), with what is wrong with them.
import { NONE, Position, cellName, cellOf, digit } from "./position.js";

export const SEATS = ["first", "second"];
const FORM = /^([0-9a-f.]{4}\/){3}[0-9a-f.]{4}\s+[0-9a-f-]$/i;
const RESULTS = ["first wins", "second wins", "draw", "unfinished"];
const [FIRST_WINS, SECOND_WINS, DRAW, UNFINISHED] = RESULTS;
const MAX_QUOTED = 30;

const quoted = (text) => `'${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text}'`;

// Throws an Error with every reason if the text is not a position of a game.
export function readPosition(text) {
  if (!FORM.test(text.trim())) throw new Error(`not a position: ${quoted(text)} (like '4.../c.b./7.1./3ed. 0')`);
  const position = Position.parse(text), pieces = position.board.filter((piece) => piece !== NONE), reasons = [];
  for (const piece of new Set(pieces)) {
    const times = pieces.filter((one) => one === piece).length;
    if (times > 1) reasons.push(`piece ${digit(piece)} is on the board ${times} times`);
  }
  if (pieces.includes(position.hand)) reasons.push(`piece ${digit(position.hand)} is in hand and on the board`);
  if (position.won && !position.giving) reasons.push("a line is complete, so the game is over, yet a piece is in hand");
  if (position.won && !position.line.some((cell) => !new Position(position.board.with(cell, NONE)).won)) {
    reasons.push("lines are complete that no single last placement can have completed");
  }
  if (reasons.length) throw new Error(`'${position.toText()}': impossible position: ${reasons.join("; ")}`);
  return position;
}

// A game: headers, moves (given piece, cell, given piece, ...), positions before and after each move.
export class Game {
  constructor() {
    this.headers = {};
    this.moves = [];
    this.positions = [new Position()];
  }

  get end() { return this.positions.at(-1); }

  play(move) {
    this.moves.push(move);
    this.positions.push(this.end.play(move));
  }

  // [seat, reason] if a player has lost by failing.
  get failure() {
    const [seat, ...reason] = (this.headers.failed ?? "").split(":");
    return SEATS.includes(seat) ? [seat, reason.join(":").trim()] : null;
  }

  // The number of moves that were the opening, not decisions.
  get prescribed() { return /^\d{1,2}$/.test(this.headers.opening ?? "") ? Number(this.headers.opening) : 0; }

  get players() {
    const names = SEATS.map((seat) => this.headers[seat] || seat);
    return names[0] === names[1] ? SEATS.map((seat) => `${names[0]} (${seat})`) : names;
  }

  get result() {
    if (this.end.won) return this.end.placed % 2 ? SECOND_WINS : FIRST_WINS;
    if (this.end.over) return DRAW;
    return this.failure ? (this.failure[0] === "first" ? SECOND_WINS : FIRST_WINS) : UNFINISHED;
  }
}

function readHeader(game, where, line) {
  const [key, ...rest] = line.split(":"), name = key.trim(), reasons = [];
  if (game.moves.length) reasons.push("comes after moves: an empty line ends a game");
  if (!/^[A-Za-z][\w -]*$/.test(name)) reasons.push("its key is not made of letters and digits, a letter first");
  if (Object.hasOwn(game.headers, name)) reasons.push(`there is a key ${name} already`);
  if (reasons.length) throw new Error(`not a game: ${where}, header ${quoted(line)}: ${reasons.join("; ")}`);
  game.headers[name] = rest.join(":").trim();
}

function whyNotPiece(position, word) {
  if (!/^[0-9a-f]$/.test(word)) return [`no piece is called ${quoted(word)}: they are 0 to f`];
  const on = position.board.indexOf(parseInt(word, 16));
  return on === NONE ? [] : [`piece ${word} is on ${cellName(on)} already`];
}

function whyNotCell(position, word) {
  if (word === "") return [];
  if (!/^[a-d][1-4]$/.test(word)) return [`no cell is called ${quoted(word)}: they are a1 to d4`];
  const there = position.board[cellOf(word)];
  return there === NONE ? [] : [`cell ${word} holds piece ${digit(there)}`];
}

function readMove(game, where, word) {
  const [piece, ...rest] = word.toLowerCase().split("-"), cell = rest.join("-"), now = game.end, reasons = [];
  if (now.over) reasons.push(`the game is over already: ${now.won ? "a line is complete" : "the board is full"}`);
  else if (!now.giving) reasons.push(`piece ${digit(now.hand)} before it was not placed`);
  if (!rest.length) reasons.push("no dash between piece and cell, as in 8-a1");
  else reasons.push(...whyNotPiece(now, piece), ...whyNotCell(now, cell));
  if (reasons.length) throw new Error(`not a game: ${where} ${quoted(word)}: ${reasons.join("; ")}`);
  game.play(parseInt(piece, 16));
  if (cell) game.play(cellOf(cell));
}

// Throws an Error with every reason if the text is not one game.
export function readGame(text) {
  const parts = text.trim().split(/\n\s*\n/);
  if (parts.length > 1) throw new Error("the summary of several games needs the server: here one game is reviewed");
  const game = new Game();
  let words = 0;
  parts[0].split("\n").map((line) => line.trim()).filter(Boolean).forEach((line, i) => {
    if (line.includes(":")) readHeader(game, `line ${i + 1}`, line);
    else for (const word of line.split(/\s+/)) readMove(game, `line ${i + 1}, move ${++words}`, word);
  });
  const { result } = game.headers;
  if (result !== undefined && result !== game.result) {
    const why = RESULTS.includes(result) ? `contradicts the moves, by which it is '${game.result}'` : `is not one of: ${RESULTS.join(", ")}`;
    throw new Error(`not a game: result ${quoted(result)}: ${why}`);
  }
  return game;
}
