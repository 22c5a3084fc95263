// What a person does with the console, in a real browser. URL is its address with the token. It shows the recording GROWS,
// whose REST is added here; PID is a process that it may measure.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { faults, fit } from "./axe.js";
import { browser, opened } from "./browser.js";

const { URL: url, GROWS, REST, PID } = process.env;
/** What only hangs would take longer than, milliseconds. */
const PATIENCE = { timeout: 60_000 };

let chromium;
let page;
let complaints;
let requests;

before(async () => {
  chromium = await browser();
  ({ page, complaints, requests } = await opened(chromium, url));
  page.setDefaultTimeout(PATIENCE.timeout);
});
after(() => chromium.close());

const texts = (selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
const view = async (name) => {
  await page.click(`nav a[href="#${name}"]`);
  await page.waitForSelector(`nav a[href="#${name}"][aria-current]`);
};
const says = (text) => page.waitForFunction((text) => document.querySelector(".message").textContent.includes(text), PATIENCE, text);
const has = (text, selector = "#view") => page.waitForFunction((text, selector) => document.querySelector(selector)?.textContent.includes(text), PATIENCE, text, selector);
const press = (text, selector = "main") =>
  page.waitForFunction((text, selector) => {
    const button = [...document.querySelectorAll(`${selector} button:not(:disabled)`)].find((one) => one.textContent === text);
    button?.click();
    return button !== undefined;
  }, PATIENCE, text, selector);
/** Whether the console has read the last line of the recording. */
const ended = async () => {
  const { origin, searchParams } = new URL(url);
  const answer = await fetch(`${origin}/api/sources/0`, { headers: { Authorization: `Bearer ${searchParams.get("token")}` } });
  return (await answer.json()).report.jvms[0].ended;
};
const snapshots = () => page.$eval("#view .facts", (one) => Number(one.textContent.match(/(\d+) snapshots?/)[1]));

describe("a recording that grows", () => {
  test("has no shortage yet, and says so", async () => {
    await page.waitForSelector("#view .tiles");
    await view("shortages");
    await has("Nothing was decided in a memory shortage");
    await view("overview");
  });

  test("is drawn again without a reload, and what the reader chose stays", async () => {
    await page.waitForSelector("#view .tiles");
    await page.waitForSelector("#view canvas");
    const before = await snapshots();
    await view("classes");
    const names = () => texts("#view .table tbody:not(.sizes) tr td:first-child");
    assert.ok((await names()).length >= 40);
    // By key, then the other way by a click on the heading.
    await page.keyboard.press("n");
    const sorted = await names();
    assert.deepEqual(sorted, [...sorted].sort((a, b) => a.localeCompare(b)));
    await page.click("#view thead th:first-child button");
    assert.deepEqual(await names(), [...sorted].reverse());
    const drawn = await page.$("#view .table");
    await page.evaluate(() => (window.sameDocument = true));
    const rest = readFileSync(REST);
    appendFileSync(GROWS, rest.subarray(0, rest.length / 2));
    await page.waitForFunction((drawn) => !drawn.isConnected, PATIENCE, drawn);
    assert.deepEqual(await names(), [...sorted].reverse());
    // A button that has the focus would take the key.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(" ");
    await has("frozen", ".light");
    const still = await page.$("#view .table");
    appendFileSync(GROWS, rest.subarray(rest.length / 2));
    while (!(await ended())) await new Promise((later) => setTimeout(later, 100));
    assert.ok(await page.evaluate((still) => still.isConnected, still), "a frozen moment was drawn again");
    await page.keyboard.press(" ");
    await page.waitForFunction((still) => !still.isConnected, PATIENCE, still);
    await view("overview");
    await page.waitForFunction((before) => Number(document.querySelector("#view .facts")?.textContent.match(/(\d+) snapshots?/)?.[1]) > before, PATIENCE, before);
    assert.ok(await page.evaluate(() => window.sameDocument));
  });

  test("has a view for each question, and says why one is empty", async () => {
    for (const name of ["components", "classes", "ages", "threads", "scopes", "peaks", "sites", "shortages", "cost", "traces", "heap", "jvms", "overview"]) {
      await view(name);
      await page.waitForFunction(() => document.querySelector("#view h2, #view .head")?.parentElement.textContent.length > 20, PATIENCE);
    }
  });

  test("shows what was ended in a shortage, why, and what that freed", async () => {
    await view("shortages");
    const [row] = await texts("#view .table tbody:not(.sizes) tr");
    for (const wanted of ["1 min 01 s", "old generation 238.4 MiB of at most 228.9 MiB", "stopped request=export by force", "29,296.9", "28,320.3", "free again"]) assert.ok(row.includes(wanted), `${wanted}: ${row}`);
    await page.click("#view summary");
    await has("request=export on worker-7: 28.6 MiB held, for 9.0 s");
  });

  test("is used by keys alone: views, columns, rows, filter, help", async () => {
    await view("overview");
    await page.keyboard.press("]");
    await page.waitForSelector(`nav a[href="#components"][aria-current]`);
    await page.keyboard.press("3");
    await page.waitForSelector(`nav a[href="#classes"][aria-current]`);
    await page.keyboard.press("l");
    assert.match(await page.$eval("#view th[aria-sort]", (one) => one.textContent), /^Live/);
    await page.keyboard.press("ArrowRight");
    assert.doesNotMatch(await page.$eval("#view th[aria-sort]", (one) => one.textContent), /^Live/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const rows = await texts("#view .table tbody:not(.sizes) tr td:first-child");
    assert.deepEqual(await texts("#view tr.selected td:first-child"), [rows[1]]);
    await page.keyboard.press("/");
    await page.keyboard.type("Session");
    await page.waitForSelector(".found:not(:empty)");
    await page.waitForFunction((all) => document.querySelectorAll("#view .table tbody:not(.sizes) tr").length < all, PATIENCE, rows.length);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open] .keys");
    assert.deepEqual(await faults(page), []);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog"));
  });
});

describe("a JVM", () => {
  const row = `tr[data-name="${PID}"]`;

  test("is measured, and a snapshot shows its objects", async () => {
    await view("jvms");
    await page.waitForSelector(row, PATIENCE);
    await press("Measure\u2026", row);
    await page.waitForSelector("dialog[open] input");
    assert.equal(await page.$eval("dialog input", (one) => one.value), "com.acme.**");
    assert.deepEqual(await faults(page), []);
    // Its young generation is full of garbage, which a walk passes over too.
    await page.$$eval("dialog .field", (all) => (all.find((one) => one.textContent.startsWith("Longest stop")).querySelector("input").value = "1h"));
    await press("Measure", "dialog");
    await says("is measured");
    await page.waitForFunction(() => !document.querySelector("dialog"));
    await has("live", ".light");
    // The console leaves the program alone for a while after it attached.
    for (;;) {
      await press("Snapshot", ".actions");
      await page.waitForFunction(() => /was taken|left alone|busy/.test(document.querySelector(".message").textContent), PATIENCE);
      if ((await page.$eval(".message", (one) => one.textContent)).includes("was taken")) break;
      await new Promise((later) => setTimeout(later, 500));
    }
    await view("classes");
    await has("com.acme.attached.Counted");
  });

  test("is traced, and the page shows what was found and what it cost", async () => {
    await view("traces");
    for (;;) {
      await press("Trace\u2026", ".actions");
      await page.waitForSelector("dialog[open]");
      await page.type("dialog input[placeholder='com.acme.**']", "com.acme.attached.**");
      await press("Start", "dialog");
      await page.waitForFunction(() => /runs\.|left alone|busy/.test(document.querySelector(".message").textContent), PATIENCE);
      if ((await page.$eval(".message", (one) => one.textContent)).includes("runs.")) break;
      await press("Cancel", "dialog");
      await new Promise((later) => setTimeout(later, 500));
    }
    await has("classes got probes");
    await has("com.acme.attached.Load", "#view .found");
    await press("Stop", "#view");
    await says("has ended");
    await has("com.acme.attached.Load", "#view .found");
  });

  test("writes a heap dump, which tells what holds a class without stopping the program again", async () => {
    for (;;) {
      await press("Heap dump", ".actions");
      await page.waitForFunction(() => /was stopped for|left alone|busy/.test(document.querySelector(".message").textContent), PATIENCE);
      if ((await page.$eval(".message", (one) => one.textContent)).includes("was stopped for")) break;
      await new Promise((later) => setTimeout(later, 500));
    }
    await page.keyboard.press("/");
    await page.keyboard.type("attached.counted");
    const counted = `tr[data-name="com.acme.attached.Counted"]`;
    await page.waitForSelector(counted, PATIENCE);
    await press("Holders", counted);
    await has("What holds com.acme.attached.Counted");
    assert.match(await page.$eval(".tree", (one) => one.textContent), /class com\.acme\.attached\.Main.*Counted/s);
    await page.focus(".find input");
    await page.keyboard.press("Escape");
  });

  test("gets its own bytes back", async () => {
    await press("Detach", ".actions");
    await says("classes have their own bytes again");
    await has("over", ".chooser");
    await view("jvms");
    await page.waitForFunction((row) => document.querySelector(row)?.textContent.includes("idle"), PATIENCE, row);
  });
});

describe("the page", () => {
  test("has loaded nothing from elsewhere, and the browser has not complained", () => {
    const own = new URL(url).origin;
    assert.deepEqual(requests.filter((one) => new URL(one).origin !== own), []);
    // What was refused because it came too soon was answered so on purpose.
    assert.deepEqual(complaints.filter((one) => !one.includes("status of 429")), []);
  });

  for (const wanted of [{ scheme: "light" }, { scheme: "dark" }, { scheme: "light", width: 400 }, { scheme: "dark", width: 400 }])
    test(`axe-core finds nothing in any view, and nothing sticks out: ${JSON.stringify(wanted)}`, async () => {
      const one = await opened(chromium, url, wanted);
      one.page.setDefaultTimeout(PATIENCE.timeout);
      await one.page.waitForSelector("#view .tiles");
      for (const name of await one.page.$$eval("nav a", (all) => all.map((link) => link.hash))) {
        await one.page.evaluate((name) => (location.hash = name), name);
        await one.page.waitForFunction(() => document.querySelector("#view")?.childElementCount > 0, PATIENCE);
        assert.deepEqual(await faults(one.page), [], name);
        const { scroll, window, cut } = await fit(one.page);
        assert.equal(scroll, window, name);
        assert.deepEqual(cut, [], name);
      }
      await one.page.close();
    });

  test("tells whoever has the wrong token what to do", async () => {
    const answer = await fetch(url.replace(/token=..../, "token=0000"));
    assert.equal(answer.status, 403);
    assert.match((await answer.json()).error, /open the address that `weighbridge console` printed/);
  });
});
