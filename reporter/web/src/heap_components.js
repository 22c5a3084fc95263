// Components in heap dumps that clients took while the program ran.

import { table } from "./table.js";
import { bytes, marked } from "./units.js";

function change(row) {
  if (row.semantic_bytes === null || row.first_semantic_bytes === null) return null;
  return row.semantic_bytes - row.first_semantic_bytes;
}

export function heapComponents({ report }) {
  const rows = report.heap_components.flatMap((found) => found.components.map((one) => ({ ...one, jvm: found.jvm })));
  if (rows.length === 0) return null;
  const signed = (n) => (n === null ? null : `${n > 0 ? "+" : n < 0 ? "-" : ""}${bytes(Math.abs(n))}`);
  const columns = [
    report.jvms.length > 1 ? { title: "JVM", kind: "count", value: (row) => row.jvm + 1 } : null,
    { title: "Component", kind: "name", value: (row) => row.component },
    { title: "Semantic", kind: "bytes", value: (row) => row.semantic_bytes, cell: (row, unit) => marked("", row.semantic_bytes, unit), hint: "Under the component in the last heap dump, its parts included" },
    report.heap_components.some((found) => found.dumps > 1) ? { title: "Since the first dump", kind: "count", value: change, cell: (row) => signed(change(row)) } : null,
    { title: "True", kind: "bytes", value: (row) => row.true_bytes, cell: (row, unit) => marked("", row.true_bytes, unit), hint: "What would be freed if its objects and those of its parts were gone" },
    { title: "Objects", kind: "count", value: (row) => row.instances, hint: "That a rule assigned to it, without those of its parts" },
  ].filter(Boolean);
  return table("Components in heap dumps", columns, rows);
}
