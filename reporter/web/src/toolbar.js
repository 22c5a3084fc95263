// The bar that stays in view: links to the sections, the search and the theme.

import { h } from "./dom.js";
import { finder } from "./finder.js";
import { theme } from "./theme.js";

const SHORT = { time: "Time", allocated: "Allocated", sites: "Sites", measuring: "Cost" };

export function toolbar(page, sections) {
  const links = sections.map(([id, title]) => h("a", { href: `#${id}` }, SHORT[id] ?? title));
  return h("header", { class: "toolbar" }, h("nav", { "aria-label": "Sections" }, links), finder(), theme());
}
