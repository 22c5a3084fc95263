// The search of all tables, with its key.

import { debounced, h } from "./dom.js";
import { search } from "./table.js";
import { counted } from "./units.js";

/** Whether a key belongs to a field in which somebody types, or to the browser. */
export const typed = (event) => event.ctrlKey || event.metaKey || event.altKey || Boolean(event.target.closest?.("input, textarea, select"));

export function finder() {
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
    if (event.key === "/" && !typed(event)) {
      event.preventDefault();
      words.focus();
    }
    if (event.key === "Escape" && event.target === words) {
      words.value = "";
      look.now();
      words.blur();
    }
  });
  return h("div", { class: "find" }, words, h("kbd", { "aria-hidden": "true" }, "/"), found);
}
