// A table of texts; columns of numbers are aligned to the right.
import { make } from "/static/dom.js";

export function table(rows, numbers, link = () => null) {
  const [head, ...body] = rows;
  const cell = (tag, text, i, row) => {
    const where = tag === "td" ? link(head[i], text, row) : null;
    return make(tag, { class: numbers[i] ? "number" : text.length < 26 ? "short" : false, scope: tag === "th" ? "col" : false },
      where ? make("a", { href: where }, text) : text);
  };
  const made = make("table", {}, make("tbody", {}, ...body.map((row) => make("tr", {}, ...row.map((text, i) => cell("td", text, i, row))))));
  if (head.some(Boolean)) made.prepend(make("thead", {}, make("tr", {}, ...head.map((text, i) => (text ? cell("th", text, i, head) : make("td"))))));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "table" }, made);
}
