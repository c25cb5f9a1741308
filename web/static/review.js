// A game as text, or a recorded one, reviewed by the server.
import { $, address, fill, get, lines, make } from "/static/dom.js";
import { show as showReview } from "/static/review_view.js";

const EXAMPLE = "first: rulebased\nsecond: frontier\n8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4";
let abort = null;

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
    $("source").open = false;
    showReview(event.review);
  }
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
