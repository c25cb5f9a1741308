// The page of a run as a file of its own that opens offline.
import { $, fill, make } from "/static/dom.js";
import { facts, section } from "/static/sections.js";

export function show(page) {
  const remarks = page.remarks.map((text) => make("p", { class: "problem" }, text));
  const sections = make("div", { class: "stack" }, ...page.sections.map((one) => section(one)));
  fill($("main"), make("h1", {}, page.title), make("p", { class: "soft" }, page.about), ...remarks, facts(page.facts), sections);
  document.body.dataset.ready = "true";
}
