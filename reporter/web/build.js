// Bundles src/ into dist/, which is committed: building Weighbridge needs no Node.
// `npm run check` fails if dist/ is not what src/ makes.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const LIBRARIES = ["uplot", "d3-hierarchy"];
/** Most bytes of all files together. */
const MOST = 300_000;

const notice = (name) => {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return `${name} ${version}\n\n${readFileSync(`${folder}/LICENSE`, "utf8").trim()}\n`;
};
const notices = `/*!\nThis file contains:\n\n${LIBRARIES.map(notice).join("\n")}*/\n`;

const bundled = await build({
  entryPoints: [
    { in: "src/main.js", out: "report" },
    { in: "src/report.css", out: "report" },
    { in: "src/console/main.js", out: "console" },
    { in: "src/console.css", out: "console" },
  ],
  bundle: true,
  minify: true,
  write: false,
  outdir: "dist",
  format: "iife",
  // Browsers of 2024, the first year in which all of them know `light-dark()`.
  target: ["chrome123", "firefox120", "safari17.5"],
  charset: "ascii",
  legalComments: "none",
});

mkdirSync("dist", { recursive: true });
let bytes = 0;
let stale = false;
for (const { path, text } of bundled.outputFiles) {
  const name = `dist/${path.split("/").pop()}`;
  const content = name.endsWith(".js") ? notices + text : text;
  bytes += Buffer.byteLength(content);
  if (process.argv.includes("--check")) {
    let committed = "";
    try {
      committed = readFileSync(name, "utf8");
    } catch {
      // A missing file is stale.
    }
    if (committed !== content) {
      console.error(`${name} is not what src/ makes: run \`npm run build\``);
      stale = true;
    }
  } else {
    writeFileSync(name, content);
    console.log(`${name}: ${Buffer.byteLength(content)} bytes`);
  }
}
if (bytes > MOST) {
  console.error(`the bundle weighs ${bytes} bytes, more than ${MOST}`);
  stale = true;
}
process.exit(stale ? 1 : 0);
