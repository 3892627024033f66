// Draws its figure: at once where it is near the window, else as soon as
// the browser has nothing else to do, so that it stands there when somebody scrolls to it.

import { plotly, whenIdle } from "./plotly.js";

// A heatmap's cells are named by row and column: lazy_plot.py sends the names of those.
export const crossed = ({ crossed: names, ...trace }) =>
  names ? { ...trace, customdata: names.rows.map((row) => names.columns.map((column) => [row, column])) } : trace;

// Every n-th name along the width, so that none lies on the next. figure.js looks again at the drawn figure, and
// finds all names in `meta`; here a figure is spared a second drawing.
const ROOM = 14;
const SCALE = 70;

export const thinned = ({ data, layout }, room) => {
  const { l = 48, r = 16 } = layout.margin ?? {};
  const beside = data.some((trace) => trace.colorbar && trace.colorbar.orientation !== "h") || layout.coloraxis;
  const width = room - l - r - (beside ? SCALE : 0);
  const ticks = {};
  const axes = Object.entries(layout).filter(([name, axis]) => /^xaxis[0-9]*$/.test(name) && axis.tickmode === "array" && axis.ticktext);
  const fewer = axes.map(([name, axis]) => {
    ticks[name] = { values: axis.tickvals, names: axis.ticktext };
    const [from, to] = axis.domain ?? [0, 1];
    const step = Math.max(1, Math.ceil((ROOM * axis.tickvals.length) / Math.max(1, width * (to - from))));
    const kept = (_, at) => at % step === 0;
    return [name, { ...axis, tickvals: axis.tickvals.filter(kept), ticktext: axis.ticktext.filter(kept) }];
  });
  return { ...layout, ...Object.fromEntries(fewer), meta: { ...layout.meta, ticks } };
};

// A figure with `least_width` scrolls where the page has less; it begins with `focus`, a share of its width, in the middle.
const widen = (spot, { least_width: least = 0, focus = 0 } = {}) => {
  const around = spot.parentElement;
  spot.style.minWidth = least ? `${least}px` : "";
  around.style.overflowX = least ? "auto" : "";
  return () => {
    around.scrollLeft = focus * spot.clientWidth - around.clientWidth / 2;
  };
};

export const mount = ({ element, props, watch }) => {
  const spot = element.querySelector(".ll-lazy-plot");
  let waiting = null;
  let near = false;

  const paint = async () => {
    const Plotly = await plotly();
    // Without a place on the page a figure would be drawn in a size of its own; it waits until it has one.
    if (!near && !spot.offsetParent) return;
    if (waiting === null || !spot.isConnected) return;
    const { data, layout } = JSON.parse(waiting);
    waiting = null;
    const scroll = widen(spot, layout.meta);
    await Plotly.react(spot, data.map(crossed), thinned({ data, layout }, spot.clientWidth), { responsive: true, displaylogo: false });
    scroll();
    if (waiting === null) spot.removeAttribute("data-waiting");
  };

  const take = () => {
    const value = props.value;
    if (!value?.figure) {
      waiting = null;
      if (spot.classList.contains("js-plotly-plot")) window.Plotly?.purge(spot);
      spot.classList.remove("js-plotly-plot");
      spot.style.minHeight = "";
      spot.removeAttribute("data-waiting");
      return;
    }
    waiting = value.figure;
    spot.setAttribute("data-waiting", "");
    // The place is kept, so that nothing moves when the figure comes.
    spot.style.minHeight = `${value.height}px`;
    if (near) paint();
    else whenIdle(paint);
  };

  new IntersectionObserver(
    (entries) => {
      near = entries[entries.length - 1].isIntersecting;
      if (near) paint();
    },
    { rootMargin: "300px" },
  ).observe(spot);
  watch("value", take);
  take();
};
