// The JVMs that run here, and how they come into the console.

import { h } from "../dom.js";
import { table } from "../table.js";
import { NOT_MEASURED } from "../units.js";
import { ask, tell } from "./api.js";
import { dialog, field, patterns } from "./dialog.js";
import { attempt, missing, say } from "./message.js";

/** Java throws its compiled code away when the first agent attaches, before this version (JDK-8324241). */
const KEEPS_COMPILED_CODE = 23;

/** Draws the list into `into`; `show(id)` shows a recording. */
export async function processes(into, show) {
  let rows;
  try {
    rows = await ask("jvms");
  } catch (error) {
    say(error.message, true);
    return;
  }
  const number = (title, value) => ({ title, kind: "count", value, cell: (row) => (value(row) === null ? NOT_MEASURED : String(value(row))) });
  const name = (title, value, extra) => ({ title, kind: "name", value, ...extra });
  const columns = [
    name("Program", (row) => row.main ?? "(unknown)"),
    number("PID", (row) => row.pid),
    name("Java", (row) => row.version ?? ""),
    name("User", (row) => row.user),
    name("Weighbridge", (row) => row.weighbridge ?? "not in it"),
    name("Action", (row) => (row.weighbridge === "measuring" ? "0" : "1"), { cell: (row) => action(row, show) }),
  ];
  const none = h("p", {}, "No JVM runs here that this user can see.");
  into.replaceChildren(h("h2", {}, "JVMs that run here"), rows.length > 0 ? table("JVMs that run here", columns, rows, { rowName: (row) => String(row.pid) }) : none);
}

function action(row, show) {
  if (row.weighbridge === "measuring") {
    const watch = h("button", { type: "button", class: "act", onclick: () => attempt(`Process ${row.pid} ...`, async () => show((await tell(`jvms/${row.pid}/watch`)).source), watch) }, "Watch");
    return watch;
  }
  if (row.obstacle) return h("span", { class: "quiet" }, row.obstacle);
  return h("button", { type: "button", class: "act", onclick: () => measure(row, show) }, "Measure\u2026");
}

/** The packages of the program, as far as its main class tells. */
function guess(main) {
  const parts = (main ?? "").split("/").at(-1).split(".");
  return parts.length > 2 && !main.endsWith(".jar") ? `${parts.slice(0, 2).join(".")}.**` : "";
}

async function measure(row, show) {
  const { config } = await ask("console").catch(() => ({ config: null }));
  const [as] = config ? [h("input", { type: "checkbox", checked: true })] : [];
  const include = field("Classes to measure", { value: guess(row.main), placeholder: "com.acme.**" }, "Patterns; ** is any package. Empty: only the agent is brought, for traces and heap dumps.");
  const pause = field("Longest stop", { value: as ? "" : "100ms", placeholder: "as the configuration says" }, "What would stop the program for longer is left out and named: objects that exist already, full collections before snapshots.");
  const major = Number.parseInt(row.version ?? "", 10);
  const cold = row.weighbridge === null && major < KEEPS_COMPILED_CODE ? h("p", { class: "quiet" }, `Java ${major} throws its compiled code away when the first agent attaches: the program takes more CPU for some seconds.`) : null;
  const about = h("p", { class: "quiet" }, "The classes get their own bytes back when you detach, or when the console ends.");
  dialog(`Measure process ${row.pid}`, [as ? h("label", { class: "box" }, as, "As the configuration says: ", h("code", {}, config)) : null, include.whole, pause.whole, about, cold], "Measure", (button) =>
    attempt(`Attaching to process ${row.pid} ...`, async () => {
      const granted = pause.input.value.trim() || undefined;
      const what = as?.checked ? { config: true } : { include: patterns(include.input.value) };
      const { source, left_out: leftOut } = await tell(`jvms/${row.pid}/attach`, { ...what, pause: granted });
      show(source);
      return { say: [`Process ${row.pid} is measured.`, ...missing(leftOut)].join(" ") };
    }, button),
  );
}
