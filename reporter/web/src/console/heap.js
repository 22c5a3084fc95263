// A heap dump of the process: its classes, and what holds the objects of one of them.

import { h } from "../dom.js";
import { table } from "../table.js";
import { bytes, count, elapsed, marked } from "../units.js";
import { ask, tell } from "./api.js";
import { attempt } from "./message.js";
import { sheet } from "./sheet.js";
import { pid } from "./state.js";

/** What the last dump of a process tells, by process. */
const dumps = new Map();

/** Takes a dump, which stops the program. */
export const take = (again, button) => {
  const of = pid();
  return attempt("The JVM writes a heap dump; the program stands still meanwhile ...", async () => {
    const told = await tell(`jvms/${of}/dump`);
    dumps.set(of, { told, path: null });
    again();
    return { say: stopped(told.dump) };
  }, button);
};

const stopped = ({ process }) => (process?.stopped_ms === null || process?.stopped_ms === undefined ? "" : `The program was stopped for at most ${elapsed(process.stopped_ms)}.`);

/** Asks what holds the objects of a class. A dump that was taken is asked again: the program is not stopped. */
export async function holders(name, again, button) {
  const of = pid();
  await attempt(`What holds ${name} ...`, async () => {
    const path = await ask(`jvms/${of}/dump/path?class=${encodeURIComponent(name)}`);
    dumps.get(of).path = { name, path };
    again();
    return { say: "" };
  }, button);
}

/** Whether there is a dump of the process. */
export const hasDump = () => dumps.has(pid());

export function heap(into) {
  const of = pid();
  const again = () => heap(into);
  const part = (...content) => into.replaceChildren(...content.flat(Infinity).filter(Boolean));
  const title = h("h2", {}, "Heap dump");
  if (of === null || of === undefined) return part(title, h("p", {}, "A heap dump is of a running program: choose one under JVMs."));
  const button = h("button", { type: "button", class: "act", onclick: () => take(again, button) }, dumps.has(of) ? "Take another" : "Take a heap dump");
  const about = h("p", { class: "quiet" }, "The JVM writes all its objects to a file, and the program stands still until it is written. The file has no name and goes with the console.");
  const kept = dumps.get(of);
  if (!kept) return part(title, h("div", { class: "tools" }, button), about);
  const { told, path } = kept;
  const columns = [
    { title: "Class", kind: "name", value: (row) => row.class },
    { title: "Objects", kind: "count", value: (row) => row.instances },
    { title: "Shallow", kind: "bytes", value: (row) => row.shallow_bytes, cell: (row, unit) => marked("", row.shallow_bytes, unit) },
    { title: "What holds them", kind: "name", value: () => "", cell: (row) => ask_holders(row.class, again) },
  ];
  part(
    title,
    h("div", { class: "tools" }, button, h("span", { class: "quiet" }, `${count(told.summary.reachable_objects)} reachable objects, ${bytes(told.summary.reachable_bytes)}. ${stopped(told.dump)}`)),
    path ? h("div", { class: "found" }, h("h3", {}, "What holds ", h("code", {}, path.name)), sheet(path.path, "holders")) : null,
    table("Classes of the heap dump", columns, told.classes, { sortBy: 2, rowName: (row) => row.class }),
  );
}

function ask_holders(name, again) {
  const button = h("button", { type: "button", class: "act", onclick: () => holders(name, again, button) }, "Holders");
  return button;
}
