// The colour of a component, the same everywhere: one of Okabe and Ito's, which colour-blind readers can distinguish; see
// report.css.

const COLOURS = 7;

/** The custom property with a component's colour; all but the largest share one. */
export function toneOf(report, name) {
  return toneAt(report.components.filter((row) => row.component !== "(none)").findIndex((row) => row.component === name));
}

/** The custom property of the largest, the second largest, and so on. */
export function toneAt(index) {
  return index === undefined || index < 0 || index >= COLOURS ? "--c-other" : `--c${index}`;
}
