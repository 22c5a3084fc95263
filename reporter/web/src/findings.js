// The suspects, and sentences about the figures.

import { h } from "./dom.js";
import { sparkline } from "./lines.js";
import { bytes, count } from "./units.js";

/** Cards shown at once. */
const FIRST = 5;

export function findings(page) {
  const { suspects, suspects_left_out: leftOut } = page.report;
  const cards = suspects.map((suspect, i) => card(page.report, suspect, i + 1));
  const unseen = leftOut > 0 ? h("p", { class: "quiet" }, `${count(leftOut)} more, for which less speaks, are not on this page.`) : null;
  const rest = cards.length > FIRST ? h("details", {}, h("summary", {}, `${count(cards.length - FIRST + leftOut)} more suspects`), cards.slice(FIRST), unseen) : null;
  const sentences = page.findings.length > 0 ? h("ul", { class: "sentences" }, page.findings.map((text) => h("li", {}, prose(text)))) : null;
  return [...cards.slice(0, FIRST), rest, sentences];
}

/** Shows names between backquotes as code. */
export function prose(text) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

function card(report, suspect, rank) {
  const objects = suspect.grows === "objects";
  const points = suspect.points.map((point) => [point.uptime_ms, objects ? point.live : point.own_bytes ?? point.exclusive_bytes]).filter(([, value]) => value !== null);
  const rate = objects ? `${count(suspect.live_per_minute)} objects a minute` : `${bytes(suspect.bytes_per_minute)} a minute`;
  const what = objects ? "Live objects" : "Bytes held alone";
  return h(
    "article",
    { class: `suspect ${suspect.confidence}` },
    h(
      "div",
      {},
      h("p", { class: "eyebrow" }, `Leak suspect ${rank} \u00b7 `, h("b", {}, suspect.confidence), report.jvms.length > 1 ? ` \u00b7 JVM ${suspect.jvm + 1}` : null),
      h("h3", {}, suspect.class, suspect.component ? h("span", { class: "chip" }, suspect.component) : null),
      h("ul", {}, suspect.reasons.map((reason) => h("li", {}, prose(reason)))),
    ),
    points.length > 1 ? h("figure", { class: "spark" }, sparkline(points, { name: `${what} of ${suspect.class}, from ${count(points[0][1])} to ${count(points.at(-1)[1])}` }), h("figcaption", {}, `${what}: ${suspect.exact ? "" : "\u2248 "}+${rate}`)) : null,
  );
}
