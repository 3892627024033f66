import assert from "node:assert/strict";
import { test } from "node:test";

import { OrderPicker, scoreValues } from "../../assets/scripts/annotator/panels/order_picker.js";
import { Queue } from "../../assets/scripts/annotator/panels/queue.js";
import { NOTHING, filterOf, filterOfPlace, isNarrow, placeOfFilter, sameFilter } from "../../assets/scripts/annotator/state/filters.js";
import { QueueRows } from "../../assets/scripts/annotator/state/queue_rows.js";
import { Selection } from "../../assets/scripts/data/selection.js";
import { ReviewList } from "../../assets/scripts/review/list.js";
import { awaited, settled, undrawn } from "./fakes.js";

const page = (from, count, total, more = {}) => ({ ok: true, rows: Array.from({ length: count }, (_, at) => ({ id: from + at, status: "new" })), total, ...more });
const ids = ({ rows }) => rows.map(({ id }) => id);

// A queue of `total` documents that are read `size` at a time.
const queue = (total, size) => new QueueRows(async ({ length }) => page(length, Math.min(size, total - length), total));

test("a queue is read page after page, each document once", async () => {
  const rows = queue(25, 10);
  assert.equal(rows.more, false);
  await rows.load(false);
  while (rows.more) await rows.load(true);
  assert.deepEqual(ids(rows), Array.from({ length: 25 }, (_, at) => at));
  await rows.load(false);
  assert.deepEqual([ids(rows).length, rows.more], [10, true]);
});

test("of two questions the later one counts, whichever answer comes first", async () => {
  for (const order of [[0, 1], [1, 0]]) {
    const answers = [awaited(), awaited()];
    const waiting = [...answers];
    const rows = new QueueRows(() => waiting.shift().promise);
    const loads = [rows.load(false), rows.load(false)];
    for (const at of order) {
      answers[at].resolve(page(100 * at, 3, 3));
      await settled();
    }
    assert.deepEqual(await Promise.all(loads), [false, true]);
    assert.deepEqual(ids(rows), [100, 101, 102]);
  }
});

test("an answer that failed or is not accepted changes nothing", async () => {
  const answers = [page(0, 2, 9), { ok: false }, undefined, page(50, 2, 2)];
  const rows = new QueueRows(async () => answers.shift());
  await rows.load(false);
  assert.equal(await rows.load(true), false);
  assert.equal(await rows.load(true), false);
  assert.equal(await rows.load(false, () => false), false);
  assert.deepEqual([ids(rows), rows.total], [[0, 1], 9]);
});

test("walking through the queue asks for what follows the loaded part, and stops at both ends", async () => {
  const rows = queue(23, 10);
  await rows.load(false);
  const asked = [];
  const walk = async (id, step) => rows.beside(id, step, async () => {
    asked.push(id);
    await rows.load(true);
    return id + step;
  });
  const seen = [0];
  for (let id = 0; (id = await walk(id, 1)) !== null; ) seen.push(id);
  assert.deepEqual(seen, Array.from({ length: 23 }, (_, at) => at));
  assert.deepEqual(asked, [9, 19]);
  assert.equal(await walk(0, -1), null);
  assert.equal(await walk(22, -1), 21);
});

test("somebody quicker than the list waits for it", async () => {
  const answer = awaited();
  const rows = new QueueRows(() => answer.promise);
  rows.load(false);
  const next = rows.beside(4, 1, () => assert.fail("nothing follows"));
  answer.resolve(page(4, 2, 2));
  assert.equal(await next, 5);
});

test("what is beside a document outside the loaded list is asked, whichever way one goes", async () => {
  const rows = queue(60, 10);
  await rows.load(false);
  for (const step of [1, -1]) {
    assert.equal(await rows.beside(40, step, async () => 40 + step), 40 + step);
    assert.equal(await rows.beside(99, step, async () => null), null);
  }
});

test("rows that come twice, because the queue has changed meanwhile, are listed once", async () => {
  const answers = [page(0, 3, 6), page(2, 3, 6)];
  const rows = new QueueRows(async () => answers.shift());
  await rows.load(false);
  await rows.load(true);
  assert.deepEqual(ids(rows), [0, 1, 2, 3, 4]);
});

