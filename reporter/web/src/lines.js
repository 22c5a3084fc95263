// Line charts: uPlot with the page's colours, a legend of buttons, and bands from the least to the greatest value.

import uPlot from "uplot";
import { h } from "./dom.js";
import { bytes } from "./units.js";

/** Steps of an axis of bytes: powers of two, so that ticks are round KiB, MiB or GiB. */
const POWERS = Array.from({ length: 52 }, (_, i) => 2 ** i);

const charts = new Set();
const probe = h("span", { hidden: true });

/** The colour of a custom property in the current theme: canvases do not know `var()`. */
export function colour(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

/** Draws all charts again after a change of the theme. */
export function repaint() {
  charts.forEach((chart) => chart.redraw(false));
}

/** Gives up the charts that are no longer on the page. */
export function forgetCharts() {
  for (const chart of charts) {
    if (chart.root.isConnected) continue;
    chart.watcher.disconnect();
    chart.destroy();
    charts.delete(chart);
  }
}

/** The lines that the reader hid, as `chart: line`: they stay hidden when a page draws the chart again. */
const hidden = new Set();

const translucent = (name, percent) => () => {
  const [r, g, b] = colour(name).match(/[\d.]+/g);
  return `rgba(${r}, ${g}, ${b}, ${percent / 100})`;
};

/**
 * A chart of `series` over `x`. Each has a `label`, the name of a `colour`, and `values`, or `min` and `max` for a band;
 * `dots` draws single points, `fill` a band without lines. `at(x)` and `figure(y)` format the figures, and `upTo` is the
 * greatest y that is shown. `marks` are moments with an `x` and a `label`: decisions in a memory shortage.
 */
export function lines({ label, x: known, series: given, at, figure = bytes, height = 240, upTo, marks = [], summary }) {
  // Moments before the first figure or after the last one are shown, too.
  const outside = (is) => marks.map((mark) => mark.x).filter(is).sort((a, b) => a - b);
  const [before, after] = [outside((at) => at < known[0]), outside((at) => at > known.at(-1))];
  const nothing = (moments) => moments.map(() => null);
  const padded = (values) => values && [...nothing(before), ...values, ...nothing(after)];
  const x = [...before, ...known, ...after];
  const series = given.map((one) => ({ ...one, values: padded(one.values), min: padded(one.min), max: padded(one.max) }));
  const data = [x];
  const config = [{}];
  const bands = [];
  const parts = series.map((one) => {
    const line = { stroke: () => colour(one.colour), width: 1.75, spanGaps: true, points: { show: one.dots === true, size: 6 } };
    if (one.dots) line.paths = () => null;
    if (one.step) line.paths = uPlot.paths.stepped({ align: 1 });
    if (one.dash) line.dash = one.dash;
    data.push(one.max ?? one.values);
    config.push(one.fill ? { ...line, width: 0 } : line);
    const upper = data.length - 1;
    if (!one.min) return [upper];
    data.push(one.min);
    config.push(one.fill ? { ...line, width: 0 } : { ...line, width: 0.75 });
    bands.push({ series: [upper, upper + 1], fill: translucent(one.colour, one.fill ? 14 : 22) });
    return [upper, upper + 1];
  });

  const readout = h("output", { class: "readout" });
  const plot = h("div", { class: "plot", role: "img", "aria-label": summary ?? label });
  const axis = { stroke: () => colour("--muted"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const chart = new uPlot(
    {
      width: 600,
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { size: 7 } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.min(most > 0 ? most * 1.06 : 1, upTo ?? Infinity)] } },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map(at), size: 30, space: 80, incrs: at === bytes ? POWERS : undefined },
        { ...axis, values: (_, ticks) => ticks.map(figure), size: 78, incrs: figure === bytes ? POWERS : undefined },
      ],
      series: config,
      bands,
      hooks: { setCursor: [showFigures], draw: [drawMarks] },
    },
    data,
    plot,
  );
  charts.add(chart);
  chart.watcher = new ResizeObserver(() => chart.setSize({ width: Math.max(260, plot.clientWidth), height }));
  chart.watcher.observe(plot);

  function drawMarks(u) {
    const { left, top, width, height: tall } = u.bbox;
    u.ctx.save();
    u.ctx.strokeStyle = colour("--c1");
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.setLineDash([4, 3]);
    for (const mark of marks) {
      const at = Math.round(u.valToPos(mark.x, "x", true));
      if (at < left || at > left + width) continue;
      u.ctx.beginPath();
      u.ctx.moveTo(at, top);
      u.ctx.lineTo(at, top + tall);
      u.ctx.stroke();
    }
    u.ctx.restore();
  }

  function showFigures(u) {
    const i = u.cursor.idx;
    if (i === null || i === undefined) return readout.replaceChildren();
    const figures = series.flatMap((one, s) => {
      const [upper, lower] = parts[s].map((index) => data[index][i]);
      if (upper === null || upper === undefined || !chart.series[parts[s][0]].show) return [];
      const range = lower === undefined || lower === upper ? figure(upper) : `${figure(lower)} \u2013 ${figure(upper)}`;
      return [`${one.label} ${range}`];
    });
    const step = (x.at(-1) - x[0]) / 60;
    const met = marks.filter((mark) => Math.abs(mark.x - x[i]) <= step).map((mark) => mark.label);
    readout.textContent = [at(x[i]), ...figures, ...met].join(" \u00b7 ");
  }

  const legend = series.map((one, s) => {
    const own = `${label}: ${one.label}`;
    const shown = !hidden.has(own);
    if (!shown) parts[s].forEach((index) => chart.setSeries(index, { show: false }));
    const button = h(
      "button",
      {
        type: "button",
        "aria-pressed": String(shown),
        title: "Show or hide",
        onclick: () => {
          const show = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(show));
          if (show) hidden.delete(own);
          else hidden.add(own);
          parts[s].forEach((index) => chart.setSeries(index, { show }));
        },
      },
      h("i", { class: `swatch ${one.dots ? "dot" : one.fill ? "area" : one.dash ? "dashed" : ""}`, style: { "--swatch": `var(${one.colour})` } }),
      one.label,
    );
    return button;
  });
  return h("figure", {}, h("figcaption", {}, label), h("div", { class: "legend" }, legend), plot, readout);
}

/** A small line chart without axes: points are `[x, y]`, and y starts at 0. */
export function sparkline(points, { width = 220, height = 44, name }) {
  const most = Math.max(1, ...points.map(([, y]) => y));
  const [from, to] = [points[0][0], points.at(-1)[0]];
  const corners = points.map(([x, y]) => {
    const left = to > from ? ((x - from) / (to - from)) * width : 0;
    return `${left.toFixed(1)},${(height - 2 - (y / most) * (height - 4)).toFixed(1)}`;
  });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, class: "sparkline", role: "img", "aria-label": name, preserveAspectRatio: "none" }))
    svg.setAttribute(key, value);
  const shape = (tag, points, kind) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    element.setAttribute("points", points);
    element.setAttribute("class", kind);
    svg.append(element);
  };
  shape("polygon", `0,${height} ${corners.join(" ")} ${width},${height}`, "under");
  shape("polyline", corners.join(" "), "over");
  return svg;
}
