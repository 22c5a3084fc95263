// The flame graph of the methods that constructed the live objects.

import { choice, h } from "./dom.js";
import { flameGraph } from "./flame.js";
import { counted } from "./units.js";

export function sites({ report, pruned_calls }) {
  const trees = report.call_trees.filter((tree) => tree.nodes.some((node) => node.own_bytes > 0));
  if (trees.length === 0) return null;
  const graph = h("div");
  const name = (tree) => tree.jvm === null ? `the last snapshots of ${counted(tree.jvms, "JVM", "JVMs")} in one` : [report.jvms.length > 1 ? `JVM ${tree.jvm + 1}, ` : "", tree.reason === "peak" ? "greatest peak" : "last", ` (snapshot ${tree.seq})`].join("");
  const show = (i) => {
    const tree = trees[i];
    const unknown = tree.unknown_objects > 0 ? h("p", { class: "quiet" }, `${counted(tree.unknown_objects, "object", "objects")} of unknown site.`) : null;
    const lost = pruned_calls.find((one) => one.jvm === tree.jvm && one.seq === tree.seq);
    const pruned = lost ? h("p", { class: "quiet" }, `${counted(lost.nodes, "call", "calls")} of less than 0.05 % each are counted with their callers.`) : null;
    const cut = tree.nodes.find((node) => node.cut);
    const cutOff = cut ? h("p", { class: "quiet" }, `Stacks below \u201c${cut.frame}\u201d were longer than the option `, h("code", {}, "sites"), " keeps.") : null;
    graph.replaceChildren(flameGraph(tree), ...[unknown, cutOff, pruned].filter(Boolean));
  };
  show(trees.length - 1);
  const pick = trees.length > 1 ? choice("Snapshot", trees.map((tree, i) => [i, name(tree)]), trees.length - 1, show) : null;
  const sum = trees.length === 1 && trees[0].jvm === null ? h("p", { class: "quiet" }, `Of ${name(trees[0])}.`) : null;
  const keys = "Shallow bytes of live objects by their class and the methods that constructed them. Click or Enter enlarges, Escape shows all, arrows walk.";
  return [h("p", { class: "quiet" }, keys), sum, pick, graph].filter(Boolean);
}
