// The summary of many reviewed games: on the server's page and in an offline file.
import { $, fill, make } from "/static/dom.js";
import { pieceSvg } from "/static/board.js";
import { NONE, Position, digit } from "/static/position.js";
import { facts, section } from "/static/sections.js";

// `data`: games_view of web/pages/games.py; `open`: shows the game of a mistake, if the server can be asked.
export function show(data, open = null) {
  $("summary").hidden = false;
  $("summary-title").textContent = data.title;
  $("note").textContent = data.note;
  fill($("facts"), facts(data.facts));
  fill($("lessons"), ...data.lessons.map((one, i) => lesson(one, i + 1, open)));
  if (!data.lessons.length) $("lessons").textContent = "No decision lost exact value.";
  fill($("tables"), ...data.sections.map((one) => section(one)));
  document.body.dataset.reviewed = "true";
}

function lesson(one, number, open) {
  const title = `${number}. Game ${one.game}, move ${one.number}`;
  const address = `/analyse#${new URLSearchParams({ position: one.position })}`;
  return make("article", { class: "card lesson" }, picture(one),
    make("div", {}, make("h3", {}, title), make("p", {}, `${one.sentence.replace(/^you /, "You ")}.`),
      make("p", { class: "small soft" }, `${one.shown_by}: `, make("span", { class: "mono" }, one.line.join(" "))),
      open && make("div", { class: "buttons" },
        make("button", { type: "button", onclick: () => open(one), "aria-label": `${title}: show the game` }, "Show the game"),
        make("a", { class: "button", href: address }, "Analyse"))));
}

// The board, and below it the piece in hand or the pool, with the move of the game and the right ones.
function picture(one) {
  const position = Position.parse(one.position), played = position.readMove(one.move), right = one.better.map((name) => position.readMove(name));
  const mark = (move) => (move === played ? " played" : right.includes(move) ? " right" : "");
  const axis = (text) => make("small", {}, text);
  const cells = position.board.flatMap((piece, cell) => [cell % 4 ? null : axis("abcd"[cell >> 2]),
    make("span", { class: `spot${position.giving ? "" : mark(cell)}` }, piece === NONE ? null : pieceSvg(piece, "-46 -60 92 92"))]);
  const pieces = position.giving ? position.pool : [position.hand];
  const below = pieces.map((piece) => make("span", { class: `spot${position.giving ? mark(piece) : ""}` }, pieceSvg(piece, "-46 -66 92 98"), axis(digit(piece))));
  const spots = make("div", { class: "spots" });
  fill(spots, axis(""), ...[1, 2, 3, 4].map(axis), ...cells);
  return make("div", { class: "mini", role: "img", "aria-label": `position ${one.position}` }, spots, make("div", { class: "row" }, ...below));
}
