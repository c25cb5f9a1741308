// Before the page is painted: the theme that was chosen, or the system's. No module: it must not wait.
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
    const tell = () => { button.textContent = `Theme: ${read()}`; };
    tell();
    button.addEventListener("click", () => {
      const next = ORDER[(ORDER.indexOf(read()) + 1) % ORDER.length];
      try { localStorage.setItem("theme", next); } catch { /* private window: for this page alone */ }
      apply(next);
      tell();
    });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(read()));
})();
