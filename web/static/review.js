// A game as text or a recorded game, reviewed by the server.
import { $, address, fill, get, lines, make, path, runPath } from "/static/dom.js";
import { go, show as showReview } from "/static/review_view.js";
import { show as showSummary } from "/static/summary_view.js";

const EXAMPLE = "first: rulebased\nsecond: frontier\n8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4";
const MAX_BYTES = 256 * 1024, MAX_IN_ADDRESS = 4000;
let abort = null;

// Posts a text, or asks for the recorded games of a run.
async function review(where, text) {
  abort?.abort();
  abort = new AbortController();
  $("problem").textContent = "";
  $("far").textContent = "";
  $("progress").removeAttribute("value");
  $("busy").hidden = false;
  try {
    await lines(where, take, { signal: abort.signal, body: text });
  } catch (error) {
    if (error.name === "AbortError") return;
    $("problem").textContent = error.message;
  }
  $("busy").hidden = true;
}

const reviewText = (text) => review("/api/review", text);

function take(event) {
  const total = event.decisions ?? event.games, done = event.judged ?? event.reviewed;
  if (total) $("progress").max = total;
  if (done) {
    $("progress").value = done;
    $("far").textContent = `${done} of ${$("progress").max} ${event.judged ? "decisions" : "games"}`;
  }
  if (event.summary) {
    showSummary(event.summary, openGame);
    showOne("summary");
  }
  if (event.review) {
    showReview(event.review);
    showOne("shown");
  }
}

// Shows the summary or a game.
function showOne(which) {
  $("source").open = false;
  $("summary").hidden = which !== "summary";
  $("shown").hidden = which !== "shown";
  $("return").hidden = which === "summary" || !$("lessons").children.length;
}

// The game of an instructive mistake, at the mistake.
async function openGame(lesson) {
  await reviewText(lesson.text);
  go(lesson.ply);
  scrollTo({ top: 0 });
}

function reviewEntered() {
  const text = $("text").value;
  // an address holds a game or a few
  history.replaceState(null, "", text.length > MAX_IN_ADDRESS ? location.pathname : address.text({ game: text }));
  reviewText(text);
}

// recorded games

let runs = [];

async function listRuns() {
  runs = (await get("/api/runs")).runs.filter((run) => run.kind === "tournament");
  fill($("run"), make("option", { value: "" }, runs.length ? "choose" : "none"), ...runs.map((run) => make("option", { value: run.name }, run.name)));
}

async function listSteps(wanted = "") {
  const name = $("run").value;
  const page = name ? await get(runPath(name)) : { recorded: [] };
  fill($("step"), make("option", { value: "" }, page.recorded.length ? "all" : ""), ...page.recorded.map((step) => make("option", { value: step, selected: step === wanted }, step)));
  $("all").disabled = !page.recorded.length;
  allowGame();
  if (name && !page.recorded.length) $("problem").textContent = `${name} has no recorded games: run the tournament with --record`;
}

const allowGame = () => { $("fetch").disabled = $("number").disabled = !$("step").value; };

function reviewRecorded() {
  const games = { run: $("run").value, step: $("step").value };
  history.replaceState(null, "", address.text(games));
  return review(path("/api/review", games.step ? games : { run: games.run }));
}

async function takeRecorded() {
  try {
    const game = await get("/api/game", { run: $("run").value, step: $("step").value, game: $("number").value });
    $("text").value = game.text;
    $("number").max = game.games;
    history.replaceState(null, "", address.text({ run: game.run, step: game.step, number: game.game }));
    await reviewText(game.text);
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  reviewEntered();
});
$("run").addEventListener("change", () => listSteps());
$("step").addEventListener("change", allowGame);
$("all").addEventListener("click", reviewRecorded);
$("stop").addEventListener("click", () => { abort?.abort(); $("busy").hidden = true; });
$("to-summary").addEventListener("click", () => showOne("summary"));
$("fetch").addEventListener("click", takeRecorded);
$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (!file) return;
  if (file.size > MAX_BYTES) {
    $("problem").textContent = `${file.name} has more than 256 KiB: python -m oracle.review ${file.name} takes more`;
    return;
  }
  $("text").value = (await file.text()).trim();
  reviewEntered();
});
const wanted = address.read();
$("text").value = wanted.game ?? EXAMPLE;
await listRuns().catch((error) => { $("problem").textContent = error.message; });
if (wanted.run) {
  $("run").value = wanted.run;
  await listSteps(wanted.step).catch((error) => { $("problem").textContent = error.message; });
  $("number").value = wanted.number ?? 1;
  await (wanted.number ? takeRecorded() : reviewRecorded());
} else if (wanted.game) await reviewText(wanted.game);
document.body.dataset.ready = "true";
