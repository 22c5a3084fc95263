// Photographs a console: `node console_screenshots.js URL FOLDER`, where URL is the address that it printed.

import { join } from "node:path";
import { browser, opened } from "./browser.js";

const [url, folder] = process.argv.slice(2);
const chromium = await browser();
for (const scheme of ["light", "dark"]) {
  const { page } = await opened(chromium, url, { scheme });
  await page.waitForSelector("#view canvas", { timeout: 60_000 });
  // Findings come with the figures; the charts are below them.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.screenshot({ path: join(folder, `console-${scheme}.png`) });
  await page.close();
}
await chromium.close();
