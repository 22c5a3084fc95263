// The page of `weighbridge console`: the parts of the report's page, drawn again as the recordings grow.

import { forgetChunks } from "../chunks.js";
import { h } from "../dom.js";
import { finder } from "../finder.js";
import { forgetCharts } from "../lines.js";
import { forgetTables } from "../table.js";
import { theme } from "../theme.js";
import { actions, snapshot } from "./actions.js";
import { ask, events } from "./api.js";
import { hasDump, heap, holders, take } from "./heap.js";
import { help, keys, mark } from "./keys.js";
import { message, say } from "./message.js";
import { processes } from "./processes.js";
import { changed, chosen, onChange, pid, state } from "./state.js";
import { trace, traces } from "./traces.js";
import { REPORT } from "./views.js";

/** Milliseconds between two looks at what only the agent knows, while that view is open. */
const LOOK = 2000;

const OTHERS = { traces: "Traces", heap: "Heap", jvms: "JVMs" };
const NAMES = [...Object.keys(REPORT), ...Object.keys(OTHERS)];

const content = h("div", { class: "view", id: "view" });
const bar = h("div", { class: "tools actions" });
const sources = h("select", { "aria-label": "Recording or process", onchange: () => show(Number(sources.value)) });
const light = h("span", { class: "light", role: "status" });
const freezing = h("button", { type: "button", class: "plain", "aria-pressed": "false", "aria-keyshortcuts": "Space", onclick: () => freeze() }, "Freeze");
const links = NAMES.map((name) => h("a", { href: `#${name}` }, REPORT[name]?.title ?? OTHERS[name]));
const nav = h("nav", { "aria-label": "Views" }, links);

/** Whether the console itself has attached to the process that is shown. */
let ours = false;
/** A newer report was not drawn, because somebody reads a chart. */
let due = false;

function show(id) {
  Object.assign(state, { source: id, page: null, revision: -1 });
  if (state.view === "jvms") location.hash = "overview";
  changed();
}

