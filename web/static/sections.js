// Sections of pages: tables and figures under headings.
import { fill, make, refill } from "/static/dom.js";
import { draw, heightOf } from "/static/chart.js";
import { table } from "/static/table.js";

export function section(content, link) {
  if (!content.folded) return make("section", { class: "card" }, make("h2", {}, content.title), ...parts(content, link));
  return make("details", { class: "card" }, make("summary", {}, make("h2", {}, content.title)), ...parts(content, link));
}

function parts(content, link) {
  const made = [];
  if (content.text) made.push(make("p", { class: "soft" }, content.text));
  if (content.rows) made.push(table(content.rows, content.numbers, link));
  made.push(...commands(content.commands));
  if (hasFigures(content)) made.push(chart(content));
  return made;
}

export function commands(byPurpose) {
  return Object.entries(byPurpose ?? {}).flatMap(([about, command]) => [
    make("p", { class: "small soft" }, about), make("pre", { tabindex: "0" }, command)]);
}

const hasFigures = (content) => Object.keys(content.figures ?? {}).length > 0;
let charts = 0;

// A figure, or several of which the reader chooses one. `update` shows new contents.
export function chart(content) {
  const figure = make("div", { class: "figure", role: "figure" }), legend = make("div", { class: "legend" });
  const pick = make("div", { class: "choices pick", role: "radiogroup", "aria-label": `${content.title}: which figure` });
  const box = make("div", { class: "chart" }, pick, figure, legend), group = `chart-${charts += 1}`;
  let names = [], shown = "";
  function show(name) {
    shown = name;
    figure.setAttribute("aria-label", `${content.title}: ${name}`);
    delete figure.dataset.drawn;
    queueMicrotask(() => {
      figure.style.minHeight = `${heightOf(figure, content.figures[name].layout)}px`;
      draw(figure, content.figures[name]);
    });
  }
  box.update = (now) => {
    content = now;
    const given = Object.keys(content.figures);
    if (given.join("\n") !== names.join("\n")) {
      names = given;
      if (!names.includes(shown)) shown = names[0];
      fill(pick, ...(names.length > 1 ? names : []).map((name) => make("label", {},
        make("input", { type: "radio", name: group, value: name, checked: name === shown, onchange: () => show(name) }), make("span", {}, name))));
    }
    show(shown);
  };
  box.update(content);
  return box;
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
    for (const content of sections) now.set(content.title, this.made(content));
    refill(this.parent, [...now.values()].map((one) => one.element));
    this.shown = now;
  }

  made(content) {
    const text = JSON.stringify(content), before = this.shown.get(content.title);
    if (before?.text === text) return before;
    if (before?.figure && hasFigures(content) && !content.rows) {
      before.element.querySelector(".chart").update(content);
      return { ...before, text };
    }
    const element = section(content, this.link);
    if (before?.element.open) element.open = true;
    return { text, figure: hasFigures(content), element };
  }
}
