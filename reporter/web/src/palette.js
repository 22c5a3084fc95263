// One colour for a component wherever it appears. Okabe and Ito's colours, told apart by colour-blind readers; see report.css.

const COLOURS = 7;

/** The custom property with a component's colour; those behind the largest share the last one. */
export function toneOf(report, name) {
  const index = report.components.filter((row) => row.component !== "(none)").findIndex((row) => row.component === name);
  return index < 0 || index >= COLOURS ? "--c-other" : `--c${index}`;
}
