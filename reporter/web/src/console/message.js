// One line that says what was done, or why not.

import { h } from "../dom.js";

export const message = h("p", { class: "message", role: "status" });

export function say(text, alarm = false) {
  message.textContent = text;
  message.classList.toggle("alarm", alarm);
}

/** Does something that may be refused, and says so; `button` is off meanwhile. */
export async function attempt(text, act, button) {
  say(text);
  if (button) button.disabled = true;
  try {
    const told = await act();
    say(told?.say ?? "");
    return told;
  } catch (error) {
    say(error.message, true);
    return null;
  } finally {
    if (button) button.disabled = false;
  }
}

/** The sentences about what the budget of pauses left out; none if nothing was. */
export const missing = (leftOut) => (leftOut ?? []).map((sentence) => `Note: ${sentence}.`);
