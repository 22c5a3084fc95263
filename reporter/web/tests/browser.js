// A headless Chromium for tests and screenshots: whichever the machine has.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
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
