// The pages that Weighbridge writes. That of `report -o html` is drawn from the report that it contains as JSON; those of
// `heap VERB -o html` have their tables, which are made to sort and to follow the search.

import { page } from "./data.js";
import { h, section } from "./dom.js";
import { dumpPage } from "./dump.js";
import { head, tiles } from "./head.js";
import { findings } from "./findings.js";
import { live, overTime } from "./history.js";
import { ages, byClass, byComponent, byTag, byThread, bySite, jvms } from "./rows.js";
import { componentMap } from "./treemap.js";
import { heapComponents } from "./heap_components.js";
import { shortages } from "./shortages.js";
import { sites } from "./sites.js";
import { aboutMeasuring } from "./measuring.js";
import { printable } from "./print.js";
import { toolbar } from "./toolbar.js";

function reportPage() {
  const { report } = page;

  /** Sections in the order of a reader's questions; sections without content are left out. */
  const parts = [
    ["findings", "Findings", findings(page)],
    ["time", "Live over time", overTime(page)],
    ["shortages", "Memory shortages", shortages(page)],
    ["allocated", "Live against allocated", live(page)],
    ["components", "Components", [componentMap(report), byComponent(page)]],
    ["heap-components", "Components in heap dumps", heapComponents(page)],
    ["classes", "Classes", byClass(page)],
    ["ages", "Ages", ages(report)],
    ["sites", "Allocation sites", [sites(page), bySite(page)]],
    ["threads", "Threads", byThread(page)],
    ["tags", "Tags", byTag(page)],
    ["jvms", "JVMs", jvms(page)],
    ["measuring", "What was not measured, and what measuring cost", aboutMeasuring(page)],
  ];
  const sections = parts
    .map(([id, title, content]) => [id, title, [content].flat().filter((part) => part !== null && part !== undefined)])
    .filter(([, , content]) => content.length > 0);

  const main = h("main", {}, head(page), tiles(page), sections.map(([id, title, content]) => section(id, title, content)));
  document.body.prepend(toolbar(page, sections), main);
  printable();
}

if (page) reportPage();
else dumpPage();
