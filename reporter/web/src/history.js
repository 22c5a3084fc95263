// The run over time, and live bytes over allocated ones (US 7,444,484).

import { h } from "./dom.js";
import { lines } from "./lines.js";
import { bytes, count, counted, moment } from "./units.js";
import { prose } from "./findings.js";
import { toneOf } from "./palette.js";
import { momentsOf } from "./shortages.js";

/** Most components that are drawn, the largest first. */
const DRAWN = 7;

/** JVMs have different time lines: the reader chooses one. */
function chooser(page, runs, draw) {
  const charts = h("div", { class: "charts" });
  const show = (i) => charts.replaceChildren(...draw(runs[i]).filter(Boolean));
  show(0);
  if (runs.length === 1) return [charts];
  const name = (run) => `JVM ${run.jvm + 1}: ${page.report.jvms[run.jvm].file}`;
  const select = h("select", { onchange: () => show(select.selectedIndex) }, runs.map((run) => h("option", {}, name(run))));
  return [h("p", { class: "tools" }, h("label", {}, "Run ", select)), charts];
}

export function overTime(page) {
  const runs = page.series.filter((run) => run.uptime_ms.length > 1);
  if (runs.length === 0) return null;
  const known = (series) => series && (series.max ?? series.values).some((value) => value !== null);
  return chooser(page, runs, (run) => {
    const x = run.uptime_ms;
    const last = (series) => (series.max ?? series.values).findLast((value) => value !== null);
    const all = [
      { label: "Used heap, garbage included", colour: "--c-other", ...run.heap_used_bytes },
      { label: "Measured: reached from registered objects", colour: "--c0", ...run.measured_bytes },
    ].filter(known);
    const components = run.components
      .slice(0, DRAWN)
      .map((one) => ({ label: one.component, colour: toneOf(page.report, one.component), ...one.deep_bytes }))
      .filter(known);
    const summary = (series) => series.map((one) => `${one.label} ${bytes(last(one))} at the end`).join("; ");
    const parts = run.snapshots > x.length ? h("p", { class: "quiet" }, `${count(run.snapshots)} snapshots in ${count(x.length)} parts of ${run.per_part} each: a band reaches from the least to the greatest figure of a part.`) : null;
    const every = page.history_every > 1 ? h("p", { class: "quiet" }, `Of each JVM one of ${page.history_every} snapshots is drawn, and its last one.`) : null;
    return [
      every,
      parts,
      all.length > 0 ? lines({ label: "Heap", x, series: all, at: moment, marks: momentsOf(page, run.jvm), summary: summary(all) }) : null,
      components.length > 1 ? lines({ label: "Deep size by component (components overlap where they share)", x, series: components, at: moment, summary: summary(components) }) : null,
    ];
  });
}

const MEANING = {
  walk: "reached from registered objects",
  histogram: "of the whole heap (class histogram)",
  usage: "in use after a collection",
};

export function live(page) {
  const peaks = page.report.peaks.filter((peak) => peak.counts.length > 1);
  if (peaks.length > 0) return chooser(page, peaks, (peak) => [peaked(peak, page), ...sentences(page, peak)]);
  const runs = page.series.filter((run) => run.allocated.length > 1 && run.live.max.some((value) => value !== null));
  if (runs.length === 0) return null;
  return chooser(page, runs, (run) => [
    lines({
      label: "Live objects over objects allocated",
      x: run.allocated,
      series: [{ label: "Live objects", colour: "--c0", ...run.live }],
      at: count,
      figure: count,
      summary: `${count(run.live.max.at(-1))} objects live of ${count(run.allocated.at(-1))} allocated at the end`,
    }),
    h("p", { class: "quiet" }, "Live bytes over allocated bytes, with the peak and its tolerance, are counted with the option ", h("code", {}, "peak"), "."),
  ]);
}

/**
 * The chart of counts. Between two counts, live bytes were at most the count plus the bytes allocated since: this is the
 * proven band. The peak and its tolerance are those of mode 4 of the patent.
 */
function peaked(peak, page) {
  const counts = peak.counts.filter((point) => point.allocated_bytes !== null && point.live_bytes !== null);
  const x = [];
  const [live, ceiling, floor, best, tolerance] = [[], [], [], [], []];
  let greatest = 0;
  const push = (at, ...values) => {
    x.push(at);
    [live, ceiling, floor, best, tolerance].forEach((series, i) => series.push(values[i]));
  };
  counts.forEach((point, i) => {
    const before = counts[i - 1];
    const within = (value) => (peak.tolerance_bytes === null ? null : value + peak.tolerance_bytes);
    if (before && point.allocated_bytes > before.allocated_bytes)
      // Right before a count, everything allocated since the last one may still be live.
      push(point.allocated_bytes - Math.min(1, (point.allocated_bytes - before.allocated_bytes) / 2), null, before.live_bytes + point.allocated_bytes - before.allocated_bytes, before.live_bytes, greatest, within(greatest));
    greatest = Math.max(greatest, point.live_bytes);
    push(point.allocated_bytes, point.live_bytes, point.live_bytes, point.live_bytes, greatest, within(greatest));
  });
  const series = [
    { label: "May have lived: the last count and all allocated since (cut off above)", colour: "--c-other", max: ceiling, min: floor, fill: true },
    { label: "Live, approximated between counts", colour: "--c0", values: live },
    { label: "Peak so far", colour: "--c1", values: best, step: true },
    peak.tolerance_bytes === null ? null : { label: `Peak and tolerance of ${bytes(peak.tolerance_bytes)}`, colour: "--c1", values: tolerance, dash: [5, 4] },
    { label: "Counts", colour: "--c0", values: live, dots: true },
  ].filter(Boolean);
  const thinned = page.thinned_counts.find((one) => one.jvm === peak.jvm);
  const note = thinned ? h("p", { class: "quiet" }, `${count(thinned.counts)} counts, of which the least and the greatest of each ${thinned.per_part} are drawn.`) : null;
  return h("div", {}, lines({ label: `Live bytes ${MEANING[peak.source] ?? ""} over all bytes allocated`, x, series, at: bytes, height: 300, upTo: 1.5 * ((peak.peak_bytes ?? 0) + (peak.tolerance_bytes ?? 0)) || undefined, summary: `peak ${bytes(peak.peak_bytes ?? 0)} in ${counted(counts.length, "count", "counts")}` }), note);
}

function sentences(page, peak) {
  return page.peak_sentences.filter((one) => one.jvm === peak.jvm).map((one) => h("p", {}, prose(one.text)));
}
