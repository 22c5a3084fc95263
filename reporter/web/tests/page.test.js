// What a reader does with the page, in a real browser: `REPORT=page.html HOSTILE=page.html node --test tests/`.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser } from "./browser.js";

let chromium;
let page;
let complaints;
let requests;

before(async () => {
  chromium = await browser();
});
after(() => chromium.close());

async function open(file, { scheme = "light", width = 1280 } = {}) {
  await page?.close();
  page = await chromium.newPage();
  [complaints, requests] = [[], []];
  page.on("console", (message) => ["error", "warn", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(pathToFileURL(file).href);
}

const texts = (selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
const text = (selector) => page.$eval(selector, (one) => one.textContent);
const canvas = () => page.$eval("canvas", (one) => one.toDataURL());
const background = () => page.$eval("body", (one) => getComputedStyle(one).backgroundColor);

describe("a report", () => {
  beforeEach(() => open(process.env.REPORT));

  test("renders without a complaint and loads nothing but itself", async () => {
    assert.deepEqual(complaints, []);
    assert.equal(requests.length, 1, requests.join(" "));
    const sections = await page.$$eval("main > section", (all) => all.map((one) => one.id));
    for (const id of ["findings", "time", "allocated", "components", "classes", "ages", "sites", "threads", "measuring"])
      assert.ok(sections.includes(id), `${id} among ${sections}`);
    assert.match(await text(".suspect h3"), /com\.acme\.leak\.feed\.Subscription/);
    assert.ok((await page.$$("canvas")).length >= 3);
    assert.ok((await page.$$(".treemap .leaf")).length >= 4);
  });

  test("a table sorts by the column whose heading is entered, the other way the second time", async () => {
    const column = async () => texts("#classes .table tbody tr td:nth-child(3)");
    const numbers = async () => (await column()).map((text) => Number(text.replaceAll(",", "")));
    await page.focus("#classes thead th:nth-child(3) button");
    await page.keyboard.press("Enter");
    const down = await numbers();
    assert.ok(down.length > 3 && down.some((n) => n !== down[0]));
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    assert.equal(await page.$eval("#classes thead th:nth-child(3)", (th) => th.getAttribute("aria-sort")), "descending");
    await page.keyboard.press("Enter");
    assert.deepEqual(await numbers(), [...down].sort((a, b) => a - b));
    await page.focus("#classes thead th:nth-child(1) button");
    await page.keyboard.press("Enter");
    const names = await texts("#classes .table tbody tr td:nth-child(1)");
    assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b)));
  });

  test("a slash begins a search that keeps the rows with all its words, and Escape ends it", async () => {
    const rows = (await page.$$("#classes .table tbody tr")).length;
    await page.keyboard.press("/");
    await page.keyboard.type("leak.feed SUBSCRIPTION");
    assert.deepEqual(await texts("#classes .table tbody tr td:nth-child(1)"), ["com.acme.leak.feed.Subscription"]);
    assert.match(await text(".found"), /^\d+ rows?$/);
    assert.equal(await text("#classes .table [role=status]"), `1 of ${rows} rows match`);
    await page.keyboard.press("Escape");
    assert.equal((await page.$$("#classes .table tbody tr")).length, rows);
  });

  test("the theme follows the system until the reader chooses, and charts follow the theme", async () => {
    const light = [await background(), await canvas()];
    await open(process.env.REPORT, { scheme: "dark" });
    const dark = [await background(), await canvas()];
    assert.notEqual(dark[0], light[0]);
    assert.notEqual(dark[1], light[1]);
    await page.click(".theme");
    assert.equal(await text(".theme"), "Theme: light");
    assert.deepEqual([await background(), await canvas()], light);
    await page.click(".theme");
    assert.deepEqual([await background(), await canvas()], dark);
    await page.click(".theme");
    assert.equal(await text(".theme"), "Theme: system");
  });

  test("the flame graph finds classes and methods, turns round, and is walked by keys", async () => {
    const frames = () => texts(".frame");
    const before = await frames();
    assert.ok(before.includes("Broker.main"), before.join());
    await page.type("#sites input", "subscription");
    const hits = await texts(".frame.hit");
    assert.ok(hits.length > 0 && hits.length < before.length, hits.join());
    assert.match(await text("#sites .quiet[role=status]"), /match.*%$/);
    await page.$eval("#sites input", (input) => {
      input.value = "";
      input.dispatchEvent(new Event("input"));
    });
    await page.$$eval("#sites .choice button", (all) => all.find((one) => one.textContent.startsWith("Inverted")).click());
    const levels = await page.$$eval(".frame", (all) => all.filter((one) => one.getAttribute("aria-level") === "2").map((one) => one.textContent));
    assert.ok(levels.some((name) => name.includes("<init>")) && !levels.includes("Broker.main"), levels.join());
    await page.focus(".frame[tabindex='0']");
    await page.keyboard.press("ArrowDown");
    const focused = await page.$eval(":focus", (one) => one.getAttribute("aria-level"));
    assert.equal(focused, "2");
    await page.keyboard.press("Enter");
    assert.equal(await page.$eval(":focus", (one) => one.style.width), "100%");
    await page.keyboard.press("Escape");
    assert.equal((await page.$$eval(".frame", (all) => all.filter((one) => one.getAttribute("aria-level") === "2").length)) > 1, true);
  });

  test("a series of a chart can be hidden by its button", async () => {
    const shown = await canvas();
    await page.click("#time .legend button");
    assert.equal(await page.$eval("#time .legend button", (one) => one.getAttribute("aria-pressed")), "false");
    assert.notEqual(await canvas(), shown);
  });

  test("fits a telephone without scrolling sideways", async () => {
    await open(process.env.REPORT, { width: 400 });
    assert.deepEqual(complaints, []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
  });

  test("every control has a name and can be reached by the keyboard", async () => {
    const nameless = await page.$$eval("button, input, select, a", (all) =>
      all.filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.closest("label"))).map((one) => one.outerHTML),
    );
    assert.deepEqual(nameless, []);
    const order = [];
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press("Tab");
      order.push(await page.$eval(":focus", (one) => one.tagName + (one.className ? `.${one.className}` : "")));
    }
    assert.ok(order.indexOf("A") < order.indexOf("INPUT") && order.indexOf("INPUT") < order.indexOf("BUTTON.theme"), order.join());
  });
});

describe("a recording whose names are markup", () => {
  test("is shown as text: nothing of it becomes an element or runs", async () => {
    await open(process.env.HOSTILE);
    assert.deepEqual(complaints, []);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal((await page.$$("img, iframe, object, b.hostile, script[src]")).length, 0);
    assert.ok((await text("#classes .table tbody")).includes("</script><img src=x onerror=window.hacked=1>"));
  });
});
