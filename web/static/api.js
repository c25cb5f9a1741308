// The paths of the API with examples that run.
import { $, make } from "/static/dom.js";

const POSITION = "4.../c.b./7.1./3ed. 0", GAME = "8-a1 7-d4 0-";
const q = (values) => `?${new URLSearchParams(values)}`;
const PATHS = [
  ["/api/analyse", "The exact value of a position and of every move, as python -m engine.solve --moves --json prints it. Values are for the player to move: 1 win, 0 draw, -1 loss. distance=1: placements until the end; line=1: the principal variation.", q({ position: POSITION, distance: 1, line: 1 })],
  ["/api/analyse/live", "The same as lines of JSON, each as soon as it is computed. Closing the connection stops the search.", q({ position: POSITION })],
  ["/api/turns", "The exact value of every turn, by cell and piece; - is the piece after a placement that ends the game. size=N adds the turns that the strategy of N rules prefers (position without a winning cell), and its English.", q({ position: POSITION, size: 1 })],
  ["/api/card", "A flash card: a position of 5 to 12 pieces with its turns, as /api/turns returns them. The same numbers give the same card.", q({ pieces: 8, number: 1, seed: 0, size: 1 })],
  ["/api/strategies", "The strategies that ship, by number of rules, in English.", ""],
  ["/api/puzzles", "The 300 puzzles that ship, the easiest first.", ""],
  ["/api/position", "Legal moves, winning cells and safe pieces, by the rules alone, of a position or a game.", q({ position: POSITION })],
  ["/api/decide", "The decision of a player in a game or a position. The same seed gives the same decision.", q({ player: "pro", game: GAME, seed: 7 })],
  ["/api/players", "All players with options, Elo, right turns in percent and microseconds per move, and the levels.", ""],
  ["/api/player", "One player in detail.", q({ name: "beam" })],
  ["/api/league", "The league, or a tournament of the folder with run=NAME: tables and plotly figures.", ""],
  ["/api/runs", "All runs of the folder.", ""],
  ["/api/runs/NAME", "The contents of a run, as its page shows them.", null],
  ["/api/live", "The same as server-sent events while the run goes on: run=NAME.", null],
  ["/api/compare", "A comparison of two or more runs, as its page shows it: run=NAME&run=NAME.", null],
  ["/api/game", "A recorded game as text: run=NAME, step=games-0000, game=1.", null],
  ["/api/review", "POST a game as text. The answer is lines of JSON: the number of decisions, one line for each as it is judged, then the whole review; for several games, a summary.", null, "first: a\nsecond: b\n8-a1 7-d4 0-b2 f-c3"],
];

function entry([where, about, query, body]) {
  const card = make("section", { class: "card" }, make("h2", { class: "mono" }, where), make("p", {}, about));
  if (query === null && !body) return card;
  const command = body ? `curl --data-binary $'${body.replaceAll("\n", "\\n")}' '${location.origin}${where}'` : `curl '${location.origin}${where}${query}'`;
  const answer = make("pre", { hidden: true, tabindex: "0", style: "max-height: 340px; overflow: auto" });
  const run = make("button", { type: "button", onclick: async () => {
    answer.hidden = false;
    answer.textContent = "...";
    try {
      const response = await fetch(where + (query ?? ""), body ? { method: "POST", body } : {});
      answer.textContent = shorten(await response.text());
    } catch (error) {
      answer.textContent = error.message;
    }
  } }, "Run", make("span", { class: "unseen" }, ` ${where}`));
  card.append(make("pre", { tabindex: "0" }, command), run, answer);
  return card;
}

function shorten(text) {
  try { text = JSON.stringify(JSON.parse(text), null, 1).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inside) => `[${inside.replace(/\s+/g, " ")}]`); } catch { /* lines */ }
  return text.length > 6000 ? `${text.slice(0, 6000)}\n... ${text.length.toLocaleString("en")} characters` : text;
}

$("list").append(...PATHS.map(entry));
document.body.dataset.ready = "true";
