// Photographs a terminal: `node terminal.js FRAME.json PICTURE`. The frame has `lines`, each a list of
// [text, foreground, background, bold, reversed], as docs/screenshots/terminal.py writes it.

import { readFileSync } from "node:fs";
import { browser } from "./browser.js";

const [frame, picture] = process.argv.slice(2);
const { lines } = JSON.parse(readFileSync(frame, "utf8"));
const COLOURS = {
  black: "#1e1e1e", red: "#f48771", green: "#89d185", brown: "#e2c08d", blue: "#6cb6ff", magenta: "#d2a8ff", cyan: "#56d4dd",
  white: "#cccccc", brightblack: "#808080",
};
const colour = (name, otherwise) => (name === "default" ? otherwise : COLOURS[name] ?? `#${name}`);
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const span = ([text, foreground, background, bold, reversed]) => {
  let [front, back] = [colour(foreground, "#cccccc"), colour(background, "#1e1e1e")];
  if (reversed) [front, back] = [back, front];
  return `<span style="color:${front};background:${back};font-weight:${bold ? 700 : 400}">${escaped(text)}</span>`;
};
const html = `<pre style="display:inline-block;margin:0;padding:12px;background:#1e1e1e;font:14px/18px 'DejaVu Sans Mono',monospace">${
  lines.map((line) => line.map(span).join("")).join("\n")}</pre>`;

const chromium = await browser();
const page = await chromium.newPage();
await page.setViewport({ width: 1400, height: 900, deviceScaleFactor: 1 });
await page.setContent(`<body style="margin:0">${html}</body>`);
await (await page.$("pre")).screenshot({ path: picture });
await chromium.close();
