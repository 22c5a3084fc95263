// The views of a report, each of the parts of the report's page.

import { findings } from "../findings.js";
import { h } from "../dom.js";
import { head, tiles } from "../head.js";
import { heapComponents } from "../heap_components.js";
import { live, overTime } from "../history.js";
import { aboutMeasuring } from "../measuring.js";
import { ages, byClass, byComponent, bySite, byTag, byThread, jvms } from "../rows.js";
import { shortages } from "../shortages.js";
import { sites } from "../sites.js";
import { componentMap } from "../treemap.js";

const part = (title, ...content) => {
  const there = content.flat(Infinity).filter((one) => one !== null && one !== undefined);
  return there.length > 0 ? [h("h2", {}, title), there] : [];
};

/** By name: the title, what is drawn, and what is said if there is nothing. */
export const REPORT = {
  overview: { title: "Overview", draw: (page, one) => [head(page, { about: one.title, runs: one.state === "live" }), tiles(page), part("Findings", findings(page)), part("Live over time", overTime(page)), part("JVMs", jvms(page))] },
  components: { title: "Components", draw: (page) => part("Components", componentMap(page.report), byComponent(page)).concat(part("Components in heap dumps", heapComponents(page))), none: "No component holds anything yet." },
  classes: { title: "Classes", draw: (page) => part("Classes", byClass(page)), none: "No class has an object yet." },
  ages: { title: "Ages", draw: (page) => part("Ages", ages(page.report)), none: "Ages come with the first collection." },
  threads: { title: "Threads", draw: (page) => part("Threads", byThread(page)), none: "No thread has constructed an object of the measured classes yet." },
  scopes: { title: "Scopes", draw: (page) => part("Scopes", byTag(page)), none: "The program has opened no scope (Weighbridge.scope, or entries of traces)." },
  peaks: { title: "Peaks", draw: (page) => part("Live against allocated", live(page)), none: "There is one snapshot at most so far." },
  sites: { title: "Sites", draw: (page) => part("Allocation sites", sites(page), bySite(page)), none: "Sites are recorded with the option `sites`." },
  shortages: { title: "Shortages", draw: (page) => part("Memory shortages", shortages(page)), none: "Nothing was decided in a memory shortage: memory was not short, or [shortage] is off." },
  cost: { title: "Cost", draw: (page) => part("What was not measured, and what measuring cost", aboutMeasuring(page)) },
};
