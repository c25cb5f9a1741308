// The league that ships, or a tournament of the folder.
import { $, fill, get, make, path } from "/static/dom.js";
import { Sections } from "/static/sections.js";

const link = (head, text) => (head === "player" ? path("/player", { name: text }) : null);
const sections = new Sections($("sections"), link);
const run = new URLSearchParams(location.search).get("run") ?? "";
try {
  const page = await get("/api/league", run ? { run } : {});
  $("about").textContent = run ? `The run ${run}.` : `All players that ship. Made with ${page.about}, then python -m web.league runs/league.`;
  const options = ["", ...page.tournaments].map((name) => make("option", { value: name, selected: name === run }, name || "the league that ships"));
  fill($("which"), ...options);
  sections.show(page.sections);
} catch (error) {
  $("problem").textContent = error.message;
}
$("which").addEventListener("change", () => {
  location.search = $("which").value ? `?${new URLSearchParams({ run: $("which").value })}` : "";
});
document.body.dataset.ready = "true";
