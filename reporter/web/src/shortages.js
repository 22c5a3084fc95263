// Decisions of the control on memory shortage.

import { h } from "./dom.js";
import { table } from "./table.js";
import { bytes, elapsed, marked } from "./units.js";

/** The moments of one JVM's decisions, for the time line. */
export function momentsOf({ report, shortage_texts }, jvm) {
  const of = report.shortages.map((one, i) => ({ x: one.uptime_ms, label: `${shortage_texts[i].done} (${shortage_texts[i].cause})`, jvm: one.jvm }));
  return of.filter((one) => one.jvm === jvm && one.x !== undefined);
}

export function shortages({ report, shortage_texts }) {
  const rows = report.shortages.map((line, i) => ({ ...line, ...shortage_texts[i] }));
  if (rows.length === 0) return null;
  const several = report.jvms.length > 1;
  const columns = [
    several ? { title: "JVM", kind: "count", value: (row) => row.jvm + 1 } : null,
    { title: "At", kind: "count", value: (row) => row.uptime_ms ?? null, cell: (row) => (row.uptime_ms === undefined ? null : elapsed(row.uptime_ms)) },
    { title: "Why", kind: "name", value: (row) => row.cause },
    { title: "Done", kind: "name", value: (row) => row.done },
    { title: "Predicted", kind: "bytes", value: (row) => row.predicted_bytes ?? null, cell: (row, unit) => marked("", row.predicted_bytes, unit), hint: "What its end was expected to free: what its thread held by the exact measure, else what it had allocated" },
    { title: "Freed", kind: "bytes", value: (row) => row.freed_bytes ?? null, cell: (row, unit) => marked("", row.freed_bytes, unit), hint: "Used heap before, less used heap after a collection" },
    { title: "Decided in", kind: "count", value: (row) => row.decided_ms ?? null, cell: (row) => (row.decided_ms === undefined ? null : elapsed(row.decided_ms)) },
    { title: "Stopped for", kind: "count", value: (row) => (row.pause_ms ?? 0) + (row.dump_ms ?? 0), cell: (row) => elapsed((row.pause_ms ?? 0) + (row.dump_ms ?? 0)), hint: "How long collections and heap dumps stopped the program" },
    { title: "Memory", kind: "name", value: (row) => (row.dry_run ? "-" : row.resolved ? "free again" : "still short") },
    { title: "Reason", kind: "name", value: (row) => [row.reason, row.unmeasured].filter(Boolean).join("; ") },
  ].filter(Boolean);
  return [table("Memory shortages", columns, rows), rows.filter((row) => row.candidates?.length > 0).slice(0, 20).map(candidates)];
}

function candidates(row) {
  const line = (one) => `${one.name}${one.what === "thread" ? "" : ` on ${one.thread}`}: ${one.held_bytes === undefined ? (one.allocated_bytes === undefined ? "bytes not known" : `${bytes(one.allocated_bytes)} allocated`) : `${bytes(one.held_bytes)} held`}, for ${elapsed(one.age_ms ?? 0)}${one.refused ? `; ${one.refused}` : ""}`;
  const more = row.candidates_total > row.candidates.length ? ` of ${row.candidates_total}` : "";
  return h("details", {}, h("summary", {}, `Candidates at ${elapsed(row.uptime_ms ?? 0)}: ${row.candidates.length}${more}`), h("ol", {}, row.candidates.map((one) => h("li", {}, line(one)))));
}
