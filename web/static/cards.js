// Cards: a position, the user's turn (a cell, then a piece), and the verdict. The browser keeps the
// answers; the address of the page holds the deck and the card.
import { $, address, fill, make, speak } from "/static/dom.js";
import { Board, Pool, showHand } from "/static/board.js";
import { NONE, Position, cellName, cellOf, digit } from "/static/position.js";

export const RIGHT = "✓", WRONG = "✗";
const MISSED = "missed";
const board = new Board($("board"), onCell), pool = new Pool($("pool"), onPiece);
// set by start()
let content = null;
let deck = "", keys = [], key = "";
// of the card: what `content.load` returned, the cell that is chosen or looked at, and the verdict
let card = null, cell = NONE, verdict = null;

export const turnName = (turn) => `${cellName(turn.cell)} ${digit(turn.piece)}`;

// Every turn as {cell, piece, value}, from values by cell and piece.
function listTurns(values) {
  return Object.entries(values).flatMap(([at, pieces]) => Object.entries(pieces)
    .map(([piece, value]) => ({ cell: cellOf(at), piece: parseInt(piece, 16), value })));
}

export function bestTurns(turns) {
  const most = Math.max(...turns.map((turn) => turn.value));
  return turns.filter((turn) => turn.value === most);
}

// the answers, 1 right and 0 wrong, by card

function readAnswers() {
  try { return { ...JSON.parse(localStorage.getItem(`cards-${content.name()}`)) }; } catch { return {}; }
}

function keepAnswers(answers) {
  try { localStorage.setItem(`cards-${content.name()}`, JSON.stringify(answers)); } catch { /* private window: only for this page */ }
}

// cards and decks

function openDeck(name, wanted = "") {
  const answers = readAnswers(), all = content.decks[0].keys;
  deck = name === MISSED ? MISSED : (content.decks.find((one) => one.name === name) ?? content.decks[0]).name;
  keys = deck === MISSED ? all.filter((one) => answers[one] === 0) : content.decks.find((one) => one.name === deck).keys;
  $("deck").value = deck;
  return openCard(keys.includes(wanted) ? wanted : keys.find((one) => !(one in answers)) ?? keys[0]);
}

async function openCard(wanted) {
  key = wanted;
  [card, cell, verdict] = [null, NONE, null];
  $("problem").textContent = "";
  delete document.body.dataset.card;
  const fromKeyboard = document.activeElement.matches("#next:focus-visible, #previous:focus-visible");
  show();
  if (!key) return;
  history.replaceState(null, "", address.text({ ...content.address?.(), deck, card: key }));
  try {
    const loaded = await content.load(key);
    if (key !== wanted) return;
    card = { ...loaded, at: Position.parse(loaded.position), list: listTurns(loaded.turns) };
    show();
    if (fromKeyboard) board.focus();
    document.body.dataset.card = key;
  } catch (error) {
    if (key === wanted) $("problem").textContent = error.message;
  }
}

// The same card again, with the answers of what content.name() says now.
export const reload = () => openDeck(deck, key);

function step(by) {
  if (keys.length) openCard(keys[(keys.indexOf(key) + by + keys.length) % keys.length]);
}

// the answer

function onCell(at) {
  cell = !verdict && at === cell ? NONE : at;
  const lead = !verdict && cell !== NONE && document.activeElement.matches(":focus-visible");
  show();
  if (lead) pool.focus();
}

function onPiece(piece) {
  if (!verdict) judge(card.list.find((turn) => turn.cell === cell && turn.piece === piece));
}

// `turn` is undefined if the user asks for the answer.
function judge(turn) {
  const lead = document.activeElement.matches(":focus-visible");
  verdict = { turn, ...content.judge(card, turn) };
  cell = (turn ?? bestTurns(card.list)[0]).cell;
  keepAnswers({ ...readAnswers(), [key]: verdict.right ? 1 : 0 });
  show();
  speak(`${verdict.what}. ${verdict.more}`);
  if (lead) $("next").focus();
}

// the display

function show() {
  const position = card?.at ?? new Position(), answers = readAnswers();
  const placed = card && !verdict && cell !== NONE ? position.play(cell) : position;
  const [what, more] = !card ? [keys.length ? "Loading" : "This deck is empty", ""]
    : verdict ? [verdict.what, verdict.more] : content.question(card);
  const given = placed !== position ? `${cellName(cell)}: now choose the piece to give` : what;
  $("what").textContent = given;
  $("what").className = verdict ? (verdict.right ? "win-text" : "loss-text") : "";
  $("more").textContent = more;
  showHand($("hand"), placed);
  board.show(placed, { open: card ? position.free : [], picked: cell, ...(verdict ? cellsOf() : {}) });
  pool.show(placed, { open: placed !== position ? placed.pool : [], ...(verdict ? piecesOf() : {}) });
  const done = keys.filter((one) => one in answers), right = done.filter((one) => answers[one]);
  $("score").textContent = `Card ${keys.indexOf(key) + 1} of ${keys.length}. Answered: ${done.length}, right: ${right.length}.`;
  $("next").classList.toggle("main", Boolean(verdict));
  $("reveal").disabled = !card || Boolean(verdict);
  $("analyse").href = `/analyse#${new URLSearchParams({ position: position.toText() })}`;
  const about = card ? content.about?.(card, verdict) : null;
  $("about").hidden = !about;
  if (about) fill($("about"), ...about);
}

// Values and marks of one kind of move in a list of turns.
function marked(turns, move) {
  const values = {}, marks = {};
  for (const turn of turns) values[turn[move]] = { value: Math.max(turn.value, values[turn[move]]?.value ?? -1) };
  for (const turn of verdict.preferred ?? []) if (turns.includes(turn)) marks[turn[move]] = "★";
  if (turns.includes(verdict.turn)) marks[verdict.turn[move]] = (verdict.right ? RIGHT : WRONG) + (marks[verdict.turn[move]] ?? "");
  return { values, marks, best: bestTurns(card.list).filter((turn) => turns.includes(turn)).map((turn) => turn[move]) };
}

const cellsOf = () => marked(card.list, "cell");
const piecesOf = () => marked(card.list.filter((turn) => turn.cell === cell), "piece");

// content: name() under which the answers are kept; address(), more to keep there; decks [{name, label, keys}], the first with all
// cards; load(key): {position, turns}; question(card): [sentence, more]; judge(card, turn):
// {right, what, more, preferred}; about(card, verdict): elements, if there is more to say.
export async function start(made) {
  content = made;
  const decks = [...content.decks, { name: MISSED, label: "Answered wrongly" }];
  fill($("deck"), ...decks.map((one) => make("option", { value: one.name }, one.label)));
  const open = () => { const wanted = address.read(); return openDeck(wanted.deck, wanted.card); };
  $("deck").addEventListener("change", () => openDeck($("deck").value));
  $("next").addEventListener("click", () => step(1));
  $("previous").addEventListener("click", () => step(-1));
  $("reveal").addEventListener("click", () => judge(undefined));
  $("forget").addEventListener("click", () => { keepAnswers({}); openDeck(deck, key); });
  addEventListener("hashchange", open);
  addEventListener("keydown", onKey);
  await open();
}

function onKey(event) {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const pressed = event.key.toLowerCase();
  if (pressed === "n") step(1);
  else if (pressed === "p") step(-1);
  else if (pressed === "escape" && card && !verdict && cell !== NONE) {
    onCell(cell);
    board.focus();
  }
}
