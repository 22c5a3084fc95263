// Opens reports as a reader would: `node opens.js PAGE...`; fails if one complains, lacks a table or loads anything else.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { browser } from "./browser.js";

const chromium = await browser();
try {
  for (const file of process.argv.slice(2)) {
    const page = await chromium.newPage();
    const complaints = [];
    const requests = [];
    page.on("console", (message) => ["error", "warn", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    const rows = await page.$$eval("#classes .table tbody tr", (all) => all.length);
    assert.deepEqual(complaints, [], file);
    assert.equal(requests.length, 1, requests.join(" "));
    assert.ok(rows > 3, `${file}: ${rows} rows of classes`);
    await page.close();
  }
} finally {
  await chromium.close();
}
