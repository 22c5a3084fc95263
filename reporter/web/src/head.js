// The program of the report, and its main figures.

import { h } from "./dom.js";
import { bytes, count, counted, elapsed, percent } from "./units.js";

/** `runs`: the program still runs, as the console knows. */
export function head({ report, title }, { about = "Weighbridge report", runs = false } = {}) {
  const { jvm, jvms, summary } = report;
  const one = jvms.length === 1 ? jvms[0] : null;
  const differs = (fact, text) => (fact === null ? (jvms.length > 1 ? `${text} differs` : null) : fact);
  const facts = [
    [jvm.name, jvm.version].filter(Boolean).join(" ") || differs(null, "JVM"),
    differs(jvm.collector, "collector"),
    jvm.compressed_oops === null ? null : jvm.compressed_oops ? "compressed references" : "uncompressed references",
    jvm.header_bytes ? `headers of ${jvm.header_bytes} bytes` : null,
    summary.heap_max_bytes ? `heap of at most ${bytes(summary.heap_max_bytes)}` : null,
    one?.uptime_ms ? `ran ${elapsed(one.uptime_ms)}` : null,
    one ? (one.ended ? `ended in order${one.end_reason ? ` (${one.end_reason})` : ""}` : runs ? "still runs" : "no end recorded") : null,
    counted(summary.snapshots, "snapshot", "snapshots"),
  ];
  const state = summary.collected
    ? "right after a forced full collection"
    : { true: "of what lived at the last full marking of the heap", false: "without a full marking of the heap: at most so much lives" }[summary.marked];
  return h(
    "div",
    { class: "head" },
    h("p", { class: "eyebrow" }, about),
    h("h1", {}, title),
    h("p", { class: "facts" }, facts.filter(Boolean).map((fact) => h("span", {}, fact))),
    state ? h("p", { class: "quiet" }, `Figures are those of ${one ? "the" : "each JVM\u2019s"} last snapshot, ${state}.`) : null,
  );
}

export function tiles({ report, tables, marks }) {
  const { summary, components, classes, cost } = report;
  const tile = (label, figure, note) => (figure === null ? null : h("div", { class: "tile" }, h("dt", {}, label), h("dd", {}, figure, note ? h("small", {}, note) : null)));
  const measured = summary.measured_bytes;
  const index = components.findIndex((row) => row.component !== "(none)" && row.deep_bytes !== null);
  const first = components[index];
  const key = first?.own_bytes === null ? "deep_bytes" : "own_bytes";
  // The figure as the table shows it.
  const [held, mark = ""] = first ? [tables.components.rows[index][tables.components.columns.findIndex((column) => column.key === key)]].flat() : [];
  const live = classes.reduce((sum, row) => sum + (row.live ?? 0), 0);
  const allocated = classes.reduce((sum, row) => sum + row.allocated, 0);
  const cpu = cost.cpu_ms;
  const uptime = report.jvms.reduce((sum, jvm) => sum + (jvm.uptime_ms ?? 0), 0);
  return h(
    "dl",
    { class: "tiles" },
    tile("Measured", measured === null ? null : marks.measured + bytes(measured), summary.heap_used_bytes ? `${percent(measured, summary.heap_used_bytes)} of ${bytes(summary.heap_used_bytes)} used` : ""),
    first && components.length > 1 ? tile("Largest component", first.component, `${mark}${bytes(held)} ${key === "deep_bytes" ? "deep" : "of its own"}`) : null,
    tile("Live objects", marks.live + count(live), `of ${counted(classes.filter((row) => row.live !== null).length, "tracked class", "tracked classes")}`),
    tile("Allocated objects", count(allocated), "since the start, exact"),
    tile("Suspects", count(report.suspects.length + report.suspects_left_out), report.suspects.length === 0 ? "nothing grows to the end" : report.suspects[0].class.replace(/^.*\./, "")),
    cpu === null ? null : tile("Cost of measuring", `≥ ${elapsed(cpu)}`, uptime > 0 ? `of CPU, ${((cpu * 100) / uptime).toFixed(1)} % of one core` : "of CPU"),
  );
}
