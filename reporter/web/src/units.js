// Formats numbers as the text report does.

const UNITS = ["KiB", "MiB", "GiB", "TiB"];

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function count(n) {
  return whole.format(Math.round(n));
}

export function counted(n, one, many) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Bytes in a fitting unit: `812 bytes`, `2.3 MiB`. */
export function bytes(n) {
  if (Math.abs(n) < 1024) return counted(n, "byte", "bytes");
  let value = n;
  for (const unit of UNITS) {
    value /= 1024;
    if (Math.abs(value) < 1023.95 || unit === "TiB") return `${value.toFixed(1)} ${unit}`;
  }
  return "";
}

/** One unit for all the bytes of a column, so that they are easy to compare. */
export function unitOf(values) {
  const most = values.reduce((most, n) => Math.max(most, n ?? 0), 0);
  const power = most >= 1e6 * 1024 ** 2 ? 3 : most >= 1e6 * 1024 ? 2 : 1;
  return { name: UNITS[power - 1], divisor: 1024 ** power };
}

/** Bytes in a column's unit. A small number other than 0 is `<0.1`. */
export function inUnit(n, { divisor }) {
  if (n === 0) return "0";
  const tenths = Math.round((n * 10) / divisor);
  if (tenths === 0) return "<0.1";
  return tenth.format(tenths / 10);
}

export const NOT_MEASURED = "\u2013";

/** Bytes after the mark that says how exact they are. */
export function marked(mark, n, unit) {
  return n === null || n === undefined ? NOT_MEASURED : mark + inUnit(n, unit);
}

export function percent(part, whole) {
  return whole > 0 ? `${((part * 100) / whole).toFixed(1)} %` : "";
}

/** `350 ms`, `30.1 s`, `2 min 05 s`, `26 h 03 min`. */
export function elapsed(ms) {
  const s = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  if (s === 0) return `${Math.round(ms)} ms`;
  if (s < 60) return `${s}.${Math.floor((ms % 1000) / 100)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
}

/** Ticks of a time axis, without a smaller unit that is 0. */
export function moment(ms) {
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  const minutes = ms / 60_000;
  if (minutes < 120) return Number.isInteger(minutes) ? `${minutes} min` : elapsed(ms);
  return Number.isInteger(minutes / 60) ? `${minutes / 60} h` : elapsed(ms);
}
