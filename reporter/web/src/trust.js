// How far a figure can be trusted, as a mark in front of it: the rules of the text report.

import { count, inUnit } from "./units.js";

export const NOT_MEASURED = "\u2013";

/** Half of the 95 % interval of an estimate, objects. */
const interval = (error) => Math.ceil(1.96 * error);

/** Live objects: `1,234`, or `≈ 1,234 ± 56` when they are sampled. */
export function live(row, figure = "live", error = "live_error") {
  const n = row[figure];
  if (n === null || n === undefined) return NOT_MEASURED;
  if (row.exact === true || row[error] === 0) return count(n);
  const of = row[error];
  return of === null || of === undefined ? `\u2248 ${count(n)}` : `\u2248 ${count(n)} \u00b1 ${count(interval(of))}`;
}

/** What marks the bytes of a row: none, `≈` (may err either way) or `≥` (a lower bound). */
export function marks(report) {
  const formula = report.jvms.some((jvm) => jvm.sizes === "formula");
  const closed = report.summary.closed_objects > 0;
  const blurred = report.summary.exact === false || closed || formula;
  return {
    shallow: (row) => (row.exact === false || formula ? "\u2248 " : ""),
    deep: (exact) => (exact === false || closed ? "\u2265 " : formula ? "\u2248 " : ""),
    // Which part is exclusive depends on all other rows: one sampled class blurs them all.
    split: () => (blurred ? "\u2248 " : ""),
  };
}

export function marked(mark, n, unit) {
  return n === null || n === undefined ? NOT_MEASURED : mark + inUnit(n, unit);
}
