// The list of runs, refreshed every few seconds.
import { $, fill, get, make, path } from "/static/dom.js";

const EVERY = 3000, MOST = 8;
const chosen = new Set();
let shown = "";

function age(time) {
  const seconds = Math.max(0, Date.now() / 1000 - time);
  for (const [size, unit] of [[86400, "day"], [3600, "hour"], [60, "minute"]]) {
    const count = Math.floor(seconds / size);
    if (count) return `${count} ${unit}${count > 1 ? "s" : ""} ago`;
  }
  return `${Math.floor(seconds)} s ago`;
}

function sizeText(size) {
  for (const unit of ["B", "kB", "MB"]) {
    if (size < 1000) return unit === "B" ? `${size} B` : `${size.toFixed(1)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(1)} GB`;
}

function row(run) {
  const box = make("input", { type: "checkbox", value: run.name, "aria-label": `choose ${run.name}`, onchange: choose });
  box.checked = chosen.has(run.name);
  return make("tr", {}, make("td", {}, box), make("td", { class: "short" }, make("a", { href: path("/run", { name: run.name }) }, run.name)), make("td", {}, run.kind),
    make("td", {}, make("span", { class: `state ${run.state}` }, run.state)), make("td", { class: !run.problem && "short" }, run.problem || run.how_far),
    make("td", { class: "short" }, age(run.time)), make("td", { class: "number" }, sizeText(run.size)), make("td", { class: "short" }, run.champion));
}

function choose(event) {
  if (event.target.checked) chosen.add(event.target.value);
  else chosen.delete(event.target.value);
  $("compare").disabled = chosen.size < 2 || chosen.size > MOST;
}

async function look() {
  try {
    const { runs } = await get("/api/runs");
    $("problem").textContent = "";
    const text = JSON.stringify(runs.map((run) => ({ ...run, time: age(run.time) })));
    if (text === shown) return;
    shown = text;
    if (!runs.length) {
      fill($("table"), make("p", {}, "There are no runs yet. To make one: "), make("pre", {}, "python -m evo.run --generations 200"));
      return;
    }
    const heads = ["choose", "run", "what", "state", "how far", "when", "size", "champion"];
    const head = make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))));
    fill($("table"), make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "runs" },
      make("table", {}, head, make("tbody", {}, ...runs.map(row)))));
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [first, ...others] = chosen;
  location.href = path("/run", [["name", first], ...others.map((name) => ["with", name])]);
});
await look();
setInterval(() => { if (!document.hidden) look(); }, EVERY);
document.body.dataset.ready = "true";
