// A flame graph of live bytes by the methods that constructed the objects; callers above, or inverted: constructors above.

import { hierarchy, partition } from "d3-hierarchy";
import { choice, h } from "./dom.js";
import { bytes, count, counted, percent } from "./units.js";

/** Height of a row, pixels. */
const ROW = 22;
/** Frames narrower than this part of the graph are not drawn. */
const LEAST = 0.0008;

/** Callers above what they call. */
function callers(tree) {
  const root = { name: "all", own: 0, children: [] };
  const byId = new Map();
  for (const node of tree.nodes) {
    const one = { name: node.frame, own: node.own_bytes, objects: node.own_objects, classes: node.classes, children: [] };
    byId.set(node.id, one);
    (byId.get(node.parent) ?? root).children.push(one);
  }
  return root;
}

/** Constructing methods above those that call them; equal ways are one. */
function constructors(tree) {
  const root = { name: "all", own: 0, children: [] };
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  const below = (parent, name) => {
    let child = parent.children.find((one) => one.name === name);
    if (!child) parent.children.push((child = { name, own: 0, objects: 0, classes: [], children: [] }));
    return child;
  };
  for (const made of tree.nodes.filter((node) => node.own_bytes > 0)) {
    let at = root;
    for (let node = made; node; node = byId.get(node.parent)) {
      at = below(at, node.frame);
      if (node === made) {
        at.objects += made.own_objects;
        at.classes = [...at.classes, ...made.classes];
      }
    }
    // Bytes stand at the end of the way, so that every row of it is as wide.
    at.own += made.own_bytes;
  }
  return root;
}

export function flameGraph(tree) {
  const place = h("div", { class: "flame", role: "tree", "aria-label": "Live bytes by allocation site" });
  const status = h("p", { class: "quiet", role: "status" });
  const words = h("input", { type: "search", placeholder: "Find a method or class", "aria-label": "Find in the flame graph", oninput: () => mark() });
  let inverted = false;
  let root;
  let focus;

  function layout() {
    root = partition().size([1, 1])(hierarchy(inverted ? constructors(tree) : callers(tree)).sum((node) => node.own).sort((a, b) => b.value - a.value));
    focus = root;
    draw();
  }

  const told = (node) => {
    const made = (node.data.classes ?? []).slice(0, 3).map((one) => `${count(one.objects)} ${one.class}`);
    return `${node.data.name}: ${bytes(node.value)}, ${percent(node.value, root.value)}${made.length > 0 ? `; constructs ${made.join(", ")}` : ""}`;
  };
  const matches = (node) => {
    const word = words.value.trim().toLowerCase();
    return word !== "" && [node.data.name, ...(node.data.classes ?? []).map((one) => one.class)].some((name) => name.toLowerCase().includes(word));
  };

  function draw() {
    const width = focus.x1 - focus.x0;
    const inView = root.descendants().filter((node) => {
      const above = node.x0 <= focus.x0 && node.x1 >= focus.x1 && node.depth <= focus.depth;
      return above || (node.x0 >= focus.x0 && node.x1 <= focus.x1 && node.depth > focus.depth && (node.x1 - node.x0) / width >= LEAST);
    });
    place.style.height = `${(Math.max(...inView.map((node) => node.depth)) + 1) * ROW}px`;
    place.replaceChildren(
      ...inView.map((node) => {
        const left = Math.max(0, (node.x0 - focus.x0) / width);
        const right = Math.min(1, (node.x1 - focus.x0) / width);
        const element = h(
          "div",
          {
            class: "frame",
            role: "treeitem",
            "aria-level": node.depth + 1,
            tabindex: node === focus ? "0" : "-1",
            title: told(node),
            "aria-label": told(node),
            style: { left: `${left * 100}%`, width: `${(right - left) * 100}%`, top: `${node.depth * ROW}px`, "--heat": hue(node.data.name) },
            onclick: () => zoom(node),
          },
          node === root ? `${bytes(root.value)} live, shallow` : short(node.data.name),
        );
        element.node = node;
        return element;
      }),
    );
    mark();
  }

  function mark() {
    const hits = root.descendants().filter(matches);
    for (const element of place.children) element.classList.toggle("hit", hits.includes(element.node));
    place.classList.toggle("searching", words.value.trim() !== "");
    // A hit below a hit has its bytes already.
    const bytesOfHits = hits.filter((node) => !node.ancestors().slice(1).some((above) => hits.includes(above))).reduce((sum, node) => sum + node.value, 0);
    status.textContent = words.value.trim() === "" ? "" : `${counted(hits.length, "frame matches", "frames match")}: ${bytes(bytesOfHits)}, ${percent(bytesOfHits, root.value)}`;
  }

  function zoom(node) {
    focus = node;
    draw();
    elementOf(node)?.focus();
  }
  const elementOf = (node) => [...place.children].find((element) => element.node === node);

  place.addEventListener("keydown", (event) => {
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
  const order = [["callers", "Callers above"], ["constructors", "Inverted: constructors above"]];
  return h("div", {}, h("div", { class: "tools" }, words, choice("Order of the flame graph", order, "callers", (chosen) => ((inverted = chosen === "constructors"), layout()))), place, status);
}

/** `com.acme.Cache.put` as `Cache.put`. */
function short(frame) {
  return frame.split(".").slice(-2).join(".");
}

/** A warm hue per class, the same on every page. */
function hue(frame) {
  let hash = 0;
  for (const c of frame.replace(/\.[^.]*$/, "")) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return String(hash % 28);
}
