// A reviewed game, step by step: on the server's page and in an offline file.
import { $, fill, make } from "/static/dom.js";
import { Board, Pool, showHand } from "/static/board.js";
import { Position, SHAPES, WORDS, worth } from "/static/position.js";
import { table } from "/static/table.js";

const MARKS = { "??": "a win became a loss", "?": "half of the value was lost", "!": "the only move that keeps the value" };
const board = new Board($("board"), () => {}), pool = new Pool($("pool"), () => {});
let game = null, here = 0;

const who = (step) => game.players[step.player === "first" ? 0 : 1];
// "pro wins", but "you win"
const does = (name, verb) => `${name} ${verb}${name === "you" ? "" : "s"}`;
const capital = (name) => (name.startsWith("you ") ? `Y${name.slice(1)}` : name);
const handOf = (text) => text.split(" ")[1];
const act = (step) => `${does(who(step), step.kind)} ${step.kind === "give" ? step.move : `${handOf(step.position)} on ${step.move}`}`;

// `reviewed`: what `python -m oracle.review --json` prints.
export function show(reviewed) {
  game = reviewed;
  $("shown").hidden = false;
  // analysing needs the server
  $("analyse").hidden = location.protocol === "file:";
  showSummary();
  go(0);
  document.body.dataset.reviewed = "true";
}

function outcome() {
  if (game.result === "draw") return "a draw";
  if (game.result === "unfinished") return "not finished";
  return does(game.players[game.result === "first wins" ? 0 : 1], "win");
}

function showSummary() {
  $("title").textContent = capital(game.players.join(" against "));
  $("outcome").textContent = capital(`${does(game.players[0], "give")} first; ${outcome()}`);
  $("verdict").textContent = game.verdict;
  const share = (part, of) => (of ? `${part} of ${of}, ${Math.round((100 * part) / of)} %` : "none");
  const rows = [["", ...game.players], ...[["at stake", "right", "at_stake"], ["of all", "kept", "decisions"]].map(([name, part, of]) => [
    name, ...["first", "second"].map((seat) => share(game.accuracy[seat][part], game.accuracy[seat][of]))])];
  fill($("accuracy"), table(rows, [false, false, false]));
  makeTimeLine();
  makeMoves();
}

function makeTimeLine() {
  const steps = game.decisions, end = steps.length;
  $("above").textContent = `● high: ${does(game.players[0], "win")}`;
  $("below").textContent = `○ low: ${does(game.players[1], "win")}`;
  fill($("line"), ...[...steps, null].map((step, i) => {
    // the value for the first player
    const last = steps[end - 1], one = step ?? { ...last, value: last.after };
    const value = one.player === "first" ? one.value : -one.value;
    const name = step ? `move ${step.number}, ${act(step)}` : "the end";
    const title = step?.mark ? `${name} ${step.mark}: ${MARKS[step.mark]}` : name;
    const classes = ["tick", value > 0 ? "up" : value < 0 ? "down" : "level", step && step.after < step.value ? "lost" : ""];
    return make("button", { type: "button", class: classes.join(" "), "data-step": i, title, "aria-label": title, tabindex: "-1", onclick: () => go(i) },
      make("span", { class: "sign" }, step?.mark ?? ""), make("span", { class: "dot" }));
  }));
}

function makeMoves() {
  const items = [];
  game.decisions.forEach((step, i) => {
    if (step.kind === "give") items.push(make("li", {}, make("span", { class: "count" }, `${step.number}.`)));
    else items.at(-1).append("-");
    const mark = step.mark ? make("b", { class: step.mark === "!" ? "only" : "" }, step.mark) : null;
    items.at(-1).append(make("button", { type: "button", "data-step": i, "aria-label": act(step), onclick: () => go(i) }, step.move, mark));
  });
  fill($("moves"), ...items);
}

function nextMistake() {
  return game.decisions.findIndex((step, i) => i > here && step.after < step.value);
}

export function go(step) {
  const end = game.decisions.length;
  here = Math.max(0, Math.min(end, step));
  const now = game.decisions[here], position = Position.parse(now ? now.position : game.end);
  const values = {}, marks = {}, best = [];
  for (const [name, value] of Object.entries(now?.values ?? {})) values[position.readMove(name)] = { value, distance: now.distances[name] };
  if (now) best.push(position.readMove(now.move));
  if (now?.mark) marks[best[0]] = now.mark;
  const marked = { values, marks, best };
  board.show(position, now?.kind === "place" ? marked : {});
  pool.show(position, now?.kind === "give" ? marked : {});
  showHand($("hand"), position);
  showStep(now);
  $("where").textContent = now ? `decision ${here + 1} of ${end}` : `end, ${end} decisions`;
  for (const one of document.querySelectorAll("[data-step]")) one.classList.toggle("here", Number(one.dataset.step) === here);
  $("start").disabled = $("back").disabled = here === 0;
  $("end").disabled = $("next").disabled = here === end;
  $("mistake").disabled = nextMistake() < 0;
  $("analyse").href = `/analyse#${new URLSearchParams({ position: position.toText() })}`;
}

function showStep(step) {
  const value = (v, distance) => make("b", { class: `${WORDS[v]}-text` }, `${SHAPES[v]} ${worth(v, distance)}`);
  if (!step) {
    $("what").textContent = `The end: ${outcome()}`;
    fill($("value"), game.verdict);
    $("better").textContent = "";
    return;
  }
  $("what").textContent = `Move ${step.number}: ${act(step)} ${step.mark}`;
  fill($("value"), value(step.value, step.distance), " before, ", value(step.after, step.after_distance), " after");
  const better = step.better.length ? `better: ${step.better.join(" ")}` : "";
  $("better").textContent = [MARKS[step.mark], better].filter(Boolean).join("; ");
}

const jump = { start: () => 0, back: () => here - 1, next: () => here + 1, end: () => game.decisions.length, mistake: nextMistake };
for (const [id, where] of Object.entries(jump)) $(id).addEventListener("click", () => go(where()));
addEventListener("keydown", (event) => {
  if (!game || event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "start", End: "end", m: "mistake", M: "mistake" };
  if (!(event.key in keys) || event.target.closest(".board, .pool")) return;
  event.preventDefault();
  if (!$(keys[event.key]).disabled) go(jump[keys[event.key]]());
});
