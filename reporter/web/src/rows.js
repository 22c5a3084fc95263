// The tables of the report.

import { headings } from "./data.js";
import { h } from "./dom.js";
import { table } from "./table.js";
import { live, marked, marks, NOT_MEASURED } from "./trust.js";
import { count, counted, elapsed } from "./units.js";
import { toneOf } from "./palette.js";

const name = (heading, value, extra) => ({ ...heading, kind: "name", value, ...extra });
const number = (heading, value, extra) => ({ ...heading, kind: "count", value, ...extra });
const bytes = (heading, value, mark) => ({ ...heading, kind: "bytes", value, cell: (row, unit) => marked(mark(row), value(row), unit) });
const none = () => "";

const liveColumn = number(headings.live, (row) => row.live, { cell: (row) => live(row) });

/** A swatch in a component's colour. */
const swatch = (report, component) => h("i", { class: "swatch", style: { "--swatch": `var(${toneOf(report, component)})` } });

/** The lowest age that half of the live objects have. */
function median(age) {
  const all = age?.buckets.reduce((sum, bucket) => sum + bucket.live, 0) ?? 0;
  let left = all / 2;
  for (const bucket of age?.buckets ?? []) {
    left -= bucket.live;
    if (all > 0 && left <= 0) return bucket;
  }
  return null;
}

/** The column of own bytes, which old recordings do not have. */
const owned = (rows, mark) => (rows.some((row) => row.own_bytes !== null) ? [bytes(headings.own, (row) => row.own_bytes, mark)] : []);

export function byComponent(report) {
  const { shallow, deep, split } = marks(report);
  const rows = report.components;
  if (rows.length === 0) return null;
  const columns = [
    name(headings.component, (row) => row.component, { decorate: (row) => swatch(report, row.component) }),
    liveColumn,
    bytes(headings.shallow, (row) => row.shallow_bytes, shallow),
    ...owned(rows, split),
    bytes(headings.deep, (row) => row.deep_bytes, (row) => deep(row.exact)),
    bytes(headings.exclusive, (row) => row.exclusive_bytes, split),
    bytes(headings.shared, (row) => row.shared_bytes, split),
    bytes(headings.shared_even, (row) => row.shared_even_bytes, split),
    bytes(headings.peak_deep, (row) => row.peak_deep_bytes, (row) => deep(row.peak_exact)),
  ];
  return table("Components", columns, rows, { sortBy: 3 });
}

export function byClass(report) {
  const { shallow, deep, split } = marks(report);
  const rows = report.classes;
  if (rows.length === 0) return h("p", {}, "No instrumented class allocated an object, or none was loaded.");
  const first = (row) => row.age?.generations_first;
  const columns = [
    name(headings.class, (row) => row.class),
    name(headings.component, (row) => row.component ?? "(none)", { decorate: (row) => swatch(report, row.component) }),
    number(headings.allocated, (row) => row.allocated),
    liveColumn,
    number(headings.peak_live, (row) => row.peak_live, { cell: (row) => (row.peak_live === null ? NOT_MEASURED : (row.peak_exact ? "" : "\u2248 ") + count(row.peak_live)) }),
    number(headings.median_age, (row) => median(row.age)?.from, { cell: (row) => range(median(row.age)) }),
    number(headings.oldest, (row) => (row.live === 0 ? null : row.age?.max)),
    bytes(headings.shallow, (row) => row.shallow_bytes, shallow),
    ...owned(rows, split),
    bytes(headings.deep, (row) => row.deep_bytes, (row) => deep(row.exact)),
    bytes(headings.exclusive, (row) => row.exclusive_bytes, split),
    bytes(headings.shared, (row) => row.shared_bytes, split),
    number(headings.more_generations, (row) => Math.max(0, (row.age?.generations ?? 0) - (first(row) ?? 0)) || null),
  ];
  const usual = columns.filter((column) => column.kind === "name" || rows.some((row) => column.value(row) !== null && column.value(row) !== undefined));
  const own = usual.findIndex((column) => column.title === headings.own.title);
  const sortBy = own < 0 ? usual.findIndex((column) => column.title === headings.deep.title) : own;
  return [table("Classes", usual, rows, { sortBy: sortBy < 0 ? 2 : sortBy }), holders(report)];
}

function range(bucket) {
  if (!bucket) return NOT_MEASURED;
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

/** Live objects by collections survived; a cell is the darker, the more of the row's objects are in it. */
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

const origin = (row) => ({ ...row, exact: row.live_error === null ? null : row.live_error === 0 });

export function byThread(report) {
  if (report.threads.length === 0) return null;
  const columns = [
    name(headings.threads, (row) => row.name),
    number(headings.allocated, (row) => row.allocated),
    liveColumn,
    bytes(headings.shallow, (row) => row.shallow_bytes, (row) => (row.exact ? "" : "\u2248 ")),
  ];
  return table("Threads", columns, report.threads.map(origin), { sortBy: 3, more: "Groups by name, numbers replaced by *." });
}

export function byTag(report) {
  if (report.tags.length === 0) return null;
  const columns = [
    name(headings.tag, (row) => row.key),
    name(headings.value, (row) => row.value),
    number(headings.allocated, (row) => row.allocated, { cell: (row) => live({ ...row, exact: null }, "allocated", "allocated_error") }),
    liveColumn,
    bytes(headings.shallow, (row) => row.shallow_bytes, (row) => (row.exact ? "" : "\u2248 ")),
  ];
  const more = "What was constructed while the program had the tag in force; an object counts for each of its tags.";
  return table("Tags", columns, report.tags.map(origin), { sortBy: 4, more });
}

/** Methods that constructed live objects, wherever they were called from. */
export function bySite(report) {
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
  const mark = report.summary.exact ? none : () => "\u2248 ";
  const columns = [
    name(headings.method, (row) => row.frame),
    name(headings.constructs, (row) => [...row.classes].join(", ")),
    number(headings.live, (row) => row.objects, { cell: (row) => mark() + count(row.objects) }),
    bytes(headings.shallow, (row) => row.bytes, mark),
  ];
  return table("Allocation sites", columns, [...sums.values()], { sortBy: 3 });
}

export function jvms(report) {
  if (report.jvms.length < 2) return null;
  const { deep } = marks(report);
  const columns = [
    number(headings.jvm, (row) => row.index),
    name(headings.recording, (row) => row.file),
    name(headings.program, (row) => row.main ?? ""),
    number(headings.pid, (row) => row.pid, { cell: (row) => (row.pid === null ? NOT_MEASURED : String(row.pid)) }),
    number(headings.run, (row) => row.uptime_ms, { cell: (row) => (row.uptime_ms === null ? NOT_MEASURED : elapsed(row.uptime_ms)) }),
    name(headings.end, (row) => (row.ended ? row.end_reason ?? "in order" : "open")),
    number(headings.snapshots, (row) => row.snapshots),
    bytes(headings.used_heap, (row) => row.heap_used_bytes, none),
    bytes(headings.measured, (row) => row.measured_bytes, () => deep(report.summary.exact)),
  ];
  return table("JVMs", columns, report.jvms.map((row, i) => ({ ...row, index: i + 1 })), { sortBy: 8 });
}
