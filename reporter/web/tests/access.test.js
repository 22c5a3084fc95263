// What axe-core finds on the pages, and whether they fit a telephone: PAGES are files, separated like PATH.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter } from "node:path";
import { after, before, test } from "node:test";
import { browser, opened } from "./browser.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let chromium;

before(async () => {
  chromium = await browser();
});
after(() => chromium.close());

for (const file of process.env.PAGES.split(delimiter))
  for (const wanted of [{ scheme: "light" }, { scheme: "dark" }, { scheme: "light", width: 400 }, { scheme: "dark", width: 400 }])
    test(`axe-core finds nothing, and nothing sticks out: ${basename(file)} ${JSON.stringify(wanted)}`, async () => {
      const { page, complaints } = await opened(chromium, file, wanted);
      await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
      assert.deepEqual(complaints, []);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run().then(({ violations }) => violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}`))));
      assert.deepEqual(found, []);
      const { scroll, window, cut } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        window: innerWidth,
        // Except what scrolls within itself.
        cut: [...document.querySelectorAll("main p, main summary, main h1, main h2, main h3, main li")].filter((one) => !one.closest(".scroll") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.textContent.slice(0, 80)),
      }));
      assert.equal(scroll, window);
      assert.deepEqual(cut, []);
      await page.close();
    });
