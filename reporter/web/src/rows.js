// The tables of the report.

import { headings } from "./data.js";
import { h } from "./dom.js";
import { table } from "./table.js";
import { count, counted, elapsed, marked, NOT_MEASURED } from "./units.js";
import { toneOf } from "./palette.js";

const name = (heading, value, extra) => ({ ...heading, kind: "name", value, ...extra });
const number = (heading, value, extra) => ({ ...heading, kind: "count", value, ...extra });
const bytes = (heading, value, mark) => ({ ...heading, kind: "bytes", value, cell: (row, unit) => marked(mark, value(row), unit) });

/** A swatch in a component's colour. */
const swatch = (report, component) => h("i", { class: "swatch", style: { "--swatch": `var(${toneOf(report, component)})` } });

/** The value that sorts a cell, and its text: instead of a number, or as the mark before bytes. */
const figure = (cell) => (Array.isArray(cell) ? cell[0] : cell);
const textOf = (cell) => (Array.isArray(cell) ? cell[1] : "");

/** A table that the report laid out, with its columns and the marks of its figures. */
export function laidOut(report, label, laid, more) {
  if (!laid) return null;
  const columns = laid.columns.map((column, i) => ({
    ...column,
    value: (row) => figure(row[i]),
    cell: column.kind === "bytes" ? (row, unit) => marked(textOf(row[i]), figure(row[i]), unit) : (row) => textOf(row[i]) || row[i],
    decorate: column.key === "component" ? (row) => swatch(report, row[i]) : null,
  }));
  return table(label, columns, laid.rows, { sortBy: laid.sort_by, more, rowName: (row) => row[0] });
}

export const byComponent = ({ report, tables }) => laidOut(report, "Components", tables.components);

export const byThread = ({ report, tables }) => laidOut(report, "Threads", tables.threads, "Groups by name, numbers replaced by *.");

export const byTag = ({ report, tables }) => laidOut(report, "Tags", tables.tags, "What was constructed while the program had the tag in force; an object counts for each of its tags.");

export function byClass({ report, tables }) {
  return [laidOut(report, "Classes", tables.classes) ?? h("p", {}, "No instrumented class allocated an object, or none was loaded."), holders(report)];
}

/** `3`, `4-7`, `8+`. */
function range(bucket) {
  if (bucket.to === null) return `${count(bucket.from)}+`;
  return bucket.to === bucket.from ? count(bucket.to) : `${count(bucket.from)}-${count(bucket.to)}`;
}

/** Why the objects of the largest classes are alive. */
function holders(report) {
  const asked = report.classes.filter((row) => row.holders);
  if (asked.length === 0) return null;
  const lists = asked.map((row) => {
    const { examined, outside, others, chains } = row.holders;
    const ways = [
      ...chains.map((chain) => [chain.objects, chain.steps.join(" \u2192 ")]),
      [others, "held through other chains"],
      [outside, "held from outside: no other registered object reaches them"],
    ].filter(([objects]) => objects > 0);
    return h(
      "details",
      {},
      h("summary", {}, h("code", {}, row.class), `, ${counted(examined, "live object", "live objects")} asked`),
      h("table", {}, h("tbody", {}, ways.map(([objects, text]) => h("tr", {}, h("td", { class: "n" }, count(objects)), h("td", { class: "name" }, text))))),
    );
  });
  return h("div", { class: "holders" }, h("h3", {}, "Why they are alive"), lists);
}

/** Live objects by the collections that they survived. A cell with more of the row's objects is darker. */
export function ages(report) {
  const rows = report.classes.filter((row) => row.age?.buckets.length > 0);
  if (rows.length === 0) return null;
  const bounds = (row) => row.age.buckets.map((bucket) => bucket.from).join();
  const alike = rows.filter((row) => bounds(row) === bounds(rows[0]));
  const columns = [
    name(headings.class, (row) => row.class),
    number(headings.generations_first, (row) => row.age.generations_first),
    number(headings.generations, (row) => row.age.generations),
    ...rows[0].age.buckets.map((bucket, i) =>
      number({ title: range(bucket), hint: `Live objects that survived ${range(bucket)} collections` }, (row) => row.age.buckets[i].live, {
        cell: (row) => shade(row.age.buckets[i].live, row.age.buckets.reduce((sum, one) => sum + one.live, 0), row.exact),
      }),
    ),
    number(headings.most_full, (row) => row.age.max_full),
  ];
  const left = rows.length - alike.length;
  return [
    h("p", { class: "quiet" }, "Live objects by the collections, young and full, that they survived. Old objects in every column of a class that grows point to a leak."),
    table("Ages", columns, alike, { sortBy: 2, more: left > 0 ? `${counted(left, "class has", "classes have")} other bounds of ages in other JVMs: see the JSON report.` : null }),
  ];
}

function shade(n, all, exact) {
  const part = all > 0 ? n / all : 0;
  return h("span", { class: "shade", style: { "--part": `${Math.round(part * 100)}%` } }, n === 0 ? "0" : (exact ? "" : "\u2248 ") + count(n));
}

/** Methods that constructed live objects, summed over their callers. */
export function bySite({ report, marks }) {
  const tree = report.call_trees.at(-1);
  if (!tree || (report.jvms.length > 1 && tree.jvm !== null)) return null;
  const sums = new Map();
  for (const node of tree.nodes.filter((one) => one.own_objects > 0)) {
    const row = sums.get(node.frame) ?? { frame: node.frame, objects: 0, bytes: 0, classes: new Set() };
    row.objects += node.own_objects;
    row.bytes += node.own_bytes;
    node.classes.forEach((one) => row.classes.add(one.class));
    sums.set(node.frame, row);
  }
  const columns = [
    name(headings.method, (row) => row.frame),
    name(headings.constructs, (row) => [...row.classes].join(", ")),
    number(headings.live, (row) => row.objects, { cell: (row) => marks.sites + count(row.objects) }),
    bytes(headings.shallow, (row) => row.bytes, marks.sites),
  ];
  return table("Allocation sites", columns, [...sums.values()], { sortBy: 3 });
}

export function jvms({ report, marks }) {
  if (report.jvms.length < 2) return null;
  const columns = [
    number(headings.jvm, (row) => row.index),
    name(headings.recording, (row) => row.file),
    name(headings.program, (row) => row.main ?? ""),
    number(headings.pid, (row) => row.pid, { cell: (row) => (row.pid === null ? NOT_MEASURED : String(row.pid)) }),
    number(headings.run, (row) => row.uptime_ms, { cell: (row) => (row.uptime_ms === null ? NOT_MEASURED : elapsed(row.uptime_ms)) }),
    name(headings.end, (row) => (row.ended ? row.end_reason ?? "in order" : "open")),
    number(headings.snapshots, (row) => row.snapshots),
    bytes(headings.used_heap, (row) => row.heap_used_bytes, ""),
    bytes(headings.measured, (row) => row.measured_bytes, marks.measured),
  ];
  return table("JVMs", columns, report.jvms.map((row, i) => ({ ...row, index: i + 1 })), { sortBy: 8 });
}
