// Pages of heap dumps, and those of replays. Without this program their tables are complete; with it tables sort, tables and
// trees follow the search, the dominator tree is drawn as areas, and the live bytes of a replay as curves.

import { h } from "./dom.js";
import { curves } from "./replay.js";
import { enlist } from "./table.js";
import { toolbar } from "./toolbar.js";
import { treeMap } from "./treemap.js";

const collator = new Intl.Collator();

/** A cell as what it is sorted by: numbers without their commas and percent signs; nothing is least. */
function valueOf(cell, isNumber) {
  const text = cell?.textContent ?? "";
  if (!isNumber) return text;
  return text === "" ? -Infinity : Number(text.replace(/[, %]/g, ""));
}

function sorts(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, i) => {
    const isNumber = head.classList.contains("n");
    const [title, ...unit] = head.childNodes;
    const sort = () => {
      const up = head.hasAttribute("aria-sort") ? head.getAttribute("aria-sort") !== "ascending" : !isNumber;
      const rows = [...body.rows].map((row) => [valueOf(row.cells[i], isNumber), row]);
      const compare = isNumber ? ([a], [b]) => a - b || 0 : ([a], [b]) => collator.compare(a, b);
      rows.sort((a, b) => (up ? compare(a, b) : compare(b, a)));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...rows.map(([, row]) => row));
    };
    head.replaceChildren(h("button", { type: "button", onclick: sort }, h("span", { class: "title" }, title), unit));
  });
}

/** Hides the rows that do not have all words. */
function filtersRows(table) {
  const rows = [...table.tBodies[0].rows];
  const texts = [];
  const filter = (words) =>
    rows.reduce((sum, row, i) => {
      texts[i] ??= row.textContent.toLowerCase();
      row.hidden = !words.every((word) => texts[i].includes(word));
      return sum + (row.hidden ? 0 : 1);
    }, 0);
  enlist({ filter });
}

/** Hides the lines of a tree that do not have all words, nor have any below them that do; opens those above a line that does. */
function filtersTree(tops) {
  const unfolded = new Map();
  const own = (one) => (one.tagName === "DETAILS" ? one.firstElementChild : one).textContent.toLowerCase();
  const below = (one) => (one.tagName === "DETAILS" ? [...one.children].slice(1) : []);
  const visit = (one, words) => {
    const matches = words.every((word) => own(one).includes(word));
    const inside = below(one).reduce((sum, child) => sum + visit(child, words), 0);
    one.hidden = !matches && inside === 0;
    if (one.tagName === "DETAILS" && words.length > 0) {
      if (!unfolded.has(one)) unfolded.set(one, one.open);
      one.open = inside > 0;
    }
    return inside + (matches ? 1 : 0);
  };
  const filter = (words) => {
    const found = tops.reduce((sum, top) => sum + visit(top, words), 0);
    if (words.length === 0) {
      unfolded.forEach((open, one) => (one.open = open));
      unfolded.clear();
    }
    return found;
  };
  enlist({ filter });
}

export function dumpPage() {
  const main = document.querySelector("main");
  const titles = [...main.querySelectorAll(":scope > h2")];
  titles.forEach((title, i) => (title.id ||= `part-${i + 1}`));
  main.querySelectorAll("table").forEach((table) => {
    sorts(table);
    filtersRows(table);
  });
  filtersTree([...main.querySelectorAll(":scope > details, :scope > p:has(> b)")]);
  const areas = document.getElementById("areas");
  if (areas) titles[0]?.after(treeMap(JSON.parse(areas.textContent)) ?? "");
  const replay = document.getElementById("replay");
  if (replay) curves(document.getElementById("curves"), JSON.parse(replay.textContent));
  const sections = titles.slice(0, 12).map((title) => [title.id, title.textContent]);
  document.body.prepend(toolbar(null, sections));
}
