// How far a figure can be trusted, as a mark in front of it: the rules of the text report.

import { count, inUnit } from "./units.js";

export const NOT_MEASURED = "\u2013";

/** Half of the 95 % interval of an estimate, objects. */
const interval = (error) => Math.ceil(1.96 * error);

/**
 * Live objects: `1,234`, or `≈ 1,234 ± 56` when they are estimated, and a bound when the interval is as wide as the figure.
 * The rule is that of the text report (estimate.rs).
 */
export function live(row, figure = "live", error = "live_error") {
  const n = row[figure];
  if (n === null || n === undefined) return NOT_MEASURED;
  if (row.exact === true || row[error] === 0) return count(n);
  const of = row[error];
  if (of === null || of === undefined) return `\u2248 ${count(n)}`;
  const half = interval(of);
  if (half < n) return `\u2248 ${count(n)} \u00b1 ${count(half)}`;
  const constructed = figure === "live" ? (row.allocated ?? Infinity) : Infinity;
  if (n + half < constructed) return `at most ${count(n + half)}`;
  return row.tracked > 0 ? `at least ${count(row.tracked)}` : `at most ${count(constructed)}`;
}

/** What marks the bytes of a row: none, `≈` (may err either way) or `≥` (a lower bound). */
export function marks(report) {
  const formula = report.jvms.some((jvm) => jvm.sizes === "formula");
  const closed = report.summary.closed_objects > 0;
  const blurred = report.summary.exact === false || closed || formula;
  return {
    shallow: (row) => (row.counted !== true && (row.exact === false || formula) ? "\u2248 " : ""),
    deep: (exact) => (exact === false || closed ? "\u2265 " : formula ? "\u2248 " : ""),
    // Which part is exclusive depends on all other rows: one sampled class blurs them all.
    split: () => (blurred ? "\u2248 " : ""),
  };
}

export function marked(mark, n, unit) {
  return n === null || n === undefined ? NOT_MEASURED : mark + inUnit(n, unit);
}
