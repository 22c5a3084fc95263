// The tables of the report.

import { h } from "./dom.js";
import { table } from "./table.js";
import { live, marked, marks, NOT_MEASURED } from "./trust.js";
import { count, counted, elapsed } from "./units.js";
import { toneOf } from "./palette.js";

const name = (title, value, extra) => ({ title, kind: "name", value, ...extra });
const number = (title, value, extra) => ({ title, kind: "count", value, ...extra });
const bytes = (title, value, mark, hint) => ({ title, kind: "bytes", value, hint, cell: (row, unit) => marked(mark(row), value(row), unit) });
const none = () => "";

const HINTS = {
  allocated: "Objects whose constructor returned normally: exact",
  live: "Live objects; \u2248 estimated from a sample, \u00b1 half of the 95 % interval",
  peak: "The largest figure of any snapshot; between snapshots it may have been higher",
  oldest: "Collections, young and full, that the oldest tracked object survived",
  median: "Half of the live objects survived at least so many collections",
  shallow: "The live objects alone",
  own: "Held without passing an object of another row, and by no other row so",
  deep: "Everything they reach, each object once per row; rows overlap, so the column does not add up",
  exclusive: "Reached from no other row of this table",
  shared: "Reached from other rows too",
  even: "The shared bytes split evenly among the components that reach them",
};

const liveColumn = { ...number("Live", (row) => row.live), cell: (row) => live(row), hint: HINTS.live };

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
const owned = (rows, mark) => (rows.some((row) => row.own_bytes !== null) ? [bytes("Own", (row) => row.own_bytes, mark, HINTS.own)] : []);

export function byComponent(report) {
  const { shallow, deep, split } = marks(report);
  const rows = report.components;
  if (rows.length === 0) return null;
  const columns = [
    name("Component", (row) => row.component, { decorate: (row) => swatch(report, row.component) }),
    liveColumn,
    bytes("Shallow", (row) => row.shallow_bytes, shallow, HINTS.shallow),
    ...owned(rows, split),
    bytes("Deep", (row) => row.deep_bytes, (row) => deep(row.exact), HINTS.deep),
    bytes("Exclusive", (row) => row.exclusive_bytes, split, HINTS.exclusive),
    bytes("Shared", (row) => row.shared_bytes, split, HINTS.shared),
    bytes("Shared, split", (row) => row.shared_even_bytes, split, HINTS.even),
    bytes("Peak deep", (row) => row.peak_deep_bytes, (row) => deep(row.peak_exact), HINTS.peak),
  ];
  return table("Components", columns, rows, { sortBy: 3 });
}

export function byClass(report) {
  const { shallow, deep, split } = marks(report);
  const rows = report.classes;
  if (rows.length === 0) return h("p", {}, "No instrumented class allocated an object, or none was loaded.");
  const first = (row) => row.age?.generations_first;
  const columns = [
    name("Class", (row) => row.class),
    name("Component", (row) => row.component ?? "(none)", { decorate: (row) => swatch(report, row.component) }),
    number("Allocated", (row) => row.allocated, { hint: HINTS.allocated }),
    liveColumn,
    number("Peak live", (row) => row.peak_live, { hint: HINTS.peak, cell: (row) => (row.peak_live === null ? NOT_MEASURED : (row.peak_exact ? "" : "\u2248 ") + count(row.peak_live)) }),
    number("Age p50", (row) => median(row.age)?.from, { hint: HINTS.median, cell: (row) => range(median(row.age)) }),
    number("Age max", (row) => (row.live === 0 ? null : row.age?.max), { hint: HINTS.oldest }),
    bytes("Shallow", (row) => row.shallow_bytes, shallow, HINTS.shallow),
    ...owned(rows, split),
    bytes("Deep", (row) => row.deep_bytes, (row) => deep(row.exact), HINTS.deep),
    bytes("Exclusive", (row) => row.exclusive_bytes, split, HINTS.exclusive),
    bytes("Shared", (row) => row.shared_bytes, split, HINTS.shared),
    { ...number("More ages", (row) => Math.max(0, (row.age?.generations ?? 0) - (first(row) ?? 0)) || null, { hint: "Different ages of its live objects now, less those in the first snapshot: what leaks has ever more" }) },
  ];
  const usual = columns.filter((column) => column.kind === "name" || rows.some((row) => column.value(row) !== null && column.value(row) !== undefined));
  const own = usual.findIndex((column) => column.title === "Own");
  const sortBy = own < 0 ? usual.findIndex((column) => column.title === "Deep") : own;
  return [table("Classes", usual, rows, { sortBy: sortBy < 0 ? 2 : sortBy }), holders(report)];
}

