// Photographs a report: `node screenshots.js REPORT FOLDER`.

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { browser } from "./browser.js";

const [report, folder] = process.argv.slice(2);
const PICTURES = [
  { name: "report-light", scheme: "light", section: null, height: 900 },
  { name: "report-dark", scheme: "dark", section: null, height: 900 },
  { name: "components-light", scheme: "light", section: "components", height: 760 },
  { name: "components-dark", scheme: "dark", section: "components", height: 760 },
];

const chromium = await browser();
for (const { name, scheme, section, height } of PICTURES) {
  const page = await chromium.newPage();
  await page.setViewport({ width: 1280, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(pathToFileURL(resolve(report)).href);
  if (section) await page.evaluate((id) => document.getElementById(id).scrollIntoView(), section);
  // Charts are drawn when their element has its size.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await chromium.close();
