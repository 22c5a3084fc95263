// What was not measured, and the cost of measuring.

import { headings } from "./data.js";
import { h } from "./dom.js";
import { table } from "./table.js";
import { bytes, count, counted, elapsed, percent } from "./units.js";

export function aboutMeasuring(page) {
  return [damaged(page.report), skipped(page.report), notes(page.report), cost(page.report), legend(page)];
}

function damaged({ damaged }) {
  if (damaged.length === 0) return null;
  return [h("h3", {}, "Damaged recordings"), h("ul", {}, damaged.map((row) => h("li", {}, `${row.file}: ${row.reason}; the part before it is used`)))];
}

function skipped({ skipped, summary }) {
  if (summary.skipped_total === 0 && skipped.length === 0) return h("p", {}, "Every matched class was rewritten.");
  const columns = [
    { ...headings.class, kind: "name", value: (row) => row.class },
    { ...headings.jar, kind: "name", value: (row) => row.jar ?? "" },
    { ...headings.reason, kind: "name", value: (row) => row.reason },
  ];
  const more = summary.skipped_total > skipped.length ? `The recordings list ${count(skipped.length)} of ${count(summary.skipped_total)}.` : null;
  return [h("h3", {}, `Skipped: ${counted(summary.skipped_total, "matched class was", "matched classes were")} not rewritten`), table("Skipped classes", columns, skipped, { more })];
}

function notes({ notes }) {
  return notes.length === 0 ? null : [h("h3", {}, "Notes of the runtime"), h("ul", {}, notes.map((note) => h("li", {}, note)))];
}

function cost({ cost, summary }) {
  const ms = (n) => (n === null ? null : elapsed(n));
  const own = summary.heap_runtime_bytes ?? null;
  const facts = [
    ["CPU in all, as far as it is seen", ms(cost.cpu_ms)],
    ["Start", ms(cost.start_ms)],
    ["Classes that were loaded later", ms(cost.classes_ms)],
    ["Probes, CPU (estimated)", ms(cost.probe_cpu_ms)],
    ["The runtime\u2019s thread, CPU", ms(cost.thread_cpu_ms)],
    ["Measurements, CPU", ms(cost.measuring_cpu_ms)],
    ["Measurements, elapsed", ms(cost.measuring_wall_ms)],
    ["Sweeps after collections", cost.sweeps === null ? null : `${count(cost.sweeps)}${cost.sweep_ms === null ? "" : ` (${elapsed(cost.sweep_ms)})`}`],
    ["Forced full collections", cost.forced_collections === null ? null : `${count(cost.forced_collections)}${cost.forced_pause_ms === null ? "" : ` (${elapsed(cost.forced_pause_ms)})`}`],
    ["The runtime's own heap", own === null ? null : `${bytes(own)}${summary.heap_used_bytes ? `, ${percent(own, summary.heap_used_bytes)} of the used heap` : ""}`],
    ["Registry (estimated)", own !== null || cost.registry_bytes === null ? null : bytes(cost.registry_bytes)],
    ["Recording", cost.recording_bytes === null ? null : bytes(cost.recording_bytes)],
  ].filter(([, figure]) => figure !== null);
  const list = facts.length === 0 ? h("p", {}, "Not stated: a JVM did not end in order.") : h("dl", { class: "facts-list" }, facts.map(([label, figure]) => h("div", {}, h("dt", {}, label), h("dd", {}, figure))));
  const unseen = cost.cpu_ms === null ? null : h("p", { class: "quiet" }, cost.not_seen);
  return [h("h3", {}, "Cost of measuring"), list, unseen];
}

function legend({ legend }) {
  return h("details", {}, h("summary", {}, "How to read the figures"), h("ul", {}, legend.map((line) => h("li", {}, line))));
}
