// What axe-core finds on the pages, and whether they fit a telephone: PAGES are files, separated like PATH.

import assert from "node:assert/strict";
import { basename, delimiter } from "node:path";
import { after, before, test } from "node:test";
import { faults, fit } from "./axe.js";
import { browser, opened } from "./browser.js";

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
      assert.deepEqual(await faults(page), []);
      const { scroll, window, cut } = await fit(page);
      assert.equal(scroll, window);
      assert.deepEqual(cut, []);
      await page.close();
    });