function range(bucket) {
  if (!bucket) return NOT_MEASURED;
  if (bucket.to === null) return `${count(bucket.from)}+`;
  return bucket.to === bucket.from ? count(bucket.to) : `${count(bucket.from)}\u2013${count(bucket.to)}`;
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
    name("Class", (row) => row.class),
    number("Ages, first", (row) => row.age.generations_first, { hint: "Different ages among the live objects in the first snapshot" }),
    number("Ages, now", (row) => row.age.generations, { hint: "Different ages among the live objects at the last snapshot" }),
    ...rows[0].age.buckets.map((bucket, i) =>
      number(range(bucket), (row) => row.age.buckets[i].live, {
        hint: `Live objects that survived ${range(bucket)} collections`,
        cell: (row) => shade(row.age.buckets[i].live, row.age.buckets.reduce((sum, one) => sum + one.live, 0), row.exact),
      }),
    ),
    number("Full, most", (row) => row.age.max_full, { hint: "Full collections that an object survived at most" }),
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
    name("Constructed by threads", (row) => row.name),
    number("Allocated", (row) => row.allocated, { hint: HINTS.allocated }),
    liveColumn,
    bytes("Shallow", (row) => row.shallow_bytes, (row) => (row.exact ? "" : "\u2248 "), HINTS.shallow),
  ];
  return table("Threads", columns, report.threads.map(origin), { sortBy: 3, more: "Groups by name, numbers replaced by *." });
}

export function byTag(report) {
  if (report.tags.length === 0) return null;
  const columns = [
    name("Tag", (row) => row.key),
    name("Value", (row) => row.value),
    number("Allocated", (row) => row.allocated, { cell: (row) => live({ ...row, exact: null }, "allocated", "allocated_error") }),
    liveColumn,
    bytes("Shallow", (row) => row.shallow_bytes, (row) => (row.exact ? "" : "\u2248 "), HINTS.shallow),
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
    name("Constructing method", (row) => row.frame),
    name("Constructs", (row) => [...row.classes].join(", ")),
    number("Live", (row) => row.objects, { cell: (row) => mark() + count(row.objects) }),
    bytes("Shallow", (row) => row.bytes, mark, HINTS.shallow),
  ];
  return table("Allocation sites", columns, [...sums.values()], { sortBy: 3 });
}

export function jvms(report) {
  if (report.jvms.length < 2) return null;
  const { deep } = marks(report);
  const columns = [
    number("JVM", (row) => row.index),
    name("Recording", (row) => row.file),
    name("Program", (row) => row.main ?? ""),
    number("Pid", (row) => row.pid, { cell: (row) => (row.pid === null ? NOT_MEASURED : String(row.pid)) }),
    number("Run", (row) => row.uptime_ms, { cell: (row) => (row.uptime_ms === null ? NOT_MEASURED : elapsed(row.uptime_ms)) }),
    name("End", (row) => (row.ended ? row.end_reason ?? "in order" : "open")),
    number("Snapshots", (row) => row.snapshots),
    bytes("Used heap", (row) => row.heap_used_bytes, none),
    bytes("Measured", (row) => row.measured_bytes, () => deep(report.summary.exact)),
  ];
  return table("JVMs", columns, report.jvms.map((row, i) => ({ ...row, index: i + 1 })), { sortBy: 8 });
}
