// The review of a game (oracle/judge.py, oracle/review.py): every decision with its exact value before
// and after.
import { acting, cellName, movesText } from "./position.js";
import { SEATS } from "./reading.js";
import { analyse, bestMoves } from "./solver.js";

const MOST_ALTERNATIVES = 4;
const MARKS = { 0: "", 1: "?", 2: "??" };

export function judge(position, move) {
  const { value, values, distance, distances, only } = analyse(position), after = values[move];
  const named = (entries) => Object.fromEntries(Object.entries(entries).map(([one, entry]) => [position.moveName(Number(one)), entry]));
  return {
    number: position.placed + 1, player: SEATS[acting(position)],
    kind: position.giving ? "give" : "place", position: position.toText(), move: position.moveName(move),
    value, distance, after, after_distance: distances[move], mark: move === only ? "!" : MARKS[value - after],
    better: after < value ? bestMoves(values).map((one) => position.moveName(one)) : [],
    values: named(values), distances: named(distances),
  };
}

const lost = (decision) => decision.after < decision.value;

function accuracy(decisions, seat) {
  const own = decisions.filter((one) => one.player === seat);
  const staked = own.filter((one) => new Set(Object.values(one.values)).size > 1);
  const right = (group) => group.filter((one) => !lost(one)).length;
  return { right: right(staked), at_stake: staked.length, kept: right(own), decisions: own.length };
}

function verdict(game, decisive) {
  if (game.failure) return `${game.players[SEATS.indexOf(game.failure[0])]} lost by failing: ${game.failure[1]}`;
  if (!decisive) return "no decision lost exact value";
  const who = game.players[SEATS.indexOf(decisive.player)], how = decisive.kind === "give" ? "giving" : "placing on";
  const did = `${who} ${decisive.after < 0 ? "lost it" : "gave the win away"} in move ${decisive.number} by ${how} ${decisive.move}`;
  return `${did}; ${decisive.better.slice(0, MOST_ALTERNATIVES).join(" ")} would have kept ${decisive.value > 0 ? "the win" : "the draw"}`;
}

// What `python -m oracle.review --json` prints.
export function report(game, decisions) {
  const own = decisions.slice(game.prescribed), decisive = own.findLast(lost) ?? null;
  return {
    headers: game.headers, players: game.players, result: game.result, moves: movesText(game.moves),
    end: game.end.toText(), winning_line: game.end.line.toSorted((a, b) => a - b).map(cellName), decisions,
    accuracy: Object.fromEntries(SEATS.map((seat) => [seat, accuracy(own, seat)])),
    turning_point: decisive && decisions.indexOf(decisive), verdict: verdict(game, decisive),
  };
}
