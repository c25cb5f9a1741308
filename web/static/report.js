// The page of a run as an offline file.
import { $ } from "/static/dom.js";
import { View } from "/static/page.js";

export function show(page) {
  new View($("main"), page.title).show(page);
  document.body.dataset.ready = "true";
}
