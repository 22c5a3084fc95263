// What a reader does with the page, in a real browser. Of a recording: REPORT is the page and TEXT the text report; BIG is
// the page of one of 5,000 classes, HOSTILE of one whose names are markup and whose stacks are cut, SHORT of one with shortages and heap dumps. DUMP is the
// dominator tree of a heap dump by class, with its table of accumulations.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import { browser, opened } from "./browser.js";

let chromium;
let page;
let complaints;
let requests;

before(async () => {
  chromium = await browser();
});
after(() => chromium.close());

async function open(file, wanted) {
  await page?.close();
  ({ page, complaints, requests } = await opened(chromium, file, wanted));
}

/** What A4 has room for in landscape, pixels. */
const PAPER = 1047;
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

  test("the areas of the map are own bytes, and add up to what was measured", async () => {
    const { summary, components, areas } = await page.evaluate(() => {
      const { summary, components } = JSON.parse(document.getElementById("report").textContent).report;
      const shares = [...document.querySelectorAll(".treemap .group")].map((one) => one.title.match(/^(.*): .*, ([0-9.]+) %$/));
      return { summary, components, areas: Object.fromEntries(shares.map(([, name, share]) => [name, Number(share)])) };
    });
    for (const row of components) assert.ok(Math.abs((areas[row.component] ?? 0) - (100 * row.own_bytes) / summary.measured_bytes) <= 0.3, row.component);
    const whole = Object.values(areas).reduce((sum, share) => sum + share, 0);
    assert.ok(Math.abs(whole - 100) < 0.5 && Object.keys(areas).length > 1, JSON.stringify(areas));
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
    await page.waitForSelector(".found:not(:empty)");
    await page.waitForFunction(() => document.querySelectorAll("#classes .table tbody tr").length === 1);
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
    await page.waitForFunction(() => document.querySelector("#sites .quiet[role=status]").textContent !== "" && document.querySelector("#sites .frame.hit"));
    const hits = await texts(".frame.hit");
    assert.ok(hits.length > 0 && hits.length < before.length, hits.join());
    assert.match(await text("#sites .quiet[role=status]"), /match.*%$/);
    await page.$eval("#sites input", (input) => {
      input.value = "";
      input.dispatchEvent(new Event("input"));
    });
    await page.$$eval("#sites .choice button", (all) => all.find((one) => one.textContent.startsWith("Inverted")).click());
    await page.waitForFunction(() => !document.querySelector("#sites .frame.hit"));
    const levels = await page.$$eval(".frame", (all) => all.filter((one) => one.getAttribute("aria-level") === "2").map((one) => one.textContent));
    assert.ok(levels.includes("Subscription") && !levels.some((name) => name.includes("Broker.main") || name.includes("<init>")), levels.join());
    await page.focus(".frame[tabindex='0']");
    await page.keyboard.press("ArrowDown");
    const focused = await page.$eval(":focus", (one) => one.getAttribute("aria-level"));
    assert.equal(focused, "2");
    await page.keyboard.press("Enter");
    assert.equal(await page.$eval(":focus", (one) => one.style.width), "100%");
    await page.keyboard.press("Escape");
    assert.equal((await page.$$eval(".frame", (all) => all.filter((one) => one.getAttribute("aria-level") === "2").length)) > 1, true);
  });

  test("the leaves of the flame graph are the constructed classes, below the methods that constructed them", async () => {
    const frames = await page.$$eval(".frame", (all) => all.map((one) => ({ kind: one.classList.contains("class"), leaf: !one.node.children, name: one.node.data.name, above: one.node.parent?.data.name })));
    assert.ok(frames.filter((one) => one.leaf).length > 3);
    assert.deepEqual(frames.filter((one) => one.leaf !== one.kind), []);
    assert.equal(frames.find((one) => one.name === "com.acme.leak.feed.Subscription").above, "com.acme.leak.feed.Subscription.<init>");
  });

  test("columns are called what the text report calls them", async () => {
    const headings = (id) => page.$eval(`#${id} .table`, (table) => [...table.querySelectorAll("thead th")].map((one) => [...one.querySelectorAll(".title, .unit")].map((part) => part.textContent).join(" ")));
    const text = readFileSync(process.env.TEXT, "utf8").split("\n");
    for (const [id, title] of [["components", "By component"], ["classes", "By class"], ["ages", "By age, "], ["sites", "By allocation site, "], ["threads", "By thread"]]) {
      const from = text.findIndex((line) => line.startsWith(title)) + 1;
      const rule = text.findIndex((line, i) => i >= from && /^[ -]+$/.test(line) && line.includes("---"));
      const columns = [...text[rule].matchAll(/-+/g)].map(({ index, 0: { length } }) => text.slice(from, rule).map((line) => line.slice(index, index + length).trim()).filter(Boolean).join(" "));
      const here = await headings(id);
      // Each table has its own unit of bytes.
      const unitless = (name) => name.replace(/ (bytes|[KMGT]iB)$/, "");
      assert.ok(columns.length > 3 && here.length >= columns.length, `${id}: ${columns}`);
      for (const column of columns) assert.ok(here.map(unitless).includes(unitless(column)), `${column} of ${title} among ${here.join("; ")}`);
    }
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

  test("on a telephone every figure of a row is in sight, with its column's name", async () => {
    await open(process.env.REPORT, { width: 400 });
    for (const id of ["components", "classes", "ages", "sites", "threads"]) {
      const cells = await page.$$eval(`#${id} .table tbody tr:first-child td`, (all) => all.map((one) => {
        const { left, right, height } = one.getBoundingClientRect();
        return { left, right, height, title: one.dataset.title, before: getComputedStyle(one, "::before").content, figure: one.className === "n" };
      }));
      assert.ok(cells.length > 3, id);
      for (const { left, right, height, title, before, figure } of cells) {
        assert.ok(left >= 0 && right <= 400 && height > 0, `${id}, ${title}: ${left} to ${right}`);
        if (figure) assert.ok(before.includes(title), `${id}, ${title}: ${before}`);
      }
    }
  });

  test("on paper no column is cut off, areas and legends keep their colours, and the ground is white", async () => {
    await open(process.env.REPORT, { scheme: "dark", width: PAPER });
    await page.emulateMediaType("print");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PAPER);
    const cells = await page.$$eval(".table th, .table td", (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.textContent));
    assert.deepEqual(cells, []);
    const adjusted = await page.$$eval(".leaf, .swatch, .shade, .frame, .tile", (all) => [...new Set(all.map((one) => getComputedStyle(one).printColorAdjust))]);
    assert.deepEqual(adjusted, ["exact"]);
    assert.equal(await background(), "rgb(255, 255, 255)");
    const charts = await page.$$eval("canvas", (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
    assert.equal(charts, 0);
    const pdf = Buffer.from(await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    const [, width, height] = pdf.match(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/).map(Number);
    assert.ok(width > height, `${width} x ${height}`);
  });

  for (const width of [1280, 400])
    test(`labels of areas are whole or end in an ellipsis, and no area covers one, ${width} pixels`, async () => {
      for (const file of [process.env.REPORT, process.env.BIG]) {
        await open(file, { width });
        const wrong = await page.evaluate(() => {
          const leaves = [...document.querySelectorAll(".leaf")].map((one) => one.getBoundingClientRect());
          const cut = [...document.querySelectorAll(".treemap b, .treemap span")].filter((one) => {
            const style = getComputedStyle(one);
            const elliptic = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
            const { left, top, right, bottom } = one.getBoundingClientRect();
            const around = one.parentElement.getBoundingClientRect();
            return (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && !elliptic) || right > around.right + 1 || bottom > around.bottom + 1 || left < around.left || top < around.top;
          });
          const covered = [...document.querySelectorAll(".group b, .group span")].filter((one) => {
            const { left, top, right, bottom } = one.getBoundingClientRect();
            return leaves.some((leaf) => leaf.left < right - 1 && leaf.right > left + 1 && leaf.top < bottom - 1 && leaf.bottom > top + 1);
          });
          return [...cut, ...covered].map((one) => one.textContent);
        });
        assert.deepEqual(wrong, [], file);
        const labels = await texts(".treemap b");
        assert.ok(labels.length > 1, `${file}: ${labels}`);
      }
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

describe("a report on 5,000 classes", () => {
  const rows = () => page.$$eval("#classes tbody tr[aria-rowindex]", (all) => all.length);
  const names = () => page.$$eval("#classes tbody:not(.sizes) td:first-child.name", (all) => all.map((one) => one.textContent));

  test("draws only the rows near the window, whatever it is sorted by, and the last ones once they are scrolled to", async () => {
    await open(process.env.BIG);
    await page.click("#classes .rest");
    assert.equal(await page.$eval("#classes table", (one) => one.getAttribute("aria-rowcount")), "5001");
    assert.ok((await rows()) < 1000);
    await page.click("#classes thead th:nth-child(1) button");
    assert.ok((await rows()) < 1000);
    const first = await page.$eval("#classes tbody:not(.sizes) td", (one) => one.textContent);
    // The last row comes into the document with its number.
    await page.evaluate(() => document.querySelector("#classes tbody:last-of-type").scrollIntoView({ block: "end" }));
    await page.waitForSelector('#classes tr[aria-rowindex="5001"]');
    const last = await page.$eval('#classes tr[aria-rowindex="5001"] td', (one) => one.textContent);
    assert.ok(first.localeCompare(last) < 0);
    assert.ok((await rows()) < 1000);
    assert.deepEqual(complaints, []);
  });

  test("columns keep their width while rows come and go", async () => {
    await open(process.env.BIG);
    await page.click("#classes .rest");
    const widths = () => page.$$eval("#classes thead th", (all) => all.map((one) => Math.round(one.getBoundingClientRect().width)));
    const before = await widths();
    await page.evaluate(() => document.querySelector("#classes tbody:last-of-type").scrollIntoView({ block: "end" }));
    await page.waitForSelector('#classes tr[aria-rowindex="5001"]');
    assert.deepEqual(await widths(), before);
  });

  test("has all rows on paper that the reader asked for, and as few as before afterwards", async () => {
    await open(process.env.BIG);
    await page.evaluate(() => addEventListener("beforeprint", () => (window.printed = document.querySelectorAll("#classes tbody tr[aria-rowindex]").length)));
    await page.click("#classes .rest");
    // The pages themselves would take long and show nothing more.
    await page.pdf({ pageRanges: "1", preferCSSPageSize: true, timeout: 0 });
    assert.equal(await page.evaluate(() => window.printed), 5000);
    await page.waitForFunction(() => document.querySelectorAll("#classes tbody tr[aria-rowindex]").length < 1000);
  });

  test("is searched once when the reader has typed, not at each letter", async () => {
    await open(process.env.BIG);
    const draws = await page.evaluate(() => {
      window.draws = 0;
      new MutationObserver(() => window.draws++).observe(document.querySelector("#classes table"), { childList: true });
      const words = document.querySelector(".find input");
      for (const letter of "session") {
        words.value += letter;
        words.dispatchEvent(new Event("input"));
      }
      return window.draws;
    });
    assert.equal(draws, 0);
    await page.waitForSelector(".found:not(:empty)");
    assert.equal(await page.evaluate(() => window.draws), 1);
    assert.ok((await names()).every((name) => name.toLowerCase().includes("session")));
  });
});

describe("a recording whose stacks are cut", () => {
  test("says so in the flame graph, above the first frame that was kept", async () => {
    await open(process.env.HOSTILE);
    assert.equal(await page.$eval(".frame.cut", (one) => one.textContent), "(callers cut off)");
    assert.match(await text("#sites"), /longer than the option sites keeps/);
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

describe("a recording with memory shortages", () => {
  test("lists the decisions, their candidates, and marks their moments in the time line", async () => {
    await open(process.env.SHORT);
    assert.deepEqual(complaints, []);
    const done = await texts("#shortages .table tbody tr td:nth-child(3)");
    assert.deepEqual(done, ["cancelled job=report", "stopped method=com.acme.Report.render by force", "nothing"]);
    assert.match(await text("#shortages ol"), /job=<b>index<\/b> on worker-2: 9\.0 MiB held, for 1 min 01 s; not permitted/);
    assert.equal((await page.$$("#shortages b, #shortages details")).length, 3);
    // The chart of the heap says it where the pointer is.
    await page.$eval("#time .plot", (one) => one.scrollIntoView({ block: "center", behavior: "instant" }));
    const plot = await (await page.$("#time .plot .u-over")).boundingBox();
    const said = new Set();
    for (let x = 0; x < plot.width; x += 4) {
      await page.mouse.move(plot.x + x, plot.y + plot.height / 2);
      said.add(await text("#time output"));
    }
    assert.ok([...said].some((one) => one.includes("cancelled job=report (old generation 120.0 MiB of at most 115.0 MiB)")), [...said].join("\n"));
  });

  test("has the components of the last heap dump, the largest first, with how they grew since the first", async () => {
    await open(process.env.SHORT);
    const rows = await page.$$eval("#heap-components tbody tr", (rows) => rows.map((row) => [...row.querySelectorAll("td, th")].map((cell) => cell.textContent.trim())));
    assert.deepEqual(rows.map((row) => row.slice(0, 3)), [
      ["spring.context[shop]", "12,288.0", "+3.0 MiB"],
      ["spring.context[shop].bean[<b>]", "4,096.0", "\u2013"],
      ["spring.context[shop].bean[cart]", "2,048.0", "-1.0 MiB"],
      ["tomcat.context[/]", "2.0", "\u2013"],
    ]);
    assert.equal((await page.$$("#heap-components b")).length, 0);
  });
});

describe("a page of a heap dump", () => {
  beforeEach(() => open(process.env.DUMP));
  const cells = (column) => texts(`main table tbody tr:not([hidden]) td:nth-child(${column})`);

  test("sorts by the column whose heading is clicked, numbers by their value, the other way the second time", async () => {
    assert.deepEqual(complaints, []);
    assert.equal(requests.length, 1);
    const numbers = async () => (await cells(3)).map((text) => Number(text.replaceAll(",", "")));
    const sorted = (all, way) => [...all].sort((a, b) => way * (a - b));
    assert.ok((await numbers()).length > 3);
    for (const [way, said] of [[-1, "descending"], [1, "ascending"]]) {
      await page.click("main thead th:nth-child(3) button");
      assert.deepEqual(await numbers(), sorted(await numbers(), way));
      assert.equal(await page.$eval("main thead th:nth-child(3)", (one) => one.getAttribute("aria-sort")), said);
    }
  });

  test("the search keeps rows and lines of the tree, and opens what is above them", async () => {
    const rows = (await cells(1)).length;
    await page.keyboard.press("/");
    await page.keyboard.type("com.acme.known");
    await page.waitForFunction(() => document.querySelector(".found").textContent !== "");
    assert.ok((await cells(1)).length < rows);
    const seen = () => page.$$eval("main details, main p", (all) => all.filter((one) => one.querySelector(":scope > b, :scope > summary > b") && one.checkVisibility()).map((one) => (one.querySelector("summary") ?? one).textContent));
    const found = await seen();
    assert.ok(found.some((line) => line.includes("com.acme.known")), found.join("\n"));
    await page.keyboard.press("Escape");
    assert.equal((await cells(1)).length, rows);
    assert.ok((await seen()).length > 0);
  });

  test("the areas add up to what is reachable", async () => {
    const shares = await page.$$eval(".treemap .group", (all) => all.map((one) => Number(one.title.match(/, ([0-9.]+) %$/)[1])));
    assert.ok(shares.length > 3 && Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 1, shares.join());
  });
});
