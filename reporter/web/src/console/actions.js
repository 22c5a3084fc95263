// What can be done with the process that is shown.

import { h } from "../dom.js";
import { tell } from "./api.js";
import { dialog, field, patterns } from "./dialog.js";
import { attempt, missing } from "./message.js";
import { pid } from "./state.js";

/** Takes a snapshot now. */
export const snapshot = (button) =>
  attempt("Measuring ...", async () => {
    const { snapshot: number, left_out: leftOut } = await tell(`jvms/${pid()}/measure`, { label: "console" });
    return { say: [`Snapshot ${number} was taken.`, ...missing(leftOut)].join(" ") };
  }, button);

export function detach(button) {
  return attempt("Detaching ...", async () => {
    const { classes } = await tell(`jvms/${pid()}/detach`);
    return { say: classes === undefined ? "It had ended." : `${classes} classes have their own bytes again.` };
  }, button);
}

/** Begins a run: a recording of its own. */
export function run() {
  const of = pid();
  const name = field("Name", { value: "run-1" }, "Letters, digits, dots, dashes and underscores");
  const include = field("Only classes", { placeholder: "com.acme.web.**" }, "All that are measured unless given");
  const interval = field("A snapshot every", { value: "10s" });
  const about = h("p", { class: "quiet" }, `The recording weighbridge-${of}-NAME.wbr is written in the working directory of the program.`);
  dialog("Start a run", [name.whole, include.whole, interval.whole, about], "Start", (button) =>
    attempt("Starting ...", async () => {
      const body = { name: name.input.value, include: patterns(include.input.value), interval: interval.input.value };
      const { recording } = await tell(`jvms/${of}/start`, body);
      return { say: `The run goes on, into ${recording}.` };
    }, button),
  );
}

/** How often the agent takes snapshots by itself. */
function every() {
  const choice = h(
    "select",
    {
      "aria-label": "Snapshots every",
      onchange: () => attempt("Setting ...", async () => {
        const { settings } = await tell(`jvms/${pid()}/set`, { interval: choice.value });
        return { say: `A snapshot is taken every ${settings.interval}.` };
      }, choice),
    },
    h("option", { value: "", disabled: true, selected: true }, "Snapshots every\u2026"),
    ["1s", "5s", "10s", "30s", "60s"].map((interval) => h("option", { value: interval }, interval)),
  );
  return choice;
}

/** The buttons; `ours`: the console has attached. */
export function actions({ ours, heap, traces }) {
  const button = (text, act, key) => {
    const one = h("button", { type: "button", class: "act", onclick: () => act(one), "aria-keyshortcuts": key }, text);
    return one;
  };
  return [
    button("Snapshot", snapshot, "M"),
    every(),
    button("Start a run\u2026", run),
    button("Trace\u2026", traces),
    button("Heap dump", heap, "T"),
    ours ? button("Detach", detach) : null,
  ].filter(Boolean);
}
