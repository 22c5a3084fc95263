// A flame graph of live bytes by the methods that constructed the objects, and by the objects' classes. Callers are above,
// or, inverted, classes are above.

import { hierarchy, partition } from "d3-hierarchy";
import { choice, debounced, h } from "./dom.js";
import { bytes, counted, percent } from "./units.js";

/** Height of a row, pixels. */
const ROW = 22;
/** Frames narrower than this part of the graph are not drawn. */
const LEAST = 0.0008;

/** The tree with callers above the methods that they call. */
function callers(tree) {
  const root = { name: "all", own: 0, children: [] };
  const byId = new Map();
  for (const node of tree.nodes) {
    const classes = node.classes.map((one) => ({ name: one.class, kind: "class", own: one.bytes, objects: one.objects, children: [] }));
    const own = node.own_bytes - classes.reduce((sum, one) => sum + one.own, 0);
    // The page has only the bytes of the other classes.
    const rest = own > 0 ? [{ name: "(other classes)", kind: "class", own, children: [] }] : [];
    const one = { name: node.frame, kind: node.cut ? "cut" : null, own: 0, children: [...classes, ...rest] };
    byId.set(node.id, one);
    (byId.get(node.parent) ?? root).children.push(one);
  }
  return root;
}

/** The tree with classes above the methods that construct them, and these above their callers. Equal paths are merged. */
function constructed(tree) {
  const root = hierarchy(callers(tree));
  const all = { name: "all", own: 0, children: [] };
  const below = (parent, { name, kind }) => {
    let child = parent.children.find((one) => one.name === name && one.kind === kind);
    if (!child) parent.children.push((child = { name, kind, own: 0, children: [] }));
    return child;
  };
  for (const leaf of root.leaves().filter((node) => node.data.own > 0)) {
    let at = all;
    for (let node = leaf; node.parent; node = node.parent) at = below(at, node.data);
    // The bytes are at the end of the path, so that every row of it is as wide.
    at.own += leaf.data.own;
    const made = below(all, leaf.data);
    made.objects = (made.objects ?? 0) + (leaf.data.objects ?? 0);
  }
  return all;
}

export function flameGraph(tree) {
  const graph = h("div", { class: "flame", role: "tree", "aria-label": "Live bytes by allocation site" });
  const status = h("p", { class: "quiet", role: "status" });
  const words = h("input", { type: "search", placeholder: "Find a method or class", "aria-label": "Find in the flame graph", oninput: () => find() });
  const find = debounced(() => mark());
  let inverted = false;
  let root;
  let focus;

  function layout() {
    root = partition().size([1, 1])(hierarchy(inverted ? constructed(tree) : callers(tree)).sum((node) => node.own).sort((a, b) => b.value - a.value));
    focus = root;
    draw();
  }

  const label = (node) => (node === root ? `${bytes(root.value)} live, shallow` : short(node.data));
  const description = (node) => {
    if (node === root) return label(node);
    const objects = node.data.objects > 0 ? `, ${counted(node.data.objects, "object", "objects")}` : "";
    return `${node.data.name}: ${bytes(node.value)}, ${percent(node.value, root.value)}${objects}`;
  };

  function draw() {
    const width = focus.x1 - focus.x0;
    const inView = root.descendants().filter((node) => {
      const above = node.x0 <= focus.x0 && node.x1 >= focus.x1 && node.depth <= focus.depth;
      return above || (node.x0 >= focus.x0 && node.x1 <= focus.x1 && node.depth > focus.depth && (node.x1 - node.x0) / width >= LEAST);
    });
    graph.style.height = `${(Math.max(...inView.map((node) => node.depth)) + 1) * ROW}px`;
    graph.replaceChildren(
      ...inView.map((node) => {
        const left = Math.max(0, (node.x0 - focus.x0) / width);
        const right = Math.min(1, (node.x1 - focus.x0) / width);
        const element = h(
          "div",
          {
            class: `frame ${node.data.kind ?? ""}`,
            role: "treeitem",
            "aria-level": node.depth + 1,
            tabindex: node === focus ? "0" : "-1",
            title: description(node),
            "aria-label": description(node),
            style: { left: `${left * 100}%`, width: `${(right - left) * 100}%`, top: `${node.depth * ROW}px`, "--heat": hue(node.data.name) },
            onclick: () => zoom(node),
          },
          label(node),
        );
        element.node = node;
        return element;
      }),
    );
    mark();
  }

  function mark() {
    const word = words.value.trim().toLowerCase();
    const hits = new Set(word === "" ? [] : root.descendants().filter((node) => node.data.name.toLowerCase().includes(word)));
    for (const element of graph.children) element.classList.toggle("hit", hits.has(element.node));
    graph.classList.toggle("searching", word !== "");
    // A hit already includes the bytes of hits below it.
    const bytesOfHits = [...hits].filter((node) => !node.ancestors().slice(1).some((above) => hits.has(above))).reduce((sum, node) => sum + node.value, 0);
    status.textContent = word === "" ? "" : `${counted(hits.size, "frame matches", "frames match")}: ${bytes(bytesOfHits)}, ${percent(bytesOfHits, root.value)}`;
  }

  function zoom(node) {
    focus = node;
    draw();
    elementOf(node)?.focus();
  }
  const elementOf = (node) => [...graph.children].find((element) => element.node === node);

  graph.addEventListener("keydown", (event) => {
    const node = event.target.node;
    if (!node) return;
    const siblings = node.parent?.children ?? [node];
    const to = {
      ArrowUp: () => node.parent,
      ArrowDown: () => node.children?.[0],
      ArrowLeft: () => siblings[siblings.indexOf(node) - 1],
      ArrowRight: () => siblings[siblings.indexOf(node) + 1],
    }[event.key];
    if (to) elementOf(to())?.focus();
    else if (event.key === "Enter" || event.key === " ") zoom(node);
    else if (event.key === "Escape") zoom(root);
    else return;
    event.preventDefault();
  });

  layout();
  const order = [["callers", "Callers above"], ["constructed", "Inverted: classes above"]];
  return h("div", {}, h("div", { class: "tools" }, words, choice("Order of the flame graph", order, "callers", (chosen) => ((inverted = chosen === "constructed"), layout()))), graph, status);
}

/** `com.acme.Cache.put` as `Cache.put`, the class `com.acme.Cache` as `Cache`. */
function short({ name, kind }) {
  return name.startsWith("(") ? name : name.split(".").slice(kind === "class" ? -1 : -2).join(".");
}

/** A warm hue per class, the same on every page. */
function hue(frame) {
  let hash = 0;
  for (const c of frame.replace(/\.[^.]*$/, "")) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return String(hash % 28);
}