function choose(name) {
  state.view = name;
  links.forEach((link, i) => {
    if (NAMES[i] === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  // The first use of a view has nothing to keep.
  content.replaceChildren();
  draw();
}

function freeze() {
  state.frozen = !state.frozen;
  freezing.setAttribute("aria-pressed", String(state.frozen));
  freezing.textContent = state.frozen ? "Frozen: go on" : "Freeze";
  changed();
}

/** Draws the view; what is open, has the focus or was scrolled to stays so. */
function draw() {
  const view = REPORT[state.view];
  if (!view) {
    if (state.view === "jvms") processes(content, show).then(drawn);
    else if (state.view === "traces") traces(content).then(drawn);
    else drawn(heap(content));
    return;
  }
  if (!state.page) {
    const why = state.sources.length === 0 ? "Nothing is shown yet: choose a program under JVMs." : (chosen()?.text ?? "");
    content.replaceChildren(h("p", {}, why));
    return;
  }
  const open = new Set([...content.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  const focused = focusable().indexOf(document.activeElement);
  const top = scrollY;
  const parts = view.draw(state.page, chosen()).flat(Infinity).filter((one) => one !== null && one !== undefined);
  content.replaceChildren(...(parts.length > 0 ? parts : [h("h2", {}, view.title), h("p", { class: "quiet" }, view.none ?? "")]));
  if (pid()) content.querySelectorAll(".suspect").forEach(asks);
  content.querySelectorAll("details > summary").forEach((one) => open.has(one.textContent) && (one.parentElement.open = true));
  if (focused >= 0) focusable()[focused]?.focus({ preventScroll: true });
  scrollTo({ top, behavior: "instant" });
  drawn();
}

/** A suspect can be asked what holds it. */
function asks(card) {
  const name = card.querySelector("h3").firstChild.textContent;
  card.firstChild.append(h("button", { type: "button", class: "act", onclick: () => holds(name) }, "What holds it"));
}

/** What holds a class is asked of a heap dump, which stops the program: it is taken only on its own button. */
function holds(name) {
  if (state.view === "jvms") return;
  if (!hasDump()) {
    say("What holds it is asked of a heap dump: t, or the button, takes one.", true);
    return;
  }
  location.hash = "heap";
  holders(name, () => state.view === "heap" && heap(content));
}

const focusable = () => [...content.querySelectorAll("button, summary, select, a[href], [tabindex='0']")];

function drawn() {
  forgetTables();
  forgetCharts();
  forgetChunks();
  mark();
}

/** Takes the newest report, unless the moment is frozen. */
let asking = false;
async function refresh() {
  const one = chosen();
  if (asking || state.frozen || !one || one.revision === state.revision || one.revision === 0) return;
  asking = true;
  const { id, revision } = one;
  try {
    const page = await ask(`sources/${id}`);
    if (state.source === id) {
      Object.assign(state, { page, revision });
      if (content.querySelector(".plot:hover")) due = true;
      else if (REPORT[state.view]) draw();
    }
  } catch (error) {
    say(error.message, true);
    state.revision = revision;
  } finally {
    asking = false;
  }
  refresh();
}

function about() {
  const one = chosen();
  const title = (source) => [source.title, source.program && !source.title.includes(source.program) ? source.program : null].filter(Boolean).join(": ");
  const options = state.sources.map((source) => h("option", { value: source.id, selected: source.id === state.source }, title(source)));
  if (sources.textContent !== options.map((option) => option.textContent).join("")) sources.replaceChildren(...options);
  sources.hidden = options.length === 0;
  if (one) sources.value = String(one.id);
  const now = !state.connected ? ["off", "no connection"] : state.frozen ? ["frozen", "frozen"] : one ? [one.state, one.state === "live" ? "live" : `${one.state}: ${one.text}`] : ["waiting", ""];
  light.dataset.state = now[0];
  light.textContent = now[1];
  freezing.hidden = one === undefined;
  document.title = one ? `${title(one)}: Weighbridge console` : "Weighbridge console";
  buttons();
}

let shown = "";
async function buttons() {
  const of = pid();
  const key = `${of} ${ours}`;
  if (key === shown) return;
  shown = key;
  bar.replaceChildren(...(of ? actions({ ours, heap: (button) => dump(button), traces: () => trace(() => (location.hash = "traces")) }) : []));
  if (!of) return;
  const look = await ask(`jvms/${of}`).catch(() => null);
  if (look && look.ours !== ours && pid() === of) {
    ours = look.ours;
    buttons();
  }
}

function dump(button) {
  if (!pid()) return say("A heap dump is of a running program: choose one under JVMs.", true);
  location.hash = "heap";
  take(() => state.view === "heap" && heap(content), button);
}

function step(by) {
  const at = NAMES.indexOf(state.view);
  location.hash = NAMES[(at + by + NAMES.length) % NAMES.length];
}

keys({
  view: step,
  nth: (n) => (location.hash = NAMES[n] ?? state.view),
  freeze,
  snapshot: () => (pid() ? snapshot() : say("A snapshot is of a running program.", true)),
  dump: () => dump(),
  jvms: () => (location.hash = "jvms"),
  holders: holds,
});

onChange(() => {
  about();
  if (state.page === null && REPORT[state.view]) draw();
  refresh();
});
addEventListener("hashchange", () => choose(NAMES.includes(location.hash.slice(1)) ? location.hash.slice(1) : "overview"));
content.addEventListener("pointerout", () => {
  if (!due || content.querySelector(".plot:hover")) return;
  due = false;
  draw();
});
setInterval(() => {
  const idle = !document.hidden && !state.frozen && !content.contains(document.activeElement) && !document.querySelector("dialog[open]");
  if (idle && (state.view === "jvms" || state.view === "traces")) draw();
}, LOOK);

document.body.prepend(
  h(
    "header",
    { class: "toolbar" },
    h("h1", { class: "brand" }, "Weighbridge"),
    h("div", { class: "chooser" }, sources, light, freezing),
    finder(),
    theme(),
    h("button", { type: "button", class: "plain", "aria-label": "Keys", "aria-keyshortcuts": "?", onclick: help }, "?"),
    nav,
  ),
  h("main", {}, bar, message, content),
);
const first = location.hash.slice(1);
let begun = false;
events(
  (list) => {
    state.sources = list;
    // Without anything to show, the list of JVMs is where one begins.
    if (!begun && list.length === 0 && !NAMES.includes(first)) location.hash = "jvms";
    begun = true;
    if (!chosen()) state.source = list[0]?.id ?? null;
    changed();
  },
  (connected) => {
    state.connected = connected;
    // What could not be asked meanwhile is asked again.
    if (connected) state.revision = -1;
    changed();
  },
);
choose(NAMES.includes(first) ? first : "overview");
