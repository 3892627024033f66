import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { fakeTimers, settled } from "./fakes.js";

let timers = null;
let head = [];
let filling = true;

const element = (tag) => {
  const listeners = {};
  return { tag, listeners, addEventListener: (name, then) => { listeners[name] = then; }, setAttribute(name, value) { this[name] = value; }, append() {} };
};
const scripts = () => head.filter(({ tag }) => tag === "script");

beforeEach(() => {
  timers = fakeTimers();
  globalThis.window = {};
  head = [];
  filling = true;
  globalThis.document = {
    createElement: element,
    head: { append: (made) => head.push(made) },
    documentElement: { classList: { contains: (name) => name === "ll-filling" && filling } },
  };
});

test("Plotly is fetched at once, run when the page has its contents, and asked for again where it does not come", async (context) => {
  context.after(() => timers.restore());
  const { mount, plotly } = await import("../../assets/scripts/widgets/plotly.js");
  mount();
  const first = plotly();
  assert.equal(plotly(), first, "once for all figures");
  await settled();
  assert.deepEqual(head.map(({ tag, rel, as }) => [tag, rel, as]), [["link", "preload", "script"]]);
  timers.tick(50);
  await settled();
  assert.equal(scripts().length, 0, "the page waits for its contents");
  filling = false;
  timers.tick(50);
  await settled();
  timers.tick(200);
  await settled();
  assert.equal(scripts().length, 1);
  assert.equal(scripts()[0].src, head[0].href);
  scripts()[0].listeners.error(new Error("the app is gone"));
  await settled();
  timers.tick(1000);
  await settled();
  assert.equal(scripts().length, 2);
  window.Plotly = { react() {} };
  scripts()[1].listeners.load();
  assert.equal(await first, window.Plotly);
});
