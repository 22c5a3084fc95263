// A table that sorts by any column and follows the page's search.

import { CHUNK, chunked } from "./chunks.js";
import { h } from "./dom.js";
import { count, NOT_MEASURED, unitOf } from "./units.js";

/** Rows shown until the reader asks for all. */
const FIRST = CHUNK;

let all = [];
/** The words of the search. */
let sought = [];
/** What the reader chose, by the label of the table: it stays when a page draws the table again. */
const chosen = new Map();
const collator = new Intl.Collator();

/** Applies the words of the search to every table; returns how many rows match in all. */
export function search(words) {
  sought = words;
  return all.reduce((sum, table) => sum + table.filter(words), 0);
}

/** Adds what else follows the search: `filter(words)` gives how many rows match. */
export function enlist(one) {
  all.push(one);
}

/** The tables that are on the page, for keys: each has `element`, `columns`, `sortBy(column)` and `sorted()`. */
export const tables = () => all;

/** Forgets the tables that are no longer on the page. */
export function forgetTables() {
  all = all.filter((one) => one.element.isConnected);
}

/**
 * Columns have `title`, `value(row)` to sort by, `cell(row, unit)` (default: the value as text), `hint` with the meaning,
 * and `kind`: "name", "count" or "bytes". The header of bytes names the one unit of the column; other columns may have a
 * `unit`. `rowName(row)` is for whoever needs to know the row of an element.
 */
export function table(label, columns, rows, { sortBy, more, rowName } = {}) {
  const units = columns.map((column) => (column.kind === "bytes" ? unitOf(rows.map(column.value)) : null));
  const unitNames = columns.map((column, i) => units[i]?.name ?? column.unit ?? null);
  // A narrow window shows a row as a card, so each cell needs the name of its column.
  const titles = columns.map((column, i) => [column.title, unitNames[i]].filter(Boolean).join(", "));
  const texts = [];
  const text = (i) => (texts[i] ??= columns.map((column, c) => {
    const made = column.cell ? column.cell(rows[i], units[c]) : column.value(rows[i]);
    return made === null || made === undefined ? NOT_MEASURED : typeof made === "number" ? count(made) : made;
  }));
  const words = [];
  const wordsOf = (i) => (words[i] ??= columns.filter((column) => column.kind === "name").map((column) => String(column.value(rows[i]) ?? "")).join("\n").toLowerCase());
  let order = rows.map((_, i) => i);
  const before = chosen.get(label);
  let shown = before?.shown ?? FIRST;
  let wanted = sought;
  let sorted = { column: -1, up: false };

  const heads = columns.map((column, i) => {
    const unit = unitNames[i] ? h("span", { class: "unit" }, unitNames[i]) : null;
    return h(
      "th",
      { scope: "col", role: "columnheader", class: column.kind === "name" ? "" : "n", title: column.hint },
      h("button", { type: "button", onclick: () => (sort(i), keep()) }, h("span", { class: "title" }, column.title), unit),
    );
  });
  const whole = h("table", { role: "table", "aria-label": label }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)));
  const chunks = chunked(whole, draw);
  const status = h("p", { class: "quiet", role: "status" });
  const rest = h("button", { type: "button", class: "rest", onclick: () => ((shown = Infinity), keep(), show()) });
  const keep = () => chosen.set(label, { title: columns[sorted.column]?.title, up: sorted.up, shown });
  let sized = false;

  function sort(column, up = sorted.column === column ? !sorted.up : columns[column].kind === "name") {
    sorted = { column, up };
    const values = rows.map(columns[column].value);
    const compare = (a, b) => {
      const [x, y] = [values[a], values[b]];
      // Figures that were not measured are last in both directions.
      if (x === null || x === undefined) return y === null || y === undefined ? a - b : 1;
      if (y === null || y === undefined) return -1;
      const way = typeof x === "string" ? collator.compare(x, y) : x - y;
      return (up ? way : -way) || a - b;
    };
    order.sort(compare);
    heads.forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    show();
  }

  function draw(i, at) {
    const cells = columns.map((column, c) => {
      const value = column.kind === "bytes" ? column.value(rows[i]) : null;
      const isName = column.kind === "name";
      return h(
        "td",
        { role: "cell", class: isName ? "name" : "n", "data-title": titles[c], title: value === null || value === undefined ? null : `${count(value)} bytes` },
        isName && column.decorate ? column.decorate(rows[i]) : null,
        isName && typeof text(i)[c] === "string" ? breakable(text(i)[c]) : text(i)[c],
      );
    });
    return h("tr", { role: "row", "aria-rowindex": at + 2, "data-name": rowName?.(rows[i]) }, cells);
  }

  /** Adds a hidden row with the longest text of each column, so that columns keep their width whatever rows are drawn. */
  function size() {
    sized = true;
    const longest = columns.map((_, c) => rows.reduce((most, _, i) => {
      const made = text(i)[c];
      const written = typeof made === "string" ? made : made.textContent;
      return written.length > most.length ? written : most;
    }, ""));
    whole.tHead.after(h("tbody", { class: "sizes", "aria-hidden": "true" }, h("tr", {}, longest.map((longest, c) => h("td", { class: columns[c].kind === "name" ? "name" : "n" }, columns[c].kind === "name" ? breakable(longest) : longest)))));
  }

  function show() {
    const matching = order.filter((i) => wanted.every((word) => wordsOf(i).includes(word)));
    const seen = matching.slice(0, shown);
    if (seen.length > CHUNK && !sized) size();
    whole.setAttribute("aria-rowcount", seen.length + 1);
    chunks.show(seen);
    status.textContent = wanted.length > 0 ? `${count(matching.length)} of ${count(rows.length)} rows match` : "";
    rest.hidden = matching.length <= shown;
    rest.textContent = `Show all ${count(matching.length)}`;
    return matching.length;
  }

  const filter = (search) => {
    wanted = search;
    return show();
  };
  const again = columns.findIndex((column) => column.title === before?.title);
  if (again >= 0) sort(again, before.up);
  else if (sortBy !== undefined) sort(sortBy, false);
  else show();
  const element = h(
    "div",
    { class: "table" },
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${label}, as a table` }, whole),
    status,
    rest,
    more ? h("p", { class: "quiet" }, more) : null,
  );
  all.push({ filter, element, columns, sorted: () => sorted, sortBy: (column) => (sort(column), keep()) });
  return element;
}

/** A name that may break after its dots. */
export function breakable(name) {
  return name.split(/(?<=[.$/])/).flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));
}
