// A player whole: where it comes from, what it takes, what was published and what was measured.
import { $, fill, get, make } from "/static/dom.js";
import { Sections, facts } from "/static/sections.js";

const name = new URLSearchParams(location.search).get("name") ?? "";

function known(told) {
  const shown = {};
  if (told.elo !== undefined) shown["Elo, 95 %"] = `${told.elo > 0 ? "+" : ""}${told.elo} (${told.low} .. ${told.high})`;
  if (told.right !== undefined) shown["right turns"] = `${told.right} %`;
  if (told.microseconds !== undefined) shown["a move"] = `${told.microseconds} us`;
  if (told.aliases.length) shown["also called"] = told.aliases.join(", ");
  return shown;
}

function options(told) {
  const rows = [["option", "default", "may be", "meaning"], ...told.options.map((one) => [one.name, one.default, one.may_be, one.help])];
  return { title: "Options", rows, numbers: [false, false, false, false], text: "", commands: {} };
}

try {
  const told = await get("/api/player", { name });
  $("name").textContent = told.name;
  document.title = `${told.name} · Quarto laboratory`;
  fill($("facts"), facts(known(told)));
  fill($("about"), ...told.about.split(/\n\n/).map((text) => make("p", {}, text.replaceAll("\n", " "))));
  $("play").href = `/#${new URLSearchParams({ opponent: told.name, you: "second", seed: 1 })}`;
  const link = (head, text) => (head === "against" ? `/player?${new URLSearchParams({ name: text })}` : null);
  new Sections($("sections"), link).show([...(told.options.length ? [options(told)] : []), ...told.sections]);
} catch (error) {
  $("problem").textContent = error.message;
}
document.body.dataset.ready = "true";
