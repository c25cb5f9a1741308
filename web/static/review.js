// A game step by step, every decision with its exact value.
import { $, address, fill, get, lines, make } from "/static/dom.js";
import { Board, Pool, showHand } from "/static/board.js";
import { Position, SHAPES, WORDS, worth } from "/static/position.js";
import { table } from "/static/sections.js";

const MARKS = { "??": "a win became a loss", "?": "half of the value was lost", "!": "the only move that keeps the value" };
const EXAMPLE = "first: rulebased\nsecond: frontier\n8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4";
const board = new Board($("board"), () => {}), pool = new Pool($("pool"), () => {});
let game = null, here = 0, abort = null;

const who = (step) => game.players[step.player === "first" ? 0 : 1];
const handOf = (text) => text.split(" ")[1];
const act = (step) => (step.kind === "give" ? `gives ${step.move}` : `places ${handOf(step.position)} on ${step.move}`);

async function review(text) {
  abort?.abort();
  abort = new AbortController();
  $("problem").textContent = "";
  $("busy").hidden = false;
  try {
    await lines("/api/review", take, { signal: abort.signal, body: text });
  } catch (error) {
    if (error.name === "AbortError") return;
    $("problem").textContent = error.message;
  }
  $("busy").hidden = true;
}

function take(event) {
  if ("decisions" in event) $("progress").max = event.decisions;
  if ("judged" in event) $("progress").value = event.judged;
  if (event.review) {
    game = event.review;
    $("shown").hidden = false;
    $("source").open = false;
    tellWhole();
    show(0);
    document.body.dataset.reviewed = "true";
  }
}

function outcome() {
  if (game.result === "draw") return "a draw";
  if (game.result === "unfinished") return "not finished";
  return `${game.players[game.result === "first wins" ? 0 : 1]} wins`;
}

function tellWhole() {
  $("title").textContent = game.players.join(" against ");
  $("outcome").textContent = `${game.players[0]} gives first; ${outcome()}`;
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
  $("above").textContent = `● high: ${game.players[0]} wins`;
  $("below").textContent = `○ low: ${game.players[1]} wins`;
  fill($("line"), ...[...steps, null].map((step, i) => {
    // what the position is worth to the first player
    const last = steps[end - 1], one = step ?? { ...last, value: last.after };
    const value = one.player === "first" ? one.value : -one.value;
    const name = step ? `move ${step.number}, ${who(step)} ${act(step)}` : "the end";
    const title = step?.mark ? `${name} ${step.mark}: ${MARKS[step.mark]}` : name;
    const classes = ["tick", value > 0 ? "up" : value < 0 ? "down" : "level", step && step.after < step.value ? "lost" : ""];
    return make("button", { type: "button", class: classes.join(" "), "data-step": i, title, "aria-label": title, tabindex: "-1", onclick: () => show(i) },
      make("span", { class: "sign" }, step?.mark ?? ""), make("span", { class: "dot" }));
  }));
}

function makeMoves() {
  const items = [];
  game.decisions.forEach((step, i) => {
    if (step.kind === "give") items.push(make("li", {}, make("span", { class: "count" }, `${step.number}.`)));
    else items.at(-1).append("-");
    const mark = step.mark ? make("b", { class: step.mark === "!" ? "only" : "" }, step.mark) : null;
    items.at(-1).append(make("button", { type: "button", "data-step": i, "aria-label": `${who(step)} ${act(step)}`, onclick: () => show(i) }, step.move, mark));
  });
  fill($("moves"), ...items);
}

function nextMistake() {
  return game.decisions.findIndex((step, i) => i > here && step.after < step.value);
}

