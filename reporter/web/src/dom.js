// Makes elements. Text becomes text nodes only: names in a recording are foreign and must never be parsed as markup.

/** Makes an element; `on…` are listeners, `style` is an object (the page's policy refuses the attribute). */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, to] of Object.entries(value)) element.style.setProperty(property, to);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A section of the page with a heading that the navigation links to; `null` without content. */
export function section(id, title, ...content) {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), content);
}

/** Buttons of which one is pressed. */
export function choice(label, options, chosen, choose) {
  const buttons = options.map(([value, text]) =>
    h("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => press(value) }, text),
  );
  const press = (value) => {
    options.forEach(([other], i) => buttons[i].setAttribute("aria-pressed", String(other === value)));
    choose(value);
  };
  return h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}

/** Calls `act` when the last request is a moment ago; `now()` calls it at once. */
export function debounced(act) {
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(act, 120);
  };
  later.now = () => {
    clearTimeout(timer);
    act();
  };
  return later;
}
