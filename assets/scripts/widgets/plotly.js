// Plotly's own script. It is fetched with the first page that may show a figure, and run once that page has its contents: running
// it blocks the page for a quarter of a second.

import { node } from "../page/dom.js";
import { whenFilled } from "../page/session.js";

const ADDRESS = new URL("../libraries/plotly.js", import.meta.url).href;
const PAUSE = 1000; // ms before it is asked for again; the app may be starting anew

export const whenIdle = (run) => (window.requestIdleCallback ? requestIdleCallback(run) : setTimeout(run, 200));

const run = () =>
  new Promise((done, failed) => {
    document.head.append(node("script", { src: ADDRESS, onload: () => done(window.Plotly), onerror: failed }));
  });

const load = async () => {
  document.head.append(node("link", { rel: "preload", as: "script", href: ADDRESS }));
  await whenFilled();
  await new Promise(whenIdle);
  for (;;) {
    try {
      return await run();
    } catch {
      await new Promise((again) => setTimeout(again, PAUSE));
    }
  }
};

let coming = null;

// The library, as soon as it is there.
export const plotly = () => (coming ??= load());

export const mount = () => void plotly();
