// What the worker answers: for each question a generator of events, those of the server's API
// (docs/web.md). Between two events other questions get their turn.
import { readGame, readPosition } from "./reading.js";
import { judge, report } from "./judge.js";
import { search } from "./search.js";
import { bestLine, distanceOfBest, distanceOfMove, movesInOrder, onlyMove, solve, valueOf, valueOfMove } from "./solver.js";
import { cellName, digit } from "./position.js";
import { perfect, random } from "./opponent.js";
import { generator } from "./words.js";

const PLAYERS = { perfect, random };
const kindOf = (position) => (position.giving ? "give" : "place");

export function* analyse({ position: text }) {
  const position = readPosition(text), values = {}, distances = {};
  const started = performance.now(), before = search.nodes;
  yield { position: position.toText(), kind: kindOf(position) };
  for (const move of movesInOrder(position)) {
    values[move] = valueOfMove(position, move);
    yield { move: position.moveName(move), value: values[move] };
  }
  const moves = Object.keys(values).map(Number), only = moves.length ? onlyMove(values) : null;
  yield { value: moves.length ? valueOf(values) : solve(position), only: only === null ? null : position.moveName(only), over: position.over };
  for (const move of moves) {
    distances[move] = distanceOfMove(position, move, values[move]);
    if (distances[move]) yield { move: position.moveName(move), distance: distances[move] };
  }
  yield { distance: moves.length ? distanceOfBest(values, distances) : null };
  const line = bestLine(position);
  yield { line, nodes: search.nodes - before, seconds: (performance.now() - started) / 1000, done: true };
}

export function* turns({ position: text }) {
  const position = readPosition(text), made = {};
  if (position.giving) throw new Error(`'${text}': give a position with a piece to place`);
  for (const cell of position.legal) {
    const after = position.play(cell);
    made[cellName(cell)] = after.over ? { "-": after.won ? 1 : 0 }
      : Object.fromEntries(after.legal.map((piece) => [digit(piece), valueOfMove(after, piece)]));
  }
  yield { position: position.toText(), turns: made };
}

export function* decide({ player, game, position: text, seed }) {
  const position = text === undefined ? readGame(game ?? "").end : readPosition(text);
  if (!Object.hasOwn(PLAYERS, player)) throw new Error(`${player} needs the server: here perfect and random play`);
  if (position.over) throw new Error("the game is over: there is nothing to decide");
  const number = 2 * position.placed + (position.giving ? 0 : 1);
  const move = PLAYERS[player](position, generator(Number(seed ?? 0), number));
  yield { player, kind: kindOf(position), move: position.moveName(move) };
}

export function* review({ game: text }) {
  const game = readGame(text), decisions = [];
  if (!game.moves.length) throw new Error("not a game: there are no moves");
  yield { decisions: game.moves.length };
  for (const [i, move] of game.moves.entries()) {
    decisions.push(judge(game.positions[i], move));
    yield { judged: decisions.length };
  }
  yield { review: report(game, decisions), done: true };
}
