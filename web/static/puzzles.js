// The puzzles that ship: a single turn wins.
import { $, get, make } from "/static/dom.js";
import { RIGHT, WRONG, bestTurns, start, turnName } from "/static/cards.js";
import { cellName, digit } from "/static/position.js";

const RESULT = { 0: "draws", "-1": "loses" };
const ABOUT = "Place the piece in hand, then choose the piece to give. One turn wins whatever the opponent does; every other one draws "
  + "or loses. The positions come from games of strong players; the rating is the share of wrong answers when five players were asked.";
let puzzles = [];

function judge(card, turn) {
  const wins = turnName(bestTurns(card.list)[0]), right = turn?.value === 1;
  const what = right ? `${RIGHT} Right: ${wins} wins` : turn ? `${WRONG} ${cellName(turn.cell)}, giving ${digit(turn.piece)}, ${RESULT[turn.value]}` : `The answer: ${wins}`;
  return { right, what, more: `${right ? "" : `Only ${wins} wins. `}If both play well: ${card.line}` };
}

try {
  puzzles = await get("/api/puzzles");
  const keys = puzzles.map((_, i) => `${i + 1}`);
  const withPlies = (plies) => keys.filter((key) => puzzles[key - 1].plies === plies);
  const plies = [...new Set(puzzles.map((one) => one.plies))].sort((a, b) => a - b);
  await start({
    name: () => "puzzles",
    decks: [{ name: "all", label: `All ${keys.length}, the easiest first`, keys },
      ...plies.map((n) => ({ name: `${n}`, label: `Win in ${n} placements`, keys: withPlies(n) }))],
    load: async (key) => {
      const puzzle = puzzles[key - 1];
      return { ...puzzle, ...await get("/api/turns", { position: puzzle.position }) };
    },
    question: (card) => ["Find the only turn that wins", `In ${card.plies} placements, yours included; rated ${Math.round(100 * card.rating)} %.`],
    judge,
    about: () => [make("h2", {}, "Puzzles"), make("p", { class: "small soft" }, ABOUT)],
  });
} catch (error) {
  $("problem").textContent = error.message;
}
document.body.dataset.ready = "true";
