// Draws its figure with the Plotly that gradio has loaded, once it is near the window.

const spot = element.querySelector(".ll-lazy-plot");
let waiting = null;
let near = false;

const library = async () => {
  while (!window.Plotly) await new Promise((done) => setTimeout(done, 50));
  return window.Plotly;
};

// A heatmap's cells are named by row and column: lazy_plot.py sends the names of those.
const crossed = ({ crossed: names, ...trace }) =>
  names ? { ...trace, customdata: names.rows.map((row) => names.columns.map((column) => [row, column])) } : trace;

const paint = async () => {
  const Plotly = await library();
  if (!near || waiting === null || !spot.isConnected) return;
  const { data, layout } = JSON.parse(waiting);
  waiting = null;
  await Plotly.react(spot, data.map(crossed), layout, { responsive: true, displaylogo: false });
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
  paint();
};

new IntersectionObserver(
  (entries) => {
    near = entries[entries.length - 1].isIntersecting;
    paint();
  },
  { rootMargin: "300px" },
).observe(spot);
watch("value", take);
take();