test("documents that were done here are not counted where the next rows of a list of new ones begin", () => {
  const rows = [{ status: "done" }, { status: "new" }, { status: "new" }];
  const still = (status) => undrawn(Queue, { filter: { value: { status } } }).still(rows);
  assert.deepEqual(["new", "done", ""].map(still), [2, 1, 3]);
});

test("the app is asked for a neighbour in this order and filter, and for more rows at the end of the list alone", async () => {
  const asked = [];
  const filter = { ...NOTHING, status: "new", label: "ORG", search: "x" };
  const fields = { order: "random", filter, batch: 0, with_meta: false };
  const one = undrawn(Queue, {
    order: { value: "random" }, filter: { value: filter, chosenBatch: "" },
    current: 7, loaded: { rows: [{ id: 3 }, { id: 7 }] }, load: async (append) => asked.push(append),
    options: { ask: async (name, query) => asked.push([name, query]) && { ok: true, document: 8 } },
  });
  assert.equal(await one.ask(1), 8);
  assert.deepEqual(asked, [["find_neighbour", { ...fields, document: 7, backwards: false }], true]);
  one.current = 3;
  await one.ask(-1);
  assert.deepEqual(asked.slice(2), [["find_neighbour", { ...fields, document: 3, backwards: true }]]);
});

test("ignored documents are passed over on the way through the queue, and an ignored one leaves nothing to do", async () => {
  const answer = page(0, 6, 6, { own: { done: 1, handed: 6 } });
  const rows = new QueueRows(async () => answer);
  await rows.load(false);
  for (const id of [1, 2, 5]) rows.mark(id, { status: "ignored" });
  const wanted = ({ status }) => status !== "ignored";
  const walk = (id, step) => rows.beside(id, step, () => "asked", wanted);
  assert.deepEqual([await walk(0, 1), await walk(3, -1), await walk(4, 1)], [3, 0, null]);
  assert.equal(await rows.beside(0, 1, () => "asked"), 1);
  assert.equal(rows.own.handed, 3);
  rows.mark(1, { status: "new" });
  assert.equal(rows.own.handed, 4);
});

test("a filter is the same again from the address, whatever the metadata are", () => {
  const filter = filterOf({ status: "to_check", label: "ORG", search: "大学 ; = %", meta: [["genre", "a=b;c%d"], ["é", "雨"]], confidence_from: 0.5, commented: false, error: "missed", imported_at: 1795481507116 });
  assert.deepEqual(filterOfPlace(placeOfFilter(filter)), filter);
  assert.deepEqual(filterOfPlace(placeOfFilter(NOTHING)), NOTHING);
  assert.deepEqual([isNarrow(filter), isNarrow({}), sameFilter(NOTHING, {})], [true, false, true]);
});

test("what cannot be read in an address narrows nothing", () => {
  assert.deepEqual(filterOfPlace({ document: "3", meta: "a;=b;c=;%E0%A4%A=x;ok=1", confidence_from: "much", commented: "maybe" }), { ...NOTHING, meta: [["%E0%A4%A", "x"], ["ok", "1"]] });
});

test("rows are ticked one by one, from one to another, a page at a time, and all that match", () => {
  const rows = [1, 2, 3, 4, 5];
  const one = new Selection();
  one.tick(2, true, rows);
  one.tick(4, true, rows, true);
  assert.deepEqual([[...one.ids], one.count(90)], [[2, 3, 4], 3]);
  one.tick(9, true, [7, 8, 9], true); // the last tick was on another page
  assert.deepEqual([...one.ids], [2, 3, 4, 9]);
  one.tickEverything();
  assert.deepEqual([one.count(90), one.has(77)], [90, true]);
  one.tick(3, false, rows);
  assert.deepEqual([one.all, [...one.ids]], [false, [1, 2, 4, 5]]);
  one.tickAll(rows, true, rows);
  assert.equal(one.count(90), 5);
  one.clear();
  assert.deepEqual([one.count(90), one.has(1)], [0, false]);
});

test("a row takes what is newly known of it, and what is one's own is counted", async () => {
  const rows = new QueueRows(async () => page(0, 3, 3, { own: { done: 1, total: 3 } }));
  await rows.load(false);
  assert.equal(rows.mark(1, { status: "new" }), false);
  assert.equal(rows.mark(9, { status: "done" }), false);
  assert.equal(rows.mark(1, { status: "done", confidence: 0.4 }), true);
  assert.deepEqual([rows.rows[1], rows.own.done], [{ id: 1, status: "done", confidence: 0.4 }, 2]);
  rows.mark(1, { status: "in_progress" });
  rows.mark(1, { comments: 2 });
  assert.equal(rows.own.done, 1);
});

