// A game as text or a recorded game, reviewed by the server.
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
  runs = (await get("/api/runs")).runs.filter((run) => run.kind === "tournament");
  fill($("run"), make("option", { value: "" }, runs.length ? "choose" : "none in the folder"), ...runs.map((run) => make("option", { value: run.name }, run.name)));
}

async function listSteps(wanted = "") {
  const name = $("run").value;
  const path = name.split("/").map(encodeURIComponent).join("/");
  const page = name ? await get(`/api/runs/${path}`) : { recorded: [] };
  fill($("step"), ...page.recorded.map((step) => make("option", { value: step, selected: step === wanted }, step)));
  $("fetch").disabled = !page.recorded.length;
  if (name && !page.recorded.length) $("problem").textContent = `${name} has no recorded games: run the tournament with --record`;
}

async function takeRecorded() {
  try {
    const game = await get("/api/game", { run: $("run").value, step: $("step").value, game: $("number").value });
    $("text").value = game.text;
    $("number").max = game.games;
    history.replaceState(null, "", address.text({ run: game.run, step: game.step, number: game.game }));
    await review(game.text);
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
  // the first game of the file
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
