// The page of a run, live or as a file: state, figure, card of its player, sections.
import { fill, make, refill } from "/static/dom.js";
import { Sections, chart, commands, facts } from "/static/sections.js";

function stateLine(state) {
  const line = make("p", { class: "so-far" }, make("span", { class: `state ${state.name}` }, state.name), make("b", {}, state.how_far));
  if (state.left) line.append(make("span", {}, state.left));
  if (state.share !== null) line.append(make("progress", { value: state.share, max: 1, "aria-label": "done" }));
  return line;
}

function bar(one, link) {
  const fillIn = make("span", { class: "bar", "aria-hidden": "true" }), where = one.own ? null : link("player", one.name);
  fillIn.style.width = `${Math.max(0.5, one.share)}%`;
  const name = make("dt", {}, where ? make("a", { href: where }, one.name) : one.name);
  return make("div", { class: one.own ? "own" : false }, name, make("dd", {}, make("span", { class: "track" }, fillIn), make("span", { class: "value" }, one.text)));
}

function card(content, link, links) {
  const bars = content.bars.length ? [make("h3", {}, content.scale), make("dl", { class: "bars" }, ...content.bars.map((one) => bar(one, link)))] : [];
  return make("section", { class: "card player" }, make("h2", {}, content.title), make("p", {}, content.text), ...bars,
    links.length ? make("div", { class: "buttons" }, ...links) : null, ...commands(content.commands));
}

export class View {
  // `heading` of the page; `link(column, text)`: the address of a cell's text, or null
  constructor(parent, heading, link = () => null) {
    this.link = link;
    this.about = make("p", { class: "soft about" });
    this.state = make("div", { role: "status" });
    this.facts = make("div");
    this.remarks = make("div");
    this.head = make("div", { class: "head" });
    this.body = make("div", { class: "stack" });
    this.sections = new Sections(this.body, link);
    parent.append(make("div", { class: "run-page" }, make("h1", {}, heading), this.about, this.state, this.facts, this.head, this.remarks, this.body));
  }

  // `links` to what the server can do with the run
  show(page, links = []) {
    this.about.textContent = page.about;
    fill(this.state, page.state && stateLine(page.state));
    fill(this.facts, Object.keys(page.facts).length ? facts(page.facts) : null);
    fill(this.remarks, ...page.remarks.map((text) => make("p", { class: "problem" }, text)));
    this.showHead(page, links);
    this.sections.show(page.sections);
  }

  showHead(page, links) {
    if (!page.hero) this.hero = null;
    else if (this.hero) this.hero.querySelector(".chart").update(page.hero);
    else this.hero = make("section", { class: "card hero" }, make("h2", {}, page.hero.title), chart(page.hero), make("p", { class: "small soft" }));
    if (this.hero) this.hero.lastChild.textContent = page.hero.text;
    const others = !page.card && links.length ? make("div", { class: "buttons" }, ...links) : null;
    const text = JSON.stringify([page.card, links.map((one) => one.href)]);
    if (this.cardText !== text) this.card = page.card ? card(page.card, this.link, links) : others;
    this.cardText = text;
    refill(this.head, [this.hero, this.card].filter(Boolean));
  }
}