test("what is one's own is counted also of a document that is not listed", async () => {
  const rows = new QueueRows(async () => page(0, 3, 90, { own: { done: 1, handed: 90 } }));
  await rows.load(false);
  assert.deepEqual([rows.mark(70, { status: "done" }, "new"), rows.own.done], [true, 2]);
  assert.deepEqual([rows.mark(70, { status: "done" }, "done"), rows.own.done], [false, 2]);
  assert.deepEqual([rows.mark(70, { status: "in_progress" }, "done"), rows.own.done], [true, 1]);
});

test("an answer that does not know yet what was done to a document leaves it as it is", async () => {
  const answers = [awaited(), awaited()];
  const saving = new Set([1]);
  let at = 0;
  const rows = new QueueRows(() => answers[at++].promise, (id) => saving.has(id));
  const old = () => page(0, 4, 4, { own: { done: 0, handed: 4 } });
  const read = async (during) => {
    const now = rows.load(false);
    during();
    answers[at - 1].resolve(old());
    await now;
    return rows.rows.map(({ status }) => status);
  };
  rows.mark(1, { status: "done" }); // on its way when the list is asked for
  rows.mark(3, { status: "done" }); // saved long ago: what the app says counts
  assert.deepEqual(await read(() => rows.mark(2, { status: "ignored" })), ["new", "done", "ignored", "new"]);
  assert.deepEqual(rows.own, { done: 1, handed: 3 });
  saving.clear();
  assert.deepEqual(await read(() => {}), ["new", "new", "new", "new"]);
});

test("another project begins with an empty list", async () => {
  const rows = queue(3, 10);
  await rows.load(false);
  rows.clear();
  assert.deepEqual([rows.rows, rows.total, rows.more], [[], null, false]);
});

test("a score is written with at most three digits", () => {
  const values = [0, 0.004, 0.5, 0.995, 1, 9.96, 10, 123.4].map((score) => scoreValues(score).value);
  assert.deepEqual(values, ["0.00", "0.00", "0.50", "0.99", "1.0", "10.0", "10", "123"]);
  assert.deepEqual(scoreValues(0.256), { value: "0.26", whole: "0", share: "26%" });
});

test("after a reviewed document comes the next one, after the last another one, after the only one none", () => {
  const list = undrawn(ReviewList, { rows: [{ id: 3 }, { id: 1 }, { id: 2 }] });
  assert.deepEqual([3, 1, 2, 99].map((id) => list.after(id)), [1, 2, 3, 3]);
  list.rows = [{ id: 7 }];
  assert.equal(list.after(7), null);
});

test("a review list that is asked twice gives both the answer to the second question", async () => {
  const answers = [awaited(), awaited()];
  const waiting = [...answers];
  const list = undrawn(ReviewList, {
    asked: 0, rows: [], state: "ready", draw() {},
    root: { setAttribute() {}, removeAttribute() {} },
    options: { ask: () => waiting.shift().promise },
  });
  const loads = [list.load(), list.load()];
  answers[1].resolve({ rows: [{ id: 2 }], counts: {} });
  answers[0].resolve({ rows: [{ id: 1 }], counts: {} });
  for (const answer of await Promise.all(loads)) assert.deepEqual(answer.rows, [{ id: 2 }]);
  assert.deepEqual(list.rows, [{ id: 2 }]);
});

test("how an order of another project stands is neither drawn nor read again", async () => {
  const [answer, drawn] = [awaited(), []];
  const picker = undrawn(OrderPicker, { asked: 0, value: "novelty", standing: { state: "running" }, draw: () => drawn.push("drawn"), options: { ask: () => answer.promise, changed: () => drawn.push("changed") } });
  const looking = picker.look();
  picker.forget();
  answer.resolve({ ok: true, state: "ready" });
  await looking;
  assert.deepEqual([drawn, picker.value, picker.standing], [[], "position", null]);
});

test("a queue of a project that was left asks nothing and leaves the address alone", async () => {
  const asked = [];
  const left = undrawn(Queue, { options: { isLeft: () => true }, writePlace: () => asked.push("address"), loaded: { load: () => asked.push("rows") } });
  await left.load();
  assert.deepEqual(asked, []);
});
