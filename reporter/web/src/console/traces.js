// Runs and traces of the process: begun, watched with their cost, ended.

import { h } from "../dom.js";
import { count, elapsed } from "../units.js";
import { ask, tell } from "./api.js";
import { boxes, dialog, field, patterns } from "./dialog.js";
import { attempt, say } from "./message.js";
import { sheet } from "./sheet.js";
import { pid } from "./state.js";

const WHAT = [
  ["methods", "Methods: calls and time"],
  ["calls", "Slowest calls"],
  ["objects", "Objects: where made, how long alive"],
  ["uses", "Objects that nobody uses"],
  ["coverage", "Lines that run"],
  ["samples", "Samples of all allocations"],
];

/** Traces that have ended by `stop`: the agent forgets them, the page does not. By process and name. */
const kept = new Map();
/** The run that is open. */
let open = null;

/** Begins a trace. */
export function trace(done) {
  const of = pid();
  const what = boxes("What", WHAT, ["methods"]);
  const classes = field("Classes", { placeholder: "com.acme.**" });
  const seconds = field("Seconds", { type: "number", min: 1, max: 600, value: 30 }, "Then it ends by itself, even if the page is closed");
  const cpu = field("At most, % of the program's CPU", { type: "number", min: 0.1, max: 5, step: 0.1, value: 5 });
  dialog("Trace", [what.whole, classes.whole, seconds.whole, cpu.whole], "Start", (button) =>
    attempt("The classes get their probes ...", async () => {
      const name = `console-${Date.now().toString(36)}`;
      const body = { name, what: what.values(), classes: patterns(classes.input.value), seconds: Number(seconds.input.value), max_cpu: Number(cpu.input.value) };
      await tell(`jvms/${of}/traces`, body);
      open = name;
      done();
      return { say: `The trace ${name} runs.` };
    }, button),
  );
}

/** Draws the runs into `into`, with what the open trace has found. */
export async function traces(into) {
  const of = pid();
  const part = (...content) => into.replaceChildren(...content.flat(Infinity).filter(Boolean));
  if (of === null || of === undefined) return part(h("h2", {}, "Runs and traces"), h("p", {}, "Runs and traces are of a process that is measured: choose one under JVMs."));
  let look;
  try {
    look = await ask(`jvms/${of}`);
  } catch (error) {
    return part(h("h2", {}, "Runs and traces"), h("p", { class: "quiet" }, error.message));
  }
  const { status, traces: running } = look;
  const here = [...running.map((run) => ({ ...run, sheet: null })), ...[...kept.values()].filter((run) => run.pid === of)];
  if (!here.some((run) => run.name === open)) open = here.at(-1)?.name ?? null;
  const again = () => traces(into);
  const runs = (status.runs ?? []).map((run) => h("li", {}, h("b", {}, run.name), ` into ${run.recording} `, end("Stop", () => tell(`jvms/${of}/stop`, { name: run.name }), again)));
  const list = here.map((run) => h("li", {}, pick(run, again), ` ${run.state}${run.ended_by ? ` (${run.ended_by})` : ""}, ${elapsed(run.lasted_ms)}${run.of?.length ? `, of ${run.of.join(" ")}` : ""}${cost(run)} `, run.sheet ? null : end("Stop", () => stop(of, run), again)));
  const found = await result(of, here.find((run) => run.name === open));
  part(
    h("h2", {}, "Runs"),
    runs.length > 0 ? h("ul", { class: "runs" }, runs) : h("p", { class: "quiet" }, "No run goes on."),
    h("h2", {}, "Traces"),
    h("div", { class: "tools" }, h("button", { type: "button", class: "act", onclick: () => trace(again) }, "Trace\u2026")),
    list.length > 0 ? h("ul", { class: "runs" }, list) : h("p", { class: "quiet" }, "No trace runs."),
    found,
  );
}

/** What it costs, as the agent counts it. */
function cost(run) {
  const probed = run.probed?.classes ? `, ${count(run.probed.classes)} classes got probes in ${elapsed(run.probed.us / 1000)}` : "";
  const limit = run.max_cpu_permille ? `, at most ${run.max_cpu_permille / 10} % of the CPU` : "";
  const leftOut = run.probed?.left_out ? `. ${run.probed.left_out}` : "";
  return `${probed}${limit}${leftOut}`;
}

function pick(run, again) {
  return h("button", { type: "button", class: "pick", "aria-pressed": String(run.name === open), onclick: () => ((open = run.name), again()) }, run.name);
}

function end(text, act, again) {
  const button = h("button", { type: "button", class: "act", onclick: () => attempt("Ending ...", act, button).then(again) }, text);
  return button;
}

async function stop(of, run) {
  const found = await tell(`jvms/${of}/traces/${encodeURIComponent(run.name)}/stop`);
  kept.set(`${of} ${run.name}`, { ...run, pid: of, state: "ended", sheet: found });
  return { say: `The trace ${run.name} has ended; its classes have their own bytes again.` };
}

async function result(of, run) {
  if (!run) return null;
  try {
    const found = run.sheet ?? (await ask(`jvms/${of}/traces/${encodeURIComponent(run.name)}`));
    return h("div", { class: "found" }, sheet(found, run.name));
  } catch (error) {
    say(error.message, true);
    return null;
  }
}
