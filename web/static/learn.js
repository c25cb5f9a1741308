// Flash cards: which turns does a strategy prefer, and which of them are right by the oracle?
import { $, address, get, make } from "/static/dom.js";
import { RIGHT, WRONG, bestTurns, reload, start, turnName } from "/static/cards.js";

const STAGES = [5, 6, 7, 8, 9, 10, 11, 12], EACH = 50;
const LISTED = 4;
const RESULT = { 1: "win", 0: "draw", "-1": "lose" };
const size = make("select", { id: "size" });
const keysOf = (stage) => [...Array(EACH).keys()].map((i) => `${stage}-${i + 1}`);

async function load(key) {
  const [pieces, number] = key.split("-");
  return get("/api/card", { pieces, number, size: size.value });
}

function judge(card, turn) {
  const best = bestTurns(card.list), preferred = card.list.filter((one) => card.preferred.includes(turnName(one)));
  const right = preferred.includes(turn), isBest = best.includes(turn);
  const both = right ? (isBest ? "preferred, and right" : "preferred, but not right") : isBest ? "right, but not preferred" : "neither preferred nor right";
  const what = turn ? `${right ? RIGHT : WRONG} ${turnName(turn)} is ${both}` : "The answer";
  const counted = `${preferred.length} turns, ${preferred.filter((one) => best.includes(one)).length} of them right`;
  const listed = preferred.map((one) => `${turnName(one)} (${best.includes(one) ? "right" : "not right"})`).join(", ");
  const more = `The strategy prefers ${preferred.length > LISTED ? counted : listed}. By the oracle, ${best.length} of ${card.list.length} turns are right: they ${RESULT[best[0].value]}.`;
  return { right, preferred, what, more };
}

function about(card) {
  const [frame, ...blocks] = card.english;
  const lines = blocks.map((line, i) => make("li", {}, i + 1 === card.block ? make("b", {}, line) : line));
  return [make("h2", {}, "The strategy"), make("p", { class: "small" }, frame), make("ul", { class: "small" }, ...lines)];
}

const sizeOf = () => { const wanted = address.read().size; if ([...size.options].some((one) => one.value === wanted)) size.value = wanted; };

try {
  const strategies = await get("/api/strategies");
  size.append(...strategies.map((one) => make("option", { value: one.size }, one.size === 1 ? "1 rule" : `${one.size} rules`)));
  $("choices").append(make("label", {}, make("span", {}, "Strategy"), size));
  size.addEventListener("change", reload);
  addEventListener("hashchange", sizeOf);
  sizeOf();
  await start({
    name: () => `learn-${size.value}`,
    address: () => ({ size: size.value }),
    decks: [{ name: "all", label: "All stages", keys: keysOf(5).flatMap((_, i) => STAGES.map((stage) => keysOf(stage)[i])) },
      ...STAGES.map((stage) => ({ name: `${stage}`, label: `${stage} pieces on the board`, keys: keysOf(stage) }))],
    load,
    question: (card) => ["Which turn does the strategy prefer?", card.english[card.block] ?? "Any safe turn."],
    judge,
    about,
  });
} catch (error) {
  $("problem").textContent = error.message;
}
document.body.dataset.ready = "true";
