// What axe-core finds on a page, and what sticks out of it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What it finds, a line each. */
export async function faults(page) {
  await page.evaluate(axe);
  return page.evaluate(() => axe.run().then(({ violations }) => violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`))));
}

/** The widths of the document and of the window, and the texts that are cut. */
export const fit = (page) =>
  page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    window: innerWidth,
    // Except what scrolls within itself.
    cut: [...document.querySelectorAll("main p, main summary, main h1, main h2, main h3, main li")].filter((one) => !one.closest(".scroll") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.textContent.slice(0, 80)),
  }));
