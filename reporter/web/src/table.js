// A table that sorts by any column and answers to the page's search.

import { h } from "./dom.js";
import { count, unitOf } from "./units.js";
import { NOT_MEASURED } from "./trust.js";

/** Rows shown until the reader asks for all. */
const FIRST = 50;

const all = [];

/** Applies the words of the search to every table; gives how many rows match in all. */
export function search(words) {
  return all.reduce((sum, table) => sum + table.filter(words), 0);
}

/**
 * Columns have `title`, `value(row)` to sort by, `cell(row, unit)` (default: the value as text), `kind`: "name", "count"
 * or "bytes" (then the header names the column's one unit), and `hint` for what the column means.
 */
export function table(label, columns, rows, { sortBy, more } = {}) {
  const units = columns.map((column) => (column.kind === "bytes" ? unitOf(rows.map(column.value)) : null));
  const texts = rows.map((row) =>
    columns.map((column, i) => {
      const text = column.cell ? column.cell(row, units[i]) : column.value(row);
      return text === null || text === undefined ? NOT_MEASURED : typeof text === "number" ? count(text) : text;
    }),
  );
  const words = rows.map((row) =>
    columns.filter((column) => column.kind === "name").map((column) => String(column.value(row) ?? "")).join("\n").toLowerCase(),
  );
  let order = rows.map((_, i) => i);
  let shown = FIRST;
  let wanted = [];
  let sorted = { column: -1, up: false };

  const heads = columns.map((column, i) => {
    const unit = units[i] ? h("span", { class: "unit" }, units[i].name) : null;
    return h(
      "th",
      { scope: "col", class: column.kind === "name" ? "" : "n", title: column.hint },
      h("button", { type: "button", onclick: () => sort(i) }, h("span", { class: "title" }, column.title), unit),
    );
  });
  const body = h("tbody");
  const status = h("p", { class: "quiet", role: "status" });
  const rest = h("button", { type: "button", class: "rest", onclick: () => ((shown = Infinity), draw()) });

  function sort(column, up = sorted.column === column ? !sorted.up : columns[column].kind === "name") {
    sorted = { column, up };
    const value = columns[column].value;
    const compare = (a, b) => {
      const [x, y] = [value(rows[a]), value(rows[b])];
      // What was not measured stands last, whichever way.
      if (x === null || x === undefined) return y === null || y === undefined ? a - b : 1;
      if (y === null || y === undefined) return -1;
      const way = typeof x === "string" ? x.localeCompare(y) : x - y;
      return (up ? way : -way) || a - b;
    };
    order.sort(compare);
    heads.forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    draw();
  }

  function draw() {
    const matching = order.filter((i) => wanted.every((word) => words[i].includes(word)));
    body.replaceChildren(
      ...matching.slice(0, shown).map((i) =>
        h(
          "tr",
          {},
          columns.map((column, c) => {
            const value = column.kind === "bytes" ? column.value(rows[i]) : null;
            return h(
              "td",
              { class: column.kind === "name" ? "name" : "n", title: value === null || value === undefined ? null : `${count(value)} bytes` },
              column.kind === "name" && column.decorate ? column.decorate(rows[i]) : null,
              column.kind === "name" && typeof texts[i][c] === "string" ? breakable(texts[i][c]) : texts[i][c],
            );
          }),
        ),
      ),
    );
    const hidden = Math.max(0, matching.length - shown);
    status.textContent = wanted.length > 0 ? `${count(matching.length)} of ${count(rows.length)} rows match` : "";
    rest.hidden = hidden === 0;
    rest.textContent = `Show all ${count(matching.length)}`;
    return matching.length;
  }

  const filter = (search) => {
    wanted = search;
    return draw();
  };
  all.push({ filter });
  if (sortBy !== undefined) sort(sortBy, false);
  else draw();
  return h(
    "div",
    { class: "table" },
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", {}, h("thead", {}, h("tr", {}, heads)), body)),
    status,
    rest,
    more ? h("p", { class: "quiet" }, more) : null,
  );
}

/** A name that breaks behind its dots where there is no room. */
function breakable(name) {
  return name.split(/(?<=[.$/])/).flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));
}
