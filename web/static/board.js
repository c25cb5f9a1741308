// Board, pool and hand as buttons for mouse, touch and arrow keys.
import { make, fill } from "/static/dom.js";
import { NONE, PIECES, SHAPES, WORDS, cellName, describe, digit, worth } from "/static/position.js";

export function pieceSvg(piece, box = "-36 -68 72 94", classes = "") {
  return make("svg", { viewBox: box, class: classes, "aria-hidden": "true", focusable: "false" },
    make("use", { href: `#p${digit(piece)}` }));
}

const CELL_BOX = "-46 -60 92 92";

function worthOf(entry) {
  if (entry?.value === undefined) return null;
  const word = entry.distance ? `${WORDS[entry.value]} ${entry.distance}` : WORDS[entry.value];
  return make("span", { class: "worth", "aria-hidden": "true" },
    make("span", { class: "shape" }, SHAPES[entry.value]), make("span", { class: "word" }, word));
}

function spokenWorth(entry) {
  return entry?.value === undefined ? "" : `: ${worth(entry.value, entry.distance)}`;
}

// Arrow keys move through a group of buttons with `columns` per row; Home and End go to its ends. Tab
// stops at the group once.
function walk(group, buttons, columns) {
  group.addEventListener("keydown", (event) => {
    const here = buttons.indexOf(document.activeElement), row = here - (here % columns);
    if (here < 0) return;
    const next = {
      ArrowRight: Math.min(here + 1, row + columns - 1), ArrowLeft: Math.max(here - 1, row),
      ArrowDown: here + columns < buttons.length ? here + columns : here,
      ArrowUp: here >= columns ? here - columns : here, Home: 0, End: buttons.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[next].focus();
  });
  group.addEventListener("focusin", (event) => stopAt(buttons, buttons.indexOf(event.target)));
}

function stopAt(buttons, index) {
  buttons.forEach((one, i) => one.setAttribute("tabindex", i === index ? 0 : -1));
}

// Buttons that cannot be used now stay focusable, so that they can be read.
function allow(buttons, open) {
  buttons.forEach((one, i) => one.setAttribute("aria-disabled", !open.includes(i)));
  const here = buttons.indexOf(document.activeElement);
  if (here < 0) stopAt(buttons, open[0] ?? 0);
}

const when = (act) => (event) => {
  if (event.currentTarget.getAttribute("aria-disabled") !== "true") act();
};

export class Board {
  constructor(parent, onCell) {
    this.cells = PIECES.map((cell) => make("button", { type: "button", class: "cell", onclick: when(() => onCell(cell)) }));
    this.element = make("div", { class: "board", role: "group", "aria-label": "Board" });
    const corner = make("span", { class: "axis" });
    this.element.append(corner, ...[1, 2, 3, 4].map((n) => make("span", { class: "axis", "aria-hidden": "true" }, `${n}`)));
    for (let row = 0; row < 4; row++) {
      this.element.append(make("span", { class: "axis", "aria-hidden": "true" }, "abcd"[row]));
      this.element.append(...this.cells.slice(4 * row, 4 * row + 4));
    }
    walk(this.element, this.cells, 4);
    parent.append(this.element);
  }

  // open: cells that can be chosen; values: cell -> {value, distance}; best: cells to highlight
  show(position, { open = [], values = {}, best = [], last = NONE, picked = NONE, marks = {} } = {}) {
    const line = position.line;
    allow(this.cells, open);
    this.cells.forEach((button, cell) => {
      const piece = position.board[cell], entry = values[cell], classes = ["cell"];
      if (open.includes(cell)) classes.push("open");
      if (line.includes(cell)) classes.push("line");
      else if (cell === last) classes.push("last");
      if (entry?.value !== undefined) classes.push(WORDS[entry.value]);
      if (best.includes(cell)) classes.push("best");
      if (cell === picked) classes.push("picked");
      button.className = classes.join(" ");
      const what = piece === NONE ? "empty" : `piece ${describe(piece)}`;
      button.setAttribute("aria-label", `${cellName(cell)}: ${what}${spokenWorth(entry)}${marks[cell] ? `, ${marks[cell]}` : ""}`);
      const inside = piece !== NONE ? [pieceSvg(piece, CELL_BOX), make("span", { class: "name", "aria-hidden": "true" }, digit(piece))]
        : entry?.value !== undefined ? [worthOf(entry)]
          : open.includes(cell) && position.hand !== NONE ? [pieceSvg(position.hand, CELL_BOX, "ghost")] : [];
      if (marks[cell]) inside.push(make("span", { class: "mark", "aria-hidden": "true" }, marks[cell]));
      fill(button, ...inside);
    });
  }

  focus() { this.cells.find((one) => one.tabIndex === 0)?.focus(); }
}

export class Pool {
  constructor(parent, onPiece) {
    this.slots = PIECES.map((piece) => make("button", { type: "button", class: "slot", onclick: when(() => onPiece(piece)) },
      make("span", { class: "name", "aria-hidden": "true" }, digit(piece)), pieceSvg(piece)));
    this.element = make("div", { class: "pool", role: "group", "aria-label": "Pool: pieces that are left" }, ...this.slots);
    walk(this.element, this.slots, 8);
    parent.append(this.element);
  }

  show(position, { open = [], values = {}, best = [], marks = {}, picked = NONE } = {}) {
    const pool = position.pool;
    allow(this.slots, open);
    this.slots.forEach((button, piece) => {
      const entry = values[piece], there = pool.includes(piece), classes = ["slot"];
      if (!there) classes.push("gone");
      if (open.includes(piece)) classes.push("open");
      if (there && entry?.value !== undefined) classes.push(WORDS[entry.value]);
      if (best.includes(piece)) classes.push("best");
      if (piece === picked) classes.push("picked");
      button.className = classes.join(" ");
      button.setAttribute("aria-label", there ? `piece ${describe(piece)}${spokenWorth(entry)}` : `piece ${digit(piece)} is not in the pool`);
      button.querySelector(".worth")?.remove();
      button.querySelector(".mark")?.remove();
      if (there && entry?.value !== undefined) button.append(worthOf(entry));
      if (marks[piece]) button.append(make("span", { class: "mark", "aria-hidden": "true" }, marks[piece]));
    });
  }

  focus() { this.slots.find((one) => one.tabIndex === 0)?.focus(); }
}

export function showHand(parent, position) {
  const full = position.hand !== NONE;
  parent.className = full ? "hand full" : "hand";
  const inside = full ? pieceSvg(position.hand, "-38 -66 76 92") : make("svg", { viewBox: "-38 -66 76 92", "aria-hidden": "true" });
  const label = full ? `piece ${describe(position.hand)}, in hand` : "the hand is empty";
  fill(parent, make("div", { class: "seat", role: "img", "aria-label": label }, inside),
    make("small", { "aria-hidden": "true" }, full ? `in hand: ${digit(position.hand)}` : "empty hand"));
}
