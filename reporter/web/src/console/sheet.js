// The tables of a verb of the command line, as its JSON has them: lines, tables, trees.

import { h } from "../dom.js";
import { laidOut } from "../rows.js";
import { bytes, count } from "../units.js";

const NOTHING = { components: [] };

/** Draws it; `label` tells its tables from others. */
export function sheet(data, label) {
  const lines = (of) => of.map((line) => h("p", { class: "quiet" }, line));
  return [
    lines(data.lines),
    data.tables.map((table) => {
      const title = h("h3", {}, table.title);
      if (table.rows.length === 0) return [title, lines(table.lines), h("p", { class: "quiet" }, table.none)];
      if (table.levels.length > 0) return [title, lines(table.lines), tree(table)];
      const { columns, rows } = timed(table);
      return [title, lines(table.lines), laidOut(NOTHING, `${label} ${table.title}`, { columns, rows, sort_by: undefined })];
    }),
  ].flat(3);
}

const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const DURATION = /^([\d,.]+) (ns|us|ms|s)$/;

/** Columns of durations in words sort by their length: `512 ns` comes before `2.6 ms`. */
function timed({ columns, rows }) {
  const times = columns.map((_, c) => rows.every((row) => typeof row[c] === "string" && (row[c] === "" || DURATION.test(row[c]))) && rows.some((row) => row[c] !== ""));
  const cell = (text) => {
    if (text === "") return null;
    const [, n, unit] = text.match(DURATION);
    return [Number(n.replaceAll(",", "")) * UNITS[unit], text];
  };
  return {
    columns: columns.map((column, c) => ({ ...column, key: "", kind: times[c] ? "count" : column.kind })),
    rows: rows.map((row) => row.map((value, c) => (times[c] ? cell(value) : value))),
  };
}

/** Rows with those below them indented. */
function tree({ columns, rows, levels }) {
  const cell = (row, i) => {
    const [value, text] = Array.isArray(row[i]) ? row[i] : [row[i], null];
    if (value === null || value === "" || i === 0) return null;
    const shown = text ?? (columns[i].kind === "bytes" ? bytes(value) : typeof value === "number" ? count(value) : value);
    return h("span", {}, h("span", { class: "quiet" }, `${columns[i].title} `), shown);
  };
  const line = (row, i) => h("li", { style: { "--level": String(Math.min(levels[i], 24)) } }, h("b", {}, row[0]), columns.map((_, c) => cell(row, c)));
  return h("ul", { class: "tree" }, rows.map(line));
}