function show(step) {
  const end = game.decisions.length;
  here = Math.max(0, Math.min(end, step));
  const now = game.decisions[here], position = Position.parse(now ? now.position : game.end);
  const known = {}, marks = {}, best = [];
  for (const [name, value] of Object.entries(now?.values ?? {})) known[position.readMove(name)] = { value, distance: now.distances[name] };
  if (now) best.push(position.readMove(now.move));
  if (now?.mark) marks[best[0]] = now.mark;
  const told = { known, marks, best };
  board.show(position, now?.kind === "place" ? told : {});
  pool.show(position, now?.kind === "give" ? told : {});
  showHand($("hand"), position);
  tell(now);
  $("where").textContent = `${here} of ${end} decisions`;
  for (const one of document.querySelectorAll("[data-step]")) one.classList.toggle("here", Number(one.dataset.step) === here);
  $("start").disabled = $("back").disabled = here === 0;
  $("end").disabled = $("next").disabled = here === end;
  $("mistake").disabled = nextMistake() < 0;
  $("analyse").href = `/analyse#${new URLSearchParams({ position: position.toText() })}`;
}

function tell(step) {
  const value = (v, distance) => make("b", { class: `${WORDS[v]}-text` }, `${SHAPES[v]} ${worth(v, distance)}`);
  if (!step) {
    $("what").textContent = `The end: ${outcome()}`;
    fill($("value"), game.verdict);
    $("better").textContent = "";
    return;
  }
  $("what").textContent = `Move ${step.number}: ${who(step)} ${act(step)} ${step.mark}`;
  fill($("value"), value(step.value, step.distance), " before, ", value(step.after, step.after_distance), " after");
  const better = step.better.length ? `better: ${step.better.join(" ")}` : "";
  $("better").textContent = [MARKS[step.mark], better].filter(Boolean).join("; ");
}

// recorded games

let runs = [];

async function listRuns() {
  const told = await get("/api/runs");
  runs = told.runs.filter((run) => run.kind === "tournament");
  fill($("run"), make("option", { value: "" }, runs.length ? "choose" : "none in the folder"), ...runs.map((run) => make("option", { value: run.name }, run.name)));
}

async function listSteps(wanted = "") {
  const name = $("run").value;
  const told = name ? await get(`/api/runs/${name.split("/").map(encodeURIComponent).join("/")}`) : { recorded: [] };
  fill($("step"), ...told.recorded.map((step) => make("option", { value: step, selected: step === wanted }, step)));
  $("fetch").disabled = !told.recorded.length;
  if (name && !told.recorded.length) $("problem").textContent = `${name} keeps no moves: a tournament does with --record`;
}

async function takeRecorded() {
  try {
    const told = await get("/api/game", { run: $("run").value, step: $("step").value, game: $("number").value });
    $("text").value = told.text;
    $("number").max = told.games;
    history.replaceState(null, "", address.text({ run: told.run, step: told.step, number: told.game }));
    await review(told.text);
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  history.replaceState(null, "", address.text({ game: $("text").value }));
  review($("text").value);
});
$("run").addEventListener("change", () => listSteps());
$("fetch").addEventListener("click", takeRecorded);
$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (!file) return;
  if (file.size > 60000) { $("problem").textContent = `${file.name} is too large for one game`; return; }
  // of a file of many games, the first
  $("text").value = (await file.text()).trim().split(/\n\s*\n/)[0];
  review($("text").value);
});
const jump = { start: () => 0, back: () => here - 1, next: () => here + 1, end: () => game.decisions.length, mistake: nextMistake };
for (const [id, where] of Object.entries(jump)) $(id).addEventListener("click", () => show(where()));
addEventListener("keydown", (event) => {
  if (!game || event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "start", End: "end", m: "mistake", M: "mistake" };
  if (!(event.key in keys) || event.target.closest(".board, .pool")) return;
  event.preventDefault();
  if (!$(keys[event.key]).disabled) show(jump[keys[event.key]]());
});

const wanted = address.read();
$("text").value = wanted.game ?? EXAMPLE;
await listRuns().catch((error) => { $("problem").textContent = error.message; });
if (wanted.run) {
  $("run").value = wanted.run;
  await listSteps(wanted.step).catch((error) => { $("problem").textContent = error.message; });
  $("number").value = wanted.number ?? 1;
  await takeRecorded();
} else if (wanted.game) await review(wanted.game);
document.body.dataset.ready = "true";
