// The chosen theme or the system's, set before the page is painted, so this is not a module.
(function () {
  "use strict";
  const ORDER = ["auto", "light", "dark"];
  function read() {
    try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; }
  }
  function apply(theme) {
    document.documentElement.dataset.theme = theme;
    document.dispatchEvent(new CustomEvent("theme"));
  }
  apply(read());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => { button.textContent = `Theme: ${read()}`; };
    label();
    button.addEventListener("click", () => {
      const next = ORDER[(ORDER.indexOf(read()) + 1) % ORDER.length];
      try { localStorage.setItem("theme", next); } catch { /* private window: only for this page */ }
      apply(next);
      label();
    });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(read()));
})();
