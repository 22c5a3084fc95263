// Bytes as areas: measured bytes by component and class, and retained bytes of a dominator tree.

import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { h } from "./dom.js";
import { bytes, percent } from "./units.js";
import { toneAt, toneOf } from "./palette.js";

/** Areas of less than this part of the whole are merged. */
const LEAST = 0.002;
/** The margin around a label in its area, the height of a line, and the least width of a label; pixels. */
const MARGIN = 14;
const LINE = 17;
const LEAST_WIDTH = 40;

/** The bytes that the areas show: own bytes, or exclusive bytes in older recordings. */
const held = (row) => row.own_bytes ?? row.exclusive_bytes ?? 0;

/** Areas that add up to the measured bytes: the bytes of one component by class, and the bytes of several or none. */
function areas(report) {
  const components = report.components.map((row) => {
    const component = row.component;
    const classes = report.classes
      .filter((one) => (one.component ?? "(none)") === component && held(one) > 0)
      .map((one) => ({ name: one.class, kind: "class", bytes: held(one), component }));
    const alone = classes.reduce((sum, one) => sum + one.bytes, 0);
    const several = { name: "held by several of its classes", kind: "inside", bytes: Math.max(0, held(row) - alone), component };
    return { name: component, children: [...classes, several] };
  });
  const alone = components.flatMap((one) => one.children).reduce((sum, one) => sum + one.bytes, 0);
  const bytesOfRest = Math.max(0, (report.summary.measured_bytes ?? 0) - alone);
  const name = "held by no component alone";
  return [...components, { name, children: [{ name, kind: "shared", bytes: bytesOfRest, component: name }] }];
}

/** Merges the small areas of a component. */
function merged(component, least) {
  const large = component.children.filter((one) => one.bytes >= least);
  const small = component.children.filter((one) => one.bytes > 0 && one.bytes < least);
  const bytesOfSmall = small.reduce((sum, one) => sum + one.bytes, 0);
  if (small.length === 0) return { ...component, children: large };
  return { ...component, children: [...large, { name: `${small.length} smaller parts`, kind: "inside", bytes: bytesOfSmall, component: component.name }] };
}

const pen = document.createElement("canvas").getContext("2d");

/** The width of a text in the font of the labels, pixels. */
function widthOf(text, weight = "") {
  pen.font = `${weight} 12px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** A class name that may break before its capitals. */
function words(name) {
  return name.split(/(?<=[a-z0-9])(?=[A-Z$])/).flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));
}

/**
 * Areas in groups. A group has a `name` and `children`: areas with `name`, `kind`, `bytes` and the `component` that gives the
 * colour; `tone(name)` is a custom property.
 */
export function areaMap(label, components, tone, { caption, legend }) {
  const whole = components.flatMap((one) => one.children).reduce((sum, one) => sum + one.bytes, 0);
  if (whole === 0) return null;
  const map = h("div", { class: "treemap", role: "list", "aria-label": label });
  const root = () =>
    hierarchy({ name: "measured", children: components.map((one) => merged(one, whole * LEAST)).filter((one) => one.children.length > 0) })
      .sum((node) => node.bytes ?? 0)
      .sort((a, b) => b.value - a.value);

  function draw() {
    const [width, height] = [map.clientWidth, map.clientHeight];
    if (width === 0) return;
    const top = treemap().tile(treemapSquarify.ratio(1.4)).size([width, height]).paddingInner(2).paddingTop((node) => (node.depth === 1 ? 22 : 0)).round(true)(root());
    // Relative to the width, so that the areas fit paper too.
    const box = (node) => ({
      left: `${(node.x0 * 100) / width}%`,
      top: `${node.y0}px`,
      width: `${(Math.max(0, node.x1 - node.x0) * 100) / width}%`,
      height: `${Math.max(0, node.y1 - node.y0)}px`,
      "--tone": `var(${tone(node.data.component ?? node.data.name)})`,
    });
    const text = (node) => `${node.data.name}: ${bytes(node.value)}, ${percent(node.value, whole)}`;
    const groups = (top.children ?? []).map((node) => {
      const room = node.x1 - node.x0 - MARGIN;
      const figures = `${bytes(node.value)} \u00b7 ${percent(node.value, whole)}`;
      const both = widthOf(node.data.name, "bold") + widthOf(figures) + 16 <= room;
      return h("div", { class: "group", style: box(node), title: text(node), role: "listitem" }, room < LEAST_WIDTH ? null : h("b", {}, node.data.name), both ? h("span", {}, figures) : null);
    });
    const leaves = top.leaves().map((node) => {
      const lines = Math.floor((node.y1 - node.y0 - 5) / LINE);
      const roomy = node.x1 - node.x0 - MARGIN >= LEAST_WIDTH && lines > 0;
      const short = node.data.kind === "class" ? node.data.name.replace(/^.*\./, "") : node.data.name;
      const label = roomy ? h("span", { class: "label", style: { "-webkit-line-clamp": String(lines) } }, words(short)) : null;
      return h("div", { class: `leaf ${node.data.kind}`, style: box(node), title: text(node), tabindex: "0", role: "listitem", "aria-label": text(node) }, label);
    });
    map.replaceChildren(...groups, ...leaves);
  }
  new ResizeObserver(draw).observe(map);
  return h("figure", {}, h("figcaption", {}, caption), map, h("div", { class: "legend" }, legend.map(([kind, text]) => h("span", {}, h("i", { class: `swatch key ${kind}` }), text))));
}

/** The measured bytes. */
export function componentMap(report) {
  const legend = [
    ["class", "held by one class alone"],
    ["inside", "by several classes of the component"],
    ["shared", "by no component alone"],
  ];
  return areaMap("Measured bytes by component", areas(report), (name) => toneOf(report, name), { caption: "Areas are bytes and add up to what was measured", legend });
}

/** The upper part of a dominator tree: `groups` with `name`, `bytes` and `children`; `rest` is what lies beside them. */
export function treeMap({ by, groups, rest }) {
  const inside = (one) => {
    const children = one.children.map((child) => ({ ...child, kind: "class", component: one.name }));
    const bytes = Math.max(0, one.bytes - children.reduce((sum, child) => sum + child.bytes, 0));
    return { name: one.name, children: [...children, { name: "its own and what is not shown", kind: "inside", bytes, component: one.name }] };
  };
  const beside = { name: "the rest", children: [{ name: "the rest", kind: "shared", bytes: rest, component: "the rest" }] };
  const tones = new Map(groups.map((one, i) => [one.name, i]));
  const legend = [
    ["class", "the largest directly below"],
    ["inside", "its own, and what is not shown"],
    ["shared", "the rest of the heap"],
  ];
  const caption = "Areas are retained bytes and add up to what is reachable";
  return areaMap(`Retained bytes by ${by}`, [...groups.map(inside), beside], (name) => toneAt(tones.get(name)), { caption, legend });
}
