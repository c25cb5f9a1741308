// A player in detail: description, options, measurements and published results.
import { $, fill, get, make, path } from "/static/dom.js";
import { Sections, facts } from "/static/sections.js";

const name = new URLSearchParams(location.search).get("name") ?? "";

function measured(player) {
  const shown = {};
  if (player.elo !== undefined) shown["Elo, 95 %"] = `${player.elo > 0 ? "+" : ""}${player.elo} (${player.low} .. ${player.high})`;
  if (player.right !== undefined) shown["right turns"] = `${player.right} %`;
  if (player.microseconds !== undefined) shown["time per move"] = `${player.microseconds} us`;
  if (player.aliases.length) shown["also called"] = player.aliases.join(", ");
  return shown;
}

function options(player) {
  const rows = [["option", "default", "may be", "meaning"], ...player.options.map((one) => [one.name, one.default, one.may_be, one.help])];
  return { title: "Options", rows, numbers: [false, false, false, false], text: "", commands: {} };
}

try {
  const player = await get("/api/player", { name });
  $("name").textContent = player.name;
  document.title = `${player.name} · Quarto laboratory`;
  fill($("facts"), facts(measured(player)));
  fill($("about"), ...player.about.split(/\n\n/).map((text) => make("p", {}, text.replaceAll("\n", " "))));
  $("play").href = `/#${new URLSearchParams({ opponent: player.name, you: "second", seed: 1 })}`;
  // the static site has only some of the players
  $("play").hidden = player.playable === false;
  const link = (head, text) => (head === "against" ? path("/player", { name: text }) : null);
  new Sections($("sections"), link).show([...(player.options.length ? [options(player)] : []), ...player.sections]);
} catch (error) {
  $("problem").textContent = error.message;
}
document.body.dataset.ready = "true";
