// The documentation: search, and tables and code that can be scrolled with the keyboard.
import { $, fill, make } from "/static/dom.js";

const MOST = 12, AROUND = 40;
let index = null;

async function load() {
  const { docs } = await (await fetch("search/search_index.json")).json();
  const pages = Object.fromEntries(docs.filter((one) => !one.location.includes("#")).map((one) => [one.location, one.title]));
  return docs.map((one) => {
    const page = one.location.split("#")[0], title = one.location === page ? one.title : `${pages[page]}: ${one.title}`;
    return { ...one, page, title, lower: `${title} ${one.text}`.toLowerCase() };
  });
}

// Sections that contain all words, those with words in their title first; of a page, if none of its
// sections does, the page.
async function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  index ??= await load();
  if (!words.length) return [];
  const weight = (one) => words.filter((word) => one.title.toLowerCase().includes(word)).length;
  const found = index.filter((one) => words.every((word) => one.lower.includes(word)));
  const inSections = new Set(found.filter((one) => one.location !== one.page).map((one) => one.page));
  return found.filter((one) => one.location !== one.page || !inSections.has(one.page)).sort((x, y) => weight(y) - weight(x)).slice(0, MOST);
}

function excerpt(one, text) {
  const at = one.text.toLowerCase().indexOf(text.toLowerCase().split(/\s+/)[0]);
  return at < 0 ? "" : `... ${one.text.slice(Math.max(0, at - AROUND), at + AROUND).replace(/\s+/g, " ")} ...`;
}

async function show() {
  const text = $("find").value.trim(), found = await find(text);
  if (text !== $("find").value.trim()) return;
  $("found").hidden = !text;
  fill($("found"), ...(found.length ? found.map((one) => make("li", {}, make("a", { href: one.location || "index.html" }, one.title, make("small", {}, excerpt(one, text)))))
    : [make("li", { class: "soft" }, "nothing found")]));
}

$("find").addEventListener("input", show);
for (const one of document.querySelectorAll("article pre, article table")) one.tabIndex = 0;
// the list of pages is open beside the text, and closed above it on a phone
const wide = matchMedia("(min-width: 821px)");
const adapt = () => { $("contents").open = wide.matches; };
wide.addEventListener("change", adapt);
adapt();
document.body.dataset.ready = "true";
