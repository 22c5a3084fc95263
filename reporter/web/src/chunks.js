// Draws a long table in parts of 50 rows. Only parts near the window have their rows in the document; the others are empty
// and keep their height. Printing draws all rows.

import { h } from "./dom.js";

/** Rows of a part. */
export const CHUNK = 50;
/** The distance from the window within which parts are drawn. */
const NEAR = "1200px 0px";
/** Height of a row before any row of its table was measured, pixels. */
const GUESS = 27;

/** Those of all tables on the page. */
const all = new Set();

/** Draws every row of every table; returns a function that undoes it. */
export function drawAll() {
  all.forEach((chunks) => chunks.fillAll());
  return () => all.forEach((chunks) => chunks.watch());
}

/** Gives up those of tables that are no longer on the page. */
export function forgetChunks() {
  all.forEach((chunks) => {
    if (chunks.table.isConnected) return;
    chunks.end();
    all.delete(chunks);
  });
}

/** The parts of `table`; `row(item, index)` makes a row. */
export function chunked(table, row) {
  const bodies = [];
  let perRow = GUESS;
  const watcher = new IntersectionObserver((seen) => seen.forEach(({ target, isIntersecting }) => (isIntersecting ? fill(target.chunk) : empty(target.chunk))), { rootMargin: NEAR });

  function fill(chunk) {
    if (chunk.filled) return;
    chunk.filled = true;
    chunk.body.replaceChildren(...chunk.items.map((item, i) => row(item, chunk.from + i)));
  }

  function empty(chunk) {
    if (chunk.filled) {
      // Rows differ in height: a name may take several lines.
      chunk.height = chunk.body.getBoundingClientRect().height || chunk.height;
      if (chunk.height) perRow = chunk.height / chunk.items.length;
    }
    chunk.filled = false;
    const height = `${chunk.height ?? perRow * chunk.items.length}px`;
    chunk.body.replaceChildren(h("tr", { class: "gap", "aria-hidden": "true" }, h("td", { colspan: 100, style: { height } })));
  }

  /** Shows these items; the first are drawn at once. */
  function show(items) {
    watcher.disconnect();
    bodies.splice(0).forEach(({ body }) => body.remove());
    for (let from = 0; from < Math.max(1, items.length); from += CHUNK) {
      const chunk = { body: h("tbody", { role: "rowgroup" }), from, items: items.slice(from, from + CHUNK), filled: false };
      chunk.body.chunk = chunk;
      bodies.push(chunk);
      if (from === 0) fill(chunk);
      else empty(chunk);
    }
    table.append(...bodies.map(({ body }) => body));
    watch();
  }

  /** Draws the parts near the window from now on. */
  function watch() {
    watcher.disconnect();
    if (bodies.length > 1) bodies.forEach(({ body }) => watcher.observe(body));
  }

  const chunks = { table, show, watch, end: () => watcher.disconnect(), fillAll: () => (watcher.disconnect(), bodies.forEach(fill)) };
  all.add(chunks);
  return chunks;
}
