// A run, updated live, or a comparison of several.
import { $, fill, get, make, path, runPath } from "/static/dom.js";
import { View } from "/static/page.js";

const EVERY = 5000;
const link = (head, text) => (head === "player" ? path("/player", { name: text }) : null);

class Shown {
  constructor(parent, name) {
    this.name = name;
    this.problem = make("p", { class: "problem", role: "alert" });
    this.view = new View(parent, name, link);
    this.view.about.before(this.problem);
  }

  follow() {
    const source = new EventSource(path("/api/live", { run: this.name }));
    source.onmessage = (event) => this.show(JSON.parse(event.data));
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      // refused: a plain request has the reason
      get(runPath(this.name)).then((page) => this.show(page), (error) => this.show({ problem: error.message }));
    };
    addEventListener("pagehide", () => source.close());
  }

  show(page) {
    this.problem.textContent = page.problem;
    document.body.dataset.ready = "true";
    if (!page.run) {
      // what was shown of a run that has been deleted stays
      fill(this.view.state);
      return;
    }
    const state = page.state ?? { name: page.run.state, how_far: page.run.how_far, share: null, left: "" };
    this.view.show({ ...page, state }, this.linksOf(page));
  }

  linksOf(page) {
    const links = [];
    if (page.player) {
      const hash = new URLSearchParams({ opponent: page.player, you: "second", seed: 1 });
      links.push(make("a", { class: "button main", href: `/#${hash}` }, "Play against it"));
    }
    if (page.recorded.length) {
      const hash = new URLSearchParams({ run: this.name, step: page.recorded[0], number: 1 });
      links.push(make("a", { class: "button", href: `/review#${hash}` }, "Review its games"));
    }
    if (page.run.kind === "tournament") links.push(make("a", { class: "button", href: path("/league", { run: this.name }) }, "As a league"));
    return links;
  }
}

async function compare(parent, names) {
  const problem = make("p", { class: "problem", role: "alert" });
  parent.append(problem);
  const view = new View(parent, `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`, (head, text) => (head === "run" ? path("/run", { name: text }) : null));
  async function look() {
    try {
      const page = await get("/api/compare", names.map((name) => ["run", name]));
      problem.textContent = "";
      view.show(page);
      if (page.running) setTimeout(look, EVERY);
    } catch (error) {
      problem.textContent = error.message;
    }
  }
  await look();
  document.body.dataset.ready = "true";
}

const query = new URLSearchParams(location.search), names = [...query.getAll("name"), ...query.getAll("with")].filter(Boolean);
document.title = `${names.join(" and ")} · Quarto laboratory`;
if (!names.length) fill($("runs"), make("p", { class: "problem" }, "the address names no run"));
else if (names.length === 1) new Shown($("runs"), names[0]).follow();
else await compare($("runs"), names);
