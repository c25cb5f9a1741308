// A running run, updated live, or two runs side by side.
import { $, fill, get, make } from "/static/dom.js";
import { Sections, facts, section } from "/static/sections.js";

class Shown {
  constructor(parent, name) {
    this.name = name;
    this.title = make("h1", {}, name);
    this.state = make("p", {});
    this.problem = make("p", { class: "problem", role: "alert" });
    this.remarks = make("div");
    this.facts = make("div");
    this.links = make("div", { class: "buttons" });
    this.about = make("p", { class: "soft" });
    const body = make("div", { class: "stack" });
    this.sections = new Sections(body, (head, text) => (head === "player" ? `/player?${new URLSearchParams({ name: text })}` : null));
    this.body = body;
    parent.append(make("div", {}, this.title, this.state, this.about, this.problem, this.remarks, this.facts, this.links, body));
    this.links.style.marginBottom = "16px";
  }

  follow() {
    const source = new EventSource(`/api/live?${new URLSearchParams({ run: this.name })}`);
    source.onmessage = (event) => this.show(JSON.parse(event.data));
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      // refused: a plain request has the reason
      get(`/api/runs/${this.name.split("/").map(encodeURIComponent).join("/")}`).then((page) => this.show(page), (error) => this.show({ problem: error.message }));
    };
    addEventListener("pagehide", () => source.close());
  }

  show(page) {
    this.problem.textContent = page.problem;
    document.body.dataset.ready = "true";
    if (!page.run) {
      fill(this.state, make("span", { class: "state damaged" }, "missing"));
      return;
    }
    const run = page.run;
    fill(this.state, make("span", { class: `state ${run.state}` }, run.state), ` · ${run.kind} · ${run.how_far}`);
    this.about.textContent = page.about;
    fill(this.remarks, ...page.remarks.map((text) => make("p", { class: "problem" }, text)));
    fill(this.facts, facts(page.facts));
    fill(this.links, ...this.linksOf(page));
    this.sections.show(page.sections);
    this.body.dataset.steps = run.how_far;
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
    if (page.run.kind === "tournament") links.push(make("a", { class: "button", href: `/league?${new URLSearchParams({ run: this.name })}` }, "As a league"));
    return links;
  }
}

const query = new URLSearchParams(location.search), names = [query.get("name"), query.get("with")].filter(Boolean);
document.title = `${names.join(" and ")} · Quarto laboratory`;
if (names.length > 1) {
  $("runs").className = "sides";
  try {
    const result = await get("/api/compare", { a: names[0], b: names[1] });
    fill($("differences"), result.same ? make("p", { class: "card" }, "No difference in configuration and result.") : section(result.section));
    $("differences").style.marginBottom = "18px";
  } catch (error) {
    fill($("differences"), make("p", { class: "problem" }, error.message));
  }
}
if (!names.length) fill($("runs"), make("p", { class: "problem" }, "the address names no run"));
for (const name of names) new Shown($("runs"), name).follow();
