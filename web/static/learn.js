// Flash cards.
import { $, get, make } from "/static/dom.js";
import { RIGHT, WRONG, bestTurns, start, turnName } from "/static/cards.js";

const STAGES = [5, 6, 7, 8, 9, 10, 11, 12], EACH = 50;
const keysOf = (stage) => [...Array(EACH).keys()].map((i) => `${stage}-${i + 1}`);

function judge(card, turn) {
  const best = bestTurns(card.list), right = best.includes(turn);
  return { right, what: right ? `${RIGHT} Right` : `${WRONG} Wrong`, more: best.slice(0, 5).map(turnName).join(", ") };
}

start({
  name: () => "learn",
  decks: [{ name: "all", label: "All", keys: keysOf(5).flatMap((_, i) => STAGES.map((stage) => keysOf(stage)[i])) },
    ...STAGES.map((stage) => ({ name: `${stage}`, label: `${stage} pieces on the board`, keys: keysOf(stage) }))],
  load: (key) => {
    const [pieces, number] = key.split("-");
    return get("/api/card", { pieces, number });
  },
  question: () => ["Which turn?", ""],
  judge,
});
document.body.dataset.ready = "true";
