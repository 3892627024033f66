import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Bulk } from "../../assets/scripts/data/bulk.js";
import { WorkBar } from "../../assets/scripts/page/work_bar.js";
import { fakeWindow, settled, undrawn } from "./fakes.js";

beforeEach(() => {
  globalThis.window = Object.assign(fakeWindow(), { latticelens: { token: "t", project: "1", language: "en" } });
});

// The Data page's work on many documents, whose server answers `answers()`; what is asked is in `asked`.
const bulkOver = (answers) => {
  const asked = [];
  const answering = (name) => async ({ project }) => {
    asked.push(`${name} ${project}`);
    return answers(name, project);
  };
  const bulk = undrawn(Bulk, {
    server: { list_bulk: answering("list_bulk"), bulk_state: answering("bulk_state") },
    shown: { project: 1, language: "en" },
    value() { return this.shown; },
    say: (name) => name,
    told: [],
    tell(text) { this.told.push(text); },
    draw() {},
    offerUndo() {},
  });
  const ask = (name) => bulk.ask(name);
  bulk.work = undrawn(WorkBar, { root: {}, seen: null, ask, state: "bulk_state", draw() {}, ended() {} });
  return { bulk, asked };
};

const IDLE = { ok: true, number: 0, running: false };

test("work of a project is looked for once, and again when the person comes back to it", async () => {
  let project = 1;
  const { bulk, asked } = bulkOver((name, of) => (of === project ? IDLE : { ok: false, code: "moved", message: "moved" }));
  await bulk.show();
  await bulk.show();
  assert.deepEqual(asked, ["list_bulk 1", "bulk_state 1"]);
  project = 2; // the person is in another project; the table still shows the first one
  assert.equal(await bulk.ask("bulk_state"), null);
  assert.deepEqual(bulk.told.slice(-1), ["moved"]);
  project = 1;
  asked.length = 0;
  await bulk.show();
  await settled();
  assert.deepEqual(asked, ["list_bulk 1", "bulk_state 1"]);
});

test("a language is not shown with the words of another", async () => {
  const { bulk, asked } = bulkOver(() => IDLE);
  await bulk.show();
  bulk.shown = { project: 1, language: "zh" };
  await bulk.show();
  assert.equal(asked.filter((one) => one === "list_bulk 1").length, 2);
});
