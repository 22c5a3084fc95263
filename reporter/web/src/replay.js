// The charts of a replay: exact live bytes over allocated bytes, and what the modes of mark-and-count make of them (US 7,444,484).

import { h } from "./dom.js";
import { lines } from "./lines.js";
import { bytes, count } from "./units.js";

const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** Live bytes as they were, and as mode 3 and mode 4 with the same tolerance show them. */
function live(replay) {
  const { allocated: x, live, threshold, peak_so_far, tolerance, peak } = replay;
  const above = peak_so_far.map((greatest) => greatest + tolerance);
  const series = [
    { label: "Live, exact", colour: "--c0", values: live },
    { label: `Mode 4: the peak so far, and ${bytes(tolerance)} above it`, colour: "--c1", max: above, min: peak_so_far, fill: true },
    { label: "Mode 4: the peak so far", colour: "--c1", values: peak_so_far, step: true },
    { label: `Mode 3: a count each ${bytes(tolerance)} allocated`, colour: "--c6", values: threshold, step: true, dash: [5, 3] },
  ];
  return lines({ label: "Live bytes over all bytes allocated", x, series, at: bytes, height: 320, summary: `peak ${bytes(peak)} of ${bytes(x.at(-1))} allocated` });
}

/** Live bytes as a part of allocated bytes. */
function utilization(replay) {
  const series = [{ label: "Utilization", colour: "--c0", values: replay.utilization }];
  return lines({ label: "Utilization: live bytes of allocated bytes", x: replay.allocated, series, at: bytes, figure: percent, height: 160, summary: `${percent(replay.utilization.at(-1) ?? 0)} at the end` });
}

/** Draws the charts where the page has room for them. */
export function curves(part, replay) {
  const note = replay.note ? h("p", { class: "quiet" }, replay.note) : h("p", { class: "quiet" }, `All ${count(replay.live.length)} events that changed live bytes.`);
  part.replaceChildren(live(replay), note, utilization(replay));
}
