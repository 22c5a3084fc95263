// The keys: those of `weighbridge watch`, as far as a browser leaves them.

import { h } from "../dom.js";
import { typed } from "../finder.js";
import { tables } from "../table.js";

const HELP = [
  ["[ ]", "the view before, the next view; Tab stays the browser's"],
  ["1 \u2026 9", "that view"],
  ["\u2190 \u2192", "sort by the column beside"],
  ["n b d l a o p c", "sort by name, own bytes, deep, live, allocated, oldest, peak, component"],
  ["r", "reverse"],
  ["\u2191 \u2193 PgUp PgDn Home End", "select a row"],
  ["Enter", "what holds the selected class"],
  ["/", "filter the tables; Escape clears"],
  ["space", "freeze this moment; again: go on"],
  ["M", "take a snapshot"],
  ["t", "take a heap dump"],
  ["j", "the JVMs that run here"],
  ["?", "this help; Escape closes"],
];

/** Columns by their letter, the first that the table has. */
const COLUMNS = { n: null, b: /^(Own|Shallow)/, d: /^Deep/, l: /^Live/, a: /^Allocated/, o: /^Oldest/, p: /^Peak/, c: /^Component/ };
const PAGE = 10;

/** The name of the selected row. */
let selected = null;

export function help() {
  const close = h("button", { type: "button", class: "act", onclick: () => whole.close() }, "Close");
  const whole = h(
    "dialog",
    { "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", { class: "keys" }, HELP.map(([keys, text]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, text)))),
    h("p", { class: "quiet" }, "Own: bytes held by a row's objects alone, up to objects of others. Deep: all bytes that they reach. \u2248 estimated, \u2265 a lower bound, \u2013 not measured."),
    close,
  );
  whole.addEventListener("close", () => whole.remove());
  document.body.append(whole);
  whole.showModal();
}

const first = () => tables().find((one) => one.element.isConnected);
const rowsOf = (table) => [...table.element.querySelectorAll("tbody:not(.sizes) tr:not(.gap)")];

/** Marks the selected row again after a table was drawn. */
export function mark() {
  const table = first();
  if (!table) return;
  for (const row of rowsOf(table)) row.classList.toggle("selected", selected !== null && row.dataset.name === selected);
}

function move(by) {
  const table = first();
  if (!table) return;
  const rows = rowsOf(table);
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.dataset.name === selected);
  const to = Math.max(0, Math.min(rows.length - 1, at < 0 ? (by < 0 ? rows.length - 1 : 0) : at + by));
  selected = rows[to].dataset.name;
  mark();
  rows[to].scrollIntoView({ block: "nearest" });
}

function sort(to) {
  const table = first();
  if (table && to >= 0) table.sortBy(Math.min(to, table.columns.length - 1));
  mark();
}

/** `acts`: view(step), nth(n), freeze(), snapshot(), dump(), jvms(), holders(name). */
export function keys(acts) {
  const named = {
    "[": () => acts.view(-1),
    "]": () => acts.view(1),
    "?": help,
    r: () => sort(first()?.sorted().column ?? -1),
    " ": acts.freeze,
    M: acts.snapshot,
    t: acts.dump,
    j: acts.jvms,
    ArrowLeft: () => sort(Math.max(0, (first()?.sorted().column ?? 0) - 1)),
    ArrowRight: () => sort((first()?.sorted().column ?? -1) + 1),
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    PageUp: () => move(-PAGE),
    PageDown: () => move(PAGE),
    Home: () => move(-Infinity),
    End: () => move(Infinity),
    Enter: () => selected !== null && acts.holders(selected),
  };
  document.addEventListener("keydown", (event) => {
    if (typed(event) || document.querySelector("dialog[open]")) return;
    // What has the focus does its own with these.
    const own = event.target.closest?.("button, summary, a, [role=tree], [tabindex='0']");
    if (own && (event.key === "Enter" || event.key === " " || (event.key.startsWith("Arrow") && own.matches("[role=treeitem], [role=tree] *")))) return;
    const letter = Object.hasOwn(COLUMNS, event.key);
    const act = named[event.key] ?? (/^[1-9]$/.test(event.key) ? () => acts.nth(Number(event.key) - 1) : null);
    if (letter) {
      const pattern = COLUMNS[event.key];
      sort(pattern === null ? 0 : (first()?.columns.findIndex((column) => pattern.test(column.title)) ?? -1));
    } else if (act) act();
    else return;
    event.preventDefault();
  });
}
