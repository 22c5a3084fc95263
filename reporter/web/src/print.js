// While the page is printed, it is light and tables are drawn whole.

import { drawAll } from "./chunks.js";
import { repaint } from "./lines.js";

export function printable() {
  const { dataset } = document.documentElement;
  let undo = null;
  addEventListener("beforeprint", () => {
    const { theme } = dataset;
    const undraw = drawAll();
    dataset.theme = "light";
    repaint();
    undo = () => {
      if (theme === undefined) delete dataset.theme;
      else dataset.theme = theme;
      undraw();
      repaint();
    };
  });
  addEventListener("afterprint", () => {
    undo?.();
    undo = null;
  });
}
