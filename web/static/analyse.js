// Any position with the exact value of every move. The address of the page holds the position.
import { $, address, fill, make, speak } from "/static/dom.js";
import { Board, Pool, showHand } from "/static/board.js";
import { NONE, Position, SHAPES, WORDS } from "/static/position.js";
import { Oracle } from "/static/oracle.js";

const EXAMPLE = "4.../c.b./7.1./3ed. 0", EMPTY = "..../..../..../.... -";
const FORM = /^\s*([0-9a-f.]{4}\/){3}[0-9a-f.]{4}\s+[0-9a-f-]\s*$/i;
const HELP = {
  move: "A click plays the move. The browser's back button takes it back.",
  set: "Choose a piece of the pool, then a cell; a second click on the piece puts it in the hand. A click on a piece of the board removes it.",
};
let position = new Position();
let picked = NONE;
let problem = "";

const board = new Board($("board"), onCell), pool = new Pool($("pool"), onPiece);
const oracle = new Oracle(show);
const mode = () => document.querySelector("input[name=mode]:checked").value;

function go(next, push = true) {
  position = next;
  picked = NONE;
  problem = "";
  const hash = address.text({ position: position.toText() });
  if (push && hash !== location.hash) history.pushState(null, "", hash);
  $("text").value = position.toText();
  oracle.ask(position);
  show();
}

function goText(text, push = true) {
  if (FORM.test(text)) {
    go(Position.parse(text), push);
    return;
  }
  oracle.stop();
  problem = `not a position: ${text.slice(0, 60)} (like ${EXAMPLE})`;
  show();
}

function onCell(cell) {
  if (mode() === "move") {
    if (!position.giving && position.legal.includes(cell)) go(position.play(cell));
  } else if (picked !== NONE && position.board[cell] === NONE) {
    go(new Position(position.board.with(cell, picked), position.hand === picked ? NONE : position.hand));
  } else if (position.board[cell] !== NONE) {
    go(new Position(position.board.with(cell, NONE), position.hand));
  }
}

function onPiece(piece) {
  if (mode() === "move") {
    if (position.giving && position.legal.includes(piece)) go(position.play(piece));
  } else if (picked === piece) {
    go(new Position(position.board, piece));
  } else {
    picked = piece;
    show();
  }
}

function openNow() {
  if (mode() === "set") return { cells: [...Array(16).keys()].filter((cell) => picked !== NONE || position.board[cell] !== NONE), pieces: position.pool };
  return { cells: position.giving ? [] : position.legal, pieces: position.giving ? position.legal : [] };
}

function sentence() {
  if (oracle.problem || problem) return "This is not a position";
  if (oracle.value === undefined) return oracle.busy ? "Searching" : "Stopped";
  if (position.over) return position.won ? "The game is won" : "The game is a draw";
  return `${SHAPES[oracle.value]} ${oracle.sentence(position)}`;
}

function show() {
  const open = openNow(), marked = { values: oracle.values, best: oracle.best() };
  board.show(position, { open: open.cells, ...(position.giving ? {} : marked) });
  pool.show(position, { open: open.pieces, picked, ...(position.giving ? marked : {}) });
  showHand($("hand"), position);
  $("what").textContent = sentence();
  $("what").className = oracle.value === undefined ? "" : `${WORDS[oracle.value]}-text`;
  const count = Object.keys(oracle.values).length, all = position.legal.length;
  const searched = oracle.seconds === undefined ? "" : `${(1000 * oracle.seconds).toFixed(1)} ms, ${oracle.nodes.toLocaleString("en")} nodes.`;
  const only = oracle.only ? `Only ${oracle.only} keeps the value. ` : "";
  $("more").textContent = position.over ? "" : `${only}${position.placed} piece${position.placed === 1 ? "" : "s"} on the board. ${searched}`;
  $("busy").hidden = !oracle.busy;
  $("progress").max = Math.max(1, all);
  $("progress").value = count;
  $("nodes").textContent = `${count} of ${all} moves${oracle.nodes ? `, ${oracle.nodes.toLocaleString("en")} nodes` : ""}`;
  $("problem").textContent = problem || oracle.problem;
  $("mode-help").textContent = HELP[mode()];
  showLine();
  document.body.dataset.done = oracle.done ? position.toText() : "";
}

function showLine() {
  let here = position;
  const buttons = (oracle.line ?? []).map((name) => {
    here = here.play(here.readMove(name.replace("!", "")));
    const target = here;
    return make("button", { type: "button", class: "mono", "aria-label": `go to the position after ${name}`, onclick: () => go(target) }, name);
  });
  const none = oracle.busy ? "Searching ..." : position.over ? "The game is over." : "Not searched.";
  fill($("line"), ...(buttons.length ? buttons : [make("span", { class: "soft" }, none)]));
}

$("form").addEventListener("submit", (event) => { event.preventDefault(); goText($("text").value); });
$("empty").addEventListener("click", () => goText(EMPTY));
$("example").addEventListener("click", () => goText(EXAMPLE));
$("back").addEventListener("click", () => history.back());
$("stop").addEventListener("click", () => { oracle.stop(); show(); });
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    speak("copied");
    $("copy").textContent = "Copied";
  } catch {
    $("copy").textContent = "Copy it from the address bar";
  }
  setTimeout(() => { $("copy").textContent = "Copy address"; }, 2000);
});
for (const one of document.querySelectorAll("input[name=mode]")) one.addEventListener("change", () => { picked = NONE; show(); });
addEventListener("popstate", () => goText(address.read().position ?? EXAMPLE, false));
// stop the search when the user leaves the page
addEventListener("pagehide", () => oracle.stop());

goText(address.read().position ?? EXAMPLE, false);
document.body.dataset.ready = "true";
