// A headless Chromium for tests and screenshots: whichever the machine has.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function executable() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not here.
      }
    }
  }
  throw new Error(`install one of ${NAMES.join(", ")}`);
}

/** Without a sandbox: containers and root may not have one, and the pages are ours. */
export function browser() {
  return puppeteer.launch({ executablePath: executable(), args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"] });
}

/** A file, or an address, as a reader sees it, with what the browser complains of and loads. */
export async function opened(chromium, file, { scheme = "light", width = 1280 } = {}) {
  const page = await chromium.newPage();
  const [complaints, requests] = [[], []];
  page.on("console", (message) => ["error", "warn", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(file.startsWith("http://") ? file : pathToFileURL(file).href);
  // What is drawn to measure is drawn after the first layout, so only the second frame has it.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  return { page, complaints, requests };
}
