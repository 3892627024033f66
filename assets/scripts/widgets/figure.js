// Downloads of one plotly figure, and the clicks on its points. Needs no server: all is in the page.

import { node } from "../page/dom.js";
import { csvTable, saveFile } from "../page/downloads.js";
import { mark, speaker } from "../page/messages.js";
import { onMoved, pageLanguage } from "../page/session.js";

const list = (values) => (values == null ? null : Array.from(values));

// Names in a figure are markup: a table wants the name itself, and a Chinese word written downwards in one piece.
export const plainName = (tick) =>
  String(tick)
    .replace(/^.(?:<br>.)+$/u, (name) => name.replaceAll("<br>", ""))
    .replace(/(?<=[\u2e80-\u9fff\uf900-\ufaff\ud840-\udfff])<br>(?=[\u2e80-\u9fff\uf900-\ufaff\ud840-\udfff…])/g, "")
    .replaceAll("<br>", " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

// The ticks a figure came with, by axis; a narrow page shows fewer of them, and lazy_plot.js has put by all.
const TICK_WIDTH = 12;

const ticksOf = (plot, letter) => {
  const own = plot.layout[letter];
  const all = own?.tickmode === "array" && own.ticktext ? { values: list(own.tickvals), names: list(own.ticktext) } : undefined;
  return plot.layout.meta?.ticks?.[letter] ?? all;
};

// Every n-th name along the width, so that none lies on the next.
const thin = (plot) => {
  const fewer = {};
  for (const letter of Object.keys(plot.layout).filter((key) => /^xaxis[0-9]*$/.test(key))) {
    const ticks = ticksOf(plot, letter);
    const width = plot._fullLayout?.[letter]?._length;
    if (!ticks || !(width > 0)) continue;
    const step = Math.max(1, Math.ceil((TICK_WIDTH * ticks.values.length) / width));
    const values = ticks.values.filter((_, at) => at % step === 0);
    const shown = list(plot.layout[letter].tickvals).length;
    // Drawing anew takes long: some room more is no reason.
    if (values.length >= shown && values.length < 1.5 * shown) continue;
    fewer[`${letter}.tickvals`] = values;
    fewer[`${letter}.ticktext`] = ticks.names.filter((_, at) => at % step === 0);
  }
  if (Object.keys(fewer).length) window.Plotly?.relayout(plot, fewer);
};

// A numeric axis may carry names as its ticks; a row of the table says the name.
const called = (axis, value) => {
  const at = axis?.values ? axis.values.indexOf(value) : -1;
  return at < 0 ? value : plainName(axis.names[at]);
};

const axisOf = (plot, trace, letter) => {
  const id = trace[`${letter}axis`] ?? letter;
  return ticksOf(plot, `${letter}axis${id.slice(1)}`);
};

// One row for each cell or point: figure part, x, y, value, text.
export const rowsOf = (plot) =>
  plot._fullData.flatMap((trace, number) => {
    const part = plainName(trace.name ?? number);
    const across = axisOf(plot, trace, "x");
    const down = axisOf(plot, trace, "y");
    if (trace.z) {
      return list(trace.z).flatMap((line, i) =>
        list(line).map((value, j) => [part, called(across, trace.x?.[j] ?? j), called(down, trace.y?.[i] ?? i), value, ""]),
      );
    }
    const xs = list(trace.x) ?? [];
    const ys = list(trace.y) ?? [];
    const said = Array.isArray(trace.text) ? trace.text : [];
    return Array.from({ length: Math.max(xs.length, ys.length) }, (_, i) => [
      part, called(across, xs[i] ?? i), called(down, ys[i] ?? i), "", plainName(said[i] ?? ""),
    ]);
  });

const COLUMNS = ["part", "x", "y", "value", "text"];

const asJson = (name, plot) => {
  const rows = rowsOf(plot).map((row) => Object.fromEntries(row.map((value, at) => [COLUMNS[at], Number.isNaN(value) ? null : value])));
  return JSON.stringify({ figure: name, rows }, null, 1);
};

const picture = (name, plot, format) => {
  const { width, height } = plot._fullLayout;
  // On a page a figure has no ground of its own; in a file it needs one that its grey ink was made for.
  const ground = { paper_bgcolor: "#ffffff" };
  const copy = { data: plot.data, layout: { ...plot.layout, ...ground } };
  return window.Plotly.downloadImage(copy, { format, filename: name, width, height, scale: format === "png" ? 2 : 1 });
};

const WAYS = {
  png: (name, plot) => picture(name, plot, "png"),
  svg: (name, plot) => picture(name, plot, "svg"),
  csv: (name, plot) => saveFile(`${name}.csv`, csvTable(COLUMNS, rowsOf(plot)), "text/csv;charset=utf-8"),
  json: (name, plot) => saveFile(`${name}.json`, asJson(name, plot), "application/json"),
};

const plain = (value) => (value == null ? null : JSON.parse(JSON.stringify(value)));

const MESSAGES = {
  download: mark("Download this figure"),
  png: mark("As a picture (PNG)"),
  svg: mark("As a drawing (SVG)"),
  csv: mark("As a table (CSV)"),
  json: mark("As JSON"),
};

export const mount = ({ element, props, trigger }) => {
  const say = speaker(MESSAGES);
  const bar = element.querySelector(".ll-figure-bar");
  const name = props.figure;
  const drawing = () => document.getElementById(name)?.querySelector(".js-plotly-plot");

  const draw = () => {
    say.use(pageLanguage());
    bar.setAttribute("aria-label", say("download"));
    bar.replaceChildren(
      ...Object.entries(WAYS).map(([way, run]) => {
        const title = `${say("download")}: ${say(way)}`;
        const save = () => {
          const plot = drawing();
          if (plot) run(name, plot);
        };
        return node("button", { type: "button", title, "aria-label": title, onclick: save, text: way.toUpperCase() });
      }),
    );
  };

  const follow = () => {
    const plot = drawing();
    bar.classList.toggle("ll-figure-ready", Boolean(plot));
    if (plot?._fullLayout) thin(plot);
    if (!plot?.on || plot.followed) return;
    plot.followed = true;
    plot.on("plotly_click", ({ points: [point] = [] }) => {
      if (!point) return;
      trigger("pick", { x: plain(point.x), y: plain(point.y), trace: point.curveNumber, customdata: plain(point.customdata) });
    });
  };

  // Plotly follows the window alone; a column also changes its width when another stands beside it.
  const fit = ([{ contentRect }]) => {
    const plot = drawing();
    const width = Math.max(Math.floor(contentRect.width), plot?.layout.meta?.least_width ?? 0);
    if (plot?._fullLayout && contentRect.width > 0 && Math.abs(plot._fullLayout.width - width) > 1) window.Plotly?.relayout(plot, { width })?.then(() => thin(plot));
  };

  const host = document.getElementById(name);
  if (host) {
    new MutationObserver(follow).observe(host, { childList: true, subtree: true });
    new ResizeObserver(fit).observe(host);
  }
  onMoved(draw);
  draw();
  follow();
};
