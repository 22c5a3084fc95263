// What the page shows now, and who wants to know when that changes.

export const state = {
  /** The recordings and processes: `id`, `title`, `pid`, `program`, `state`, `text`, `revision`. */
  sources: [],
  /** The id of the one that is shown. */
  source: null,
  /** Its report, and of which revision. */
  page: null,
  revision: -1,
  view: null,
  /** The reader has stopped the moment. */
  frozen: false,
  connected: false,
};

/** The chosen recording or process. */
export const chosen = () => state.sources.find((one) => one.id === state.source);

/** The process of which something can be asked. */
export const pid = () => {
  const one = chosen();
  return one && one.state !== "over" ? one.pid : null;
};

const listeners = new Set();
export const onChange = (act) => listeners.add(act);
export const changed = () => listeners.forEach((act) => act());
