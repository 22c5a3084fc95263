// A question with a few fields over the page.

import { h } from "../dom.js";

/** A labelled field; `value` is what it begins with. */
export function field(label, attributes, hint) {
  const input = h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });
  const whole = h("label", { class: "field" }, h("span", {}, label), input, hint ? h("small", { class: "quiet" }, hint) : null);
  return { input, whole };
}

/** Boxes of which some are checked. */
export function boxes(label, options, checked) {
  const inputs = options.map(([value]) => h("input", { type: "checkbox", value, checked: checked.includes(value) }));
  const whole = h("fieldset", {}, h("legend", {}, label), options.map(([, text], i) => h("label", { class: "box" }, inputs[i], text)));
  return { whole, values: () => inputs.filter((input) => input.checked).map((input) => input.value) };
}

/** Opens it. `act` is called with the button; what it gives closes the dialog unless it is null. */
export function dialog(title, content, button, act) {
  const go = h("button", { type: "button", class: "act", onclick: () => done() }, button);
  const cancel = h("button", { type: "button", class: "plain", onclick: () => whole.close() }, "Cancel");
  const whole = h("dialog", { "aria-labelledby": "dialog-title" }, h("h2", { id: "dialog-title" }, title), content.flat().filter(Boolean), h("div", { class: "tools" }, go, cancel));
  const done = async () => {
    if ((await act(go)) !== null) whole.close();
  };
  whole.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      done();
    }
  });
  whole.addEventListener("close", () => whole.remove());
  document.body.append(whole);
  whole.showModal();
}

/** Patterns that were written with spaces or commas between them. */
export const patterns = (text) => text.split(/[\s,]+/).filter(Boolean);
