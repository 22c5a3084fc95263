// The bar that stays in view: links to the sections, the search and the theme.

import { debounced, h } from "./dom.js";
import { repaint } from "./lines.js";
import { search } from "./table.js";
import { counted } from "./units.js";

const SHORT = { time: "Time", allocated: "Allocated", sites: "Sites", measuring: "Cost" };
const THEMES = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

export function toolbar(page, sections) {
  const found = h("span", { class: "found", role: "status" });
  const words = h("input", {
    type: "search",
    placeholder: "Search the tables",
    "aria-label": "Search all tables",
    "aria-keyshortcuts": "/",
    oninput: () => look(),
  });
  const look = debounced(() => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = search(wanted);
    found.textContent = wanted.length > 0 ? counted(rows, "row", "rows") : "";
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      words.focus();
    }
    if (event.key === "Escape" && event.target === words) {
      words.value = "";
      look.now();
      words.blur();
    }
  });
  const links = sections.map(([id, title]) => h("a", { href: `#${id}` }, SHORT[id] ?? title));
  return h(
    "header",
    { class: "toolbar" },
    h("nav", { "aria-label": "Sections" }, links),
    h("div", { class: "find" }, words, h("kbd", { "aria-hidden": "true" }, "/"), found),
    theme(),
  );
}

function theme() {
  const order = Object.keys(THEMES);
  const apply = (chosen) => {
    if (chosen === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = THEMES[chosen];
    repaint();
  };
  const kept = () => {
    try {
      return localStorage.getItem("weighbridge-theme") ?? "auto";
    } catch {
      // Some browsers store nothing for pages from files.
      return "auto";
    }
  };
  const button = h("button", {
    type: "button",
    class: "theme",
    onclick: () => {
      const shown = document.documentElement.dataset.theme ?? "auto";
      const next = order[(order.indexOf(shown) + 1) % order.length];
      try {
        localStorage.setItem("weighbridge-theme", next);
      } catch {
        // Without storage, the choice is lost with the page.
      }
      apply(next);
    },
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  const first = kept();
  apply(order.includes(first) ? first : "auto");
  return button;
}
