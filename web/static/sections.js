// Sections of pages: tables and figures under headings.
import { fill, make } from "/static/dom.js";
import { draw } from "/static/chart.js";
import { table } from "/static/table.js";

export function section(content, link) {
  const made = make("section", { class: "card" }, make("h2", {}, content.title));
  made.append(...parts(content, link));
  return made;
}

function parts(content, link) {
  const made = [];
  if (content.text) made.push(make("p", { class: "soft" }, content.text));
  if (content.rows) made.push(table(content.rows, content.numbers, link));
  for (const [about, command] of Object.entries(content.commands ?? {})) {
    made.push(make("p", { class: "small soft" }, about), make("pre", { tabindex: "0" }, command));
  }
  if (content.figure) {
    const figure = make("div", { class: "figure", role: "figure", "aria-label": `${content.title}. ${content.text ?? ""}` });
    figure.style.minHeight = `${content.figure.layout.height ?? 380}px`;
    made.push(figure);
    queueMicrotask(() => draw(figure, content.figure));
  }
  return made;
}

export function facts(values) {
  return make("dl", { class: "facts" }, ...Object.entries(values).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

// Sections that can be updated; unchanged ones stay as they are.
export class Sections {
  constructor(parent, link) {
    this.parent = parent;
    this.link = link;
    this.shown = new Map();
  }

  show(sections) {
    const now = new Map();
    for (const content of sections) {
      const text = JSON.stringify(content), before = this.shown.get(content.title);
      if (before?.text === text) now.set(content.title, before);
      else if (before && content.figure && before.figure) {
        draw(before.element.querySelector(".figure"), content.figure);
        now.set(content.title, { ...before, text });
      } else now.set(content.title, { text, figure: Boolean(content.figure), element: section(content, this.link) });
    }
    const elements = [...now.values()].map((one) => one.element);
    if (elements.length !== this.parent.children.length || elements.some((one, i) => this.parent.children[i] !== one)) fill(this.parent, ...elements);
    this.shown = now;
  }
}
