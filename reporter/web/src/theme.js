// The button that chooses light or dark colours, or those of the system.

import { h } from "./dom.js";
import { repaint } from "./lines.js";

const THEMES = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

export function theme() {
  const order = Object.keys(THEMES);
  const apply = (chosen) => {
    if (chosen === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = THEMES[chosen];
    repaint();
  };
  const kept = () => {
    try {
      return localStorage.getItem("weighbridge-theme") ?? "auto";
    } catch {
      // Some browsers store nothing for pages from files.
      return "auto";
    }
  };
  const button = h("button", {
    type: "button",
    class: "theme",
    onclick: () => {
      const shown = document.documentElement.dataset.theme ?? "auto";
      const next = order[(order.indexOf(shown) + 1) % order.length];
      try {
        localStorage.setItem("weighbridge-theme", next);
      } catch {
        // Without storage, the choice is lost with the page.
      }
      apply(next);
    },
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  const first = kept();
  apply(order.includes(first) ? first : "auto");
  return button;
}
