import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Outbox } from "../../assets/scripts/annotator/state/outbox.js";
import { Saver } from "../../assets/scripts/annotator/state/saving.js";
import { RETRY_SECONDS, freshId } from "../../assets/scripts/annotator/state/sending.js";
import { awaited, fakeStorage, fakeTimers, fakeWindow, settled } from "./fakes.js";

let timers = null;
globalThis.crypto ??= webcrypto; // node 18 has it in its module alone

beforeEach(() => {
  globalThis.window = fakeWindow();
  globalThis.localStorage = fakeStorage();
  timers = fakeTimers();
});

afterEach(() => timers.restore());

const version = (label = "A") => ({ spans: [{ start: 0, end: 1, label }], rejected: [], status: "in_progress", run: null });

// A saver whose server answers what `answers` holds in turn; each may be a promise or an error to throw.
const saver = (...answers) => {
  const sent = [];
  const told = [];
  const one = new Saver({
    send: async (payload) => {
      sent.push(payload);
      const answer = await answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    saved: (edit, answer) => told.push(["saved", edit.document, answer.revision]),
    failed: (answer) => told.push(["failed", answer.code]),
    refused: (message) => told.push(["refused", message]),
    conflict: (edit, { current }) => told.push(["conflict", edit.document, current.revision]),
    gone: (edit, answer) => told.push(["gone", edit.document, answer.gone]),
  });
  return Object.assign(one, { sent, told });
};
const saved = (revision) => ({ ok: true, revision, at: 1 });
const FAILED = { ok: false, code: "failed" };

test("an edit is stored before it is sent and forgotten once it is acknowledged", async () => {
  const answer = awaited();
  const one = saver(answer.promise);
  one.begin("s");
  one.know(7, 3);
  one.put(7, "label", version());
  assert.equal(Object.keys(localStorage).length, 1);
  assert.equal(one.unsent, true);
  answer.resolve(saved(4));
  await settled();
  assert.deepEqual(one.told, [["saved", 7, 4]]);
  assert.deepEqual([Object.keys(localStorage), one.unsent, one.revisions.get(7)], [[], false, 4]);
  assert.deepEqual(Object.keys(one.sent[0]).sort(), ["action", "base_revision", "client_edit", "document", "reason", "rejected", "run", "spans", "status"]);
});

test("one call is in flight; of what waits for a document only the newest is sent, on top of the last revision", async () => {
  const first = awaited();
  const one = saver(first.promise, saved(2), saved(9));
  one.begin("s");
  one.put(1, "label", version("A"));
  one.put(1, "label", version("B"));
  one.put(2, "label", version("X"));
  one.put(1, "label", version("C"));
  assert.equal(one.sent.length, 1);
  first.resolve(saved(1));
  await settled();
  assert.deepEqual(one.sent.map(({ document, spans, base_revision: base }) => [document, spans[0].label, base]), [[1, "A", 0], [2, "X", 0], [1, "C", 1]]);
  assert.equal(one.unsent, false);
});

test("an edit that an order shares is sent as it is, though newer ones wait", async () => {
  const first = awaited();
  const one = saver(first.promise, saved(2), saved(3));
  one.begin("s");
  one.put(1, "label", version("A"));
  one.put(1, "replace", version("B"), "order-1");
  one.put(1, "label", version("C"));
  first.resolve(saved(1));
  await settled();
  assert.deepEqual(one.sent.map(({ spans }) => spans[0].label), ["A", "B", "C"]);
  assert.equal(one.sent[1].client_edit, "order-1");
});

test("what fails is tried again after ever longer pauses, with the same id and the same base", async () => {
  const answers = [FAILED, new Error("no network"), undefined, ...Array.from({ length: 5 }, () => FAILED), saved(5)];
  const one = saver(...answers);
  one.begin("s");
  one.know(1, 4);
  one.put(1, "label", version());
  await settled();
  for (let turn = 0; turn < answers.length - 1; turn += 1) {
    const pause = 1000 * RETRY_SECONDS[Math.min(turn, RETRY_SECONDS.length - 1)];
    assert.equal(one.sent.length, turn + 1);
    timers.tick(pause - 1);
    await settled();
    assert.equal(one.sent.length, turn + 1);
    timers.tick(1);
    await settled();
  }
  assert.equal(new Set(one.sent.map(({ client_edit: id }) => id)).size, 1);
  assert.deepEqual(new Set(one.sent.map(({ base_revision: base }) => base)), new Set([4]));
  assert.deepEqual(one.told.map(([what, code]) => (what === "saved" ? what : code)), ["failed", "unreachable", "unreachable", ...Array(5).fill("failed"), "saved"]);
  assert.deepEqual([one.unsent, one.failures], [false, 0]);
});

test("an edit that may have arrived stays though a newer one waits", async () => {
  const one = saver(FAILED, saved(2), saved(3));
  one.begin("s");
  one.put(1, "label", version("A"));
  await settled();
  one.put(1, "label", version("B"));
  one.retry();
  await settled();
  assert.deepEqual(one.sent.map(({ spans, base_revision: base }) => [spans[0].label, base]), [["A", 0], ["A", 0], ["B", 2]]);
});

test("a browser that is on line again tries at once", async () => {
  const one = saver(FAILED, saved(2));
  one.begin("s");
  one.put(1, "label", version());
  await settled();
  window.dispatchEvent(new Event("online"));
  await settled();
  assert.equal(one.unsent, false);
});

test("a page is not left without a question while something waits", async () => {
  const one = saver(FAILED, saved(1));
  const leave = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  one.begin("s");
  assert.equal(leave(), false);
  one.put(1, "label", version());
  assert.equal(leave(), true);
  await settled();
  one.retry();
  await settled();
  assert.equal(leave(), false);
});

test("the next page sends what this one could not, in its order, ids unchanged, and of its scope alone", async () => {
  const one = saver(awaited().promise);
  one.begin("s");
  for (const document of [3, 1, 2]) one.put(document, "label", version());
  const ids = one.waiting.map(({ client_edit: id }) => id);
  const other = saver(saved(1));
  other.begin("t");
  await settled();
  assert.equal(other.sent.length, 0);
  const next = saver(saved(1), saved(1), saved(1));
  next.begin("s");
  await settled();
  assert.deepEqual(next.sent.map(({ document }) => document), [3, 1, 2]);
  assert.deepEqual(next.sent.map(({ client_edit: id }) => id), ids);
  assert.deepEqual(Object.keys(localStorage), []);
});

test("a save beyond a limit is kept and sent again when the server said, in its place", async () => {
  const one = saver({ ok: false, code: "over_limit", message: "Too often.", seconds: 40 }, saved(1), saved(2));
  one.begin("s");
  one.put(1, "label", version());
  await settled();
  assert.deepEqual(one.told, [["failed", "over_limit"]]);
  assert.equal(Object.keys(localStorage).length, 1);
  one.put(2, "label", version());
  await settled();
  assert.equal(one.sent.length, 1); // the second waits, too
  timers.tick(39_999);
  await settled();
  assert.equal(one.sent.length, 1);
  timers.tick(1);
  await settled();
  assert.deepEqual(one.sent.map(({ document }) => document), [1, 1, 2]);
  assert.equal(one.unsent, false);
});

test("what is stored and cannot be read is left alone, and the rest is sent", async () => {
  localStorage.setItem("latticelens.unsent.s.1.0.x", "{");
  localStorage.setItem("latticelens.unsent.s.2.0.y", JSON.stringify({ scope: "s", document: 2, at: 1, spans: "no" }));
  localStorage.setItem("latticelens.unsent.s.3.0.z", JSON.stringify({ scope: "s", document: 3, at: 1, client_edit: "z", ...version() }));
  const one = saver(saved(1));
  one.begin("s");
  await settled();
  assert.deepEqual(one.sent.map(({ document }) => document), [3]);
});

test("where nothing can be stored everything is sent all the same", async () => {
  globalThis.localStorage = fakeStorage({ forbidden: true });
  const one = saver(saved(1));
  one.begin("s");
  one.put(1, "label", version());
  await settled();
  assert.deepEqual(one.told, [["saved", 1, 1]]);
});

test("a clock that was turned back does not change the order", async () => {
  const now = mock.method(Date, "now", () => 5000);
  const one = saver(awaited().promise);
  one.begin("s");
  one.put(1, "label", version());
  now.mock.mockImplementation(() => 10);
  one.put(2, "label", version());
  now.mock.restore();
  const next = saver(saved(1), saved(1));
  next.begin("s");
  await settled();
  assert.deepEqual(next.sent.map(({ document }) => document), [1, 2]);
});

test("a conflict holds its document back and no other until the person has decided", async () => {
  const current = { revision: 8 };
  const one = saver({ ok: false, code: "conflict", current }, saved(1), saved(9));
  one.begin("s");
  one.put(1, "label", version("A"));
  one.put(2, "label", version("B"));
  await settled();
  assert.deepEqual(one.told, [["conflict", 1, 8], ["saved", 2, 1]]);
  assert.equal(one.pending(1).spans[0].label, "A");
  one.resolve(1, current, version("M"));
  await settled();
  assert.deepEqual([one.sent[2].base_revision, one.sent[2].spans[0].label, one.sent[2].action], [8, "M", "keep_mine"]);
  assert.equal(one.unsent, false);
});

test("to take theirs drops mine and goes on with the rest", async () => {
  const one = saver({ ok: false, code: "conflict", current: { revision: 8 } }, saved(1));
  one.begin("s");
  one.put(1, "label", version());
  await settled();
  one.resolve(1, { revision: 8 }, null);
  assert.deepEqual([one.unsent, one.revisions.get(1), Object.keys(localStorage)], [false, 8, []]);
});

test("while an edit waits its own base stands, whatever newer revision is told", async () => {
  const one = saver(FAILED);
  one.begin("s");
  one.know(1, 3);
  one.put(1, "label", version());
  await settled();
  one.know(1, 9);
  assert.equal(one.revisions.get(1), 3);
});

test("an edit with a deleted label waits for the person, a refused one is dropped and told", async () => {
  const one = saver({ ok: false, code: "labels_gone", gone: { A: null } }, { ok: false, code: "invalid", message: "no" });
  one.begin("s");
  one.put(1, "label", version());
  one.put(2, "label", version());
  await settled();
  assert.deepEqual(one.told, [["gone", 1, { A: null }], ["refused", "no"]]);
  assert.deepEqual(one.waiting.map(({ document }) => document), [1]);
});

const outbox = (...answers) => {
  const sent = [];
  const told = [];
  const one = new Outbox({
    send: async (name, payload) => {
      sent.push([name, payload]);
      return answers.shift();
    },
    done: (order) => told.push(["done", order.name]),
    failed: (answer) => told.push(["failed", answer.code]),
    refused: (answer, order) => told.push(["refused", order.name]),
  });
  return Object.assign(one, { sent, told });
};

test("orders go out one after the other, each with an id of its own; a refused one does not stop the next", async () => {
  const one = outbox({ ok: true }, { ok: false, code: "invalid" }, { ok: true });
  one.begin("s");
  for (const name of ["a", "b", "c"]) one.put(name, { document: 1 });
  await settled();
  assert.deepEqual(one.told, [["done", "a"], ["refused", "b"], ["done", "c"]]);
  assert.equal(new Set(one.sent.map(([, { client_edit: id }]) => id)).size, 3);
  assert.deepEqual(Object.keys(localStorage), []);
});

test("an order that failed blocks the ones behind it and survives the page", async () => {
  const one = outbox(FAILED);
  one.begin("s");
  one.put("a", { client_edit: "mine" });
  one.put("b", {});
  await settled();
  assert.deepEqual([one.sent.length, one.told], [1, [["failed", "failed"]]]);
  const next = outbox({ ok: true }, { ok: true });
  next.begin("s");
  await settled();
  assert.deepEqual(next.sent.map(([name]) => name), ["a", "b"]);
  assert.equal(next.sent[0][1].client_edit, "mine");
});

test("ids differ, also in a browser without randomUUID", () => {
  const ids = new Set(Array.from({ length: 100 }, freshId));
  mock.method(crypto, "randomUUID", undefined);
  for (let turn = 0; turn < 100; turn += 1) ids.add(freshId());
  mock.restoreAll();
  assert.equal(ids.size, 200);
  for (const id of ids) assert.match(id, /^[0-9a-f-]{32,36}$/);
});

test("a closed page, which has no timers, sends nothing again: its process may have other pages", async () => {
  globalThis.setTimeout = () => 0; // as a document without a window answers
  const one = saver(...Array(20).fill(FAILED));
  one.begin("s");
  one.put(7, "label", version());
  await settled();
  assert.deepEqual([one.sent.length, one.unsent], [1, true]);
  one.retry(); // as a page does that comes back
  await settled();
  assert.equal(one.sent.length, 2);
});
