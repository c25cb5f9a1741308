// What the server tells of a run, a league or a player: tables and figures under headings.
import { fill, make } from "/static/dom.js";
import { draw } from "/static/chart.js";
import { table } from "/static/table.js";

export function section(told, link) {
  const made = make("section", { class: "card" }, make("h2", {}, told.title));
  made.append(...parts(told, link));
  return made;
}

function parts(told, link) {
  const made = [];
  if (told.text) made.push(make("p", { class: "soft" }, told.text));
  if (told.rows) made.push(table(told.rows, told.numbers, link));
  for (const [about, command] of Object.entries(told.commands ?? {})) {
    made.push(make("p", { class: "small soft" }, about), make("pre", { tabindex: "0" }, command));
  }
  if (told.figure) {
    const figure = make("div", { class: "figure", role: "figure", "aria-label": `${told.title}. ${told.text ?? ""}` });
    figure.style.minHeight = `${told.figure.layout.height ?? 380}px`;
    made.push(figure);
    queueMicrotask(() => draw(figure, told.figure));
  }
  return made;
}

export function facts(told) {
  return make("dl", { class: "facts" }, ...Object.entries(told).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

// The same page again with newer figures: what stays the same is not touched.
export class Sections {
  constructor(parent, link) {
    this.parent = parent;
    this.link = link;
    this.shown = new Map();
  }

  show(sections) {
    const now = new Map();
    for (const told of sections) {
      const text = JSON.stringify(told), before = this.shown.get(told.title);
      if (before?.text === text) now.set(told.title, before);
      else if (before && told.figure && before.figure) {
        draw(before.element.querySelector(".figure"), told.figure);
        now.set(told.title, { ...before, text });
      } else now.set(told.title, { text, figure: Boolean(told.figure), element: section(told, this.link) });
    }
    const elements = [...now.values()].map((one) => one.element);
    if (elements.length !== this.parent.children.length || elements.some((one, i) => this.parent.children[i] !== one)) fill(this.parent, ...elements);
    this.shown = now;
  }
}
