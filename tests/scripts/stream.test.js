import assert from "node:assert/strict";
import { test } from "node:test";

import { SuggestionStream, questionOf, sentenceOf } from "../../assets/scripts/annotator/state/suggestion_stream.js";
import { everySource } from "../../assets/scripts/annotator/state/suggested.js";
import { Offsets } from "../../assets/scripts/text/offsets.js";
import { awaited, settled } from "./fakes.js";

const suggested = (start, end, label = "NAME", score = 0.5, source = "tagger") => ({ start, end, label, score, source });
const state = (id, suggestions, more = {}) => ({
  nested: false,
  suggestions,
  document: { id, text: "林晓在青禾大学。陆沉走了。", spans: [], rejected: [], status: "new", revision: 0 },
  ...more,
});

// A stream over documents that come a few at a time.
const streamOf = async (states, { leastConfident = false, size = 2, view = everySource() } = {}) => {
  const asked = [];
  const stream = new SuggestionStream({
    read: async (after) => {
      asked.push(after);
      const from = after === null ? 0 : states.findIndex(({ document }) => document.id === after) + 1;
      const documents = states.slice(from, from + size);
      return { ok: true, documents, after: from + size < states.length ? documents.at(-1).document.id : null };
    },
    view: () => view,
    arrived: () => {},
    changed: () => {},
  });
  stream.clear(leastConfident);
  await stream.fill();
  return { stream, asked, view };
};

// Answers as the view does: the edit first.
const answer = (stream, kind) => {
  const { entry, span } = stream.current;
  if (kind === "accepted") entry.annotation.accept([span]);
  if (kind === "rejected") entry.annotation.reject(span);
  stream.answered(kind);
  return `${entry.annotation.id}:${span.start}`;
};

test("suggestions come in the order of the queue and of the text, and are counted", async () => {
  const { stream, asked } = await streamOf([state(5, [suggested(8, 10), suggested(0, 2)]), state(3, [suggested(3, 7, "ORG")]), state(9, [suggested(0, 2)])]);
  assert.deepEqual(asked, [null, 3]);
  assert.deepEqual(stream.progress, { number: 1, total: 4, more: false });
  assert.deepEqual([answer(stream, "accepted"), answer(stream, "rejected"), answer(stream, "skipped")], ["5:0", "5:8", "3:3"]);
  assert.deepEqual(stream.progress, { number: 4, total: 4, more: false });
  assert.equal(answer(stream, "accepted"), "9:0");
  assert.equal(stream.current, null);
  assert.deepEqual(stream.counts, { accepted: 2, rejected: 1, skipped: 1 });
  stream.again();
  assert.equal(stream.current.entry.annotation.id, 3);
  assert.deepEqual(stream.progress, { number: 4, total: 4, more: false });
});

test("the least confident comes first, and what is asked stays while more is read", async () => {
  const later = awaited();
  const replies = [{ ok: true, documents: [state(1, [suggested(0, 2, "NAME", 0.9), suggested(3, 7, "ORG", 0.4)])], after: 1 }, later.promise];
  const stream = new SuggestionStream({ read: () => replies.shift(), view: () => everySource(), arrived: () => {}, changed: () => {} });
  stream.clear(true);
  stream.fill();
  await settled();
  assert.equal(stream.current.span.score, 0.4);
  assert.equal(stream.progress.more, true);
  later.resolve({ ok: true, documents: [state(2, [suggested(0, 2, "NAME", 0.1)])], after: null });
  await settled();
  assert.equal(stream.current.span.score, 0.4);
  assert.deepEqual([answer(stream, "accepted"), answer(stream, "accepted"), answer(stream, "accepted")], ["1:3", "2:0", "1:0"]);
});

test("in a flat project an accepted suggestion drops those it overlaps, where spans nest it does not", async () => {
  const both = [suggested(3, 7, "ORG", 0.5), suggested(3, 5, "LOC", 0.9)];
  for (const [nested, left] of [[false, 0], [true, 1]]) {
    const { stream } = await streamOf([state(1, both, { nested })]);
    answer(stream, "accepted");
    assert.equal(stream.progress.total - 1, left);
  }
});

test("answers are taken back one by one, across documents", async () => {
  const { stream } = await streamOf([state(1, [suggested(0, 2)]), state(2, [suggested(0, 2), suggested(8, 10)])]);
  for (const kind of ["accepted", "skipped", "rejected"]) answer(stream, kind);
  assert.equal(stream.current, null);
  const back = [];
  for (let taken = stream.takeBack(); taken; taken = stream.takeBack()) {
    if (taken.kind !== "skipped") taken.entry.annotation.undo();
    back.push(`${stream.current.entry.annotation.id}:${stream.current.span.start}`);
  }
  assert.deepEqual(back, ["2:8", "2:0", "1:0"]);
  assert.deepEqual(stream.counts, { accepted: 0, rejected: 0, skipped: 0 });
  assert.deepEqual(stream.progress, { number: 1, total: 3, more: false });
});

test("a document that is chosen is where the stream goes on, and its answers are no more taken back here", async () => {
  const { stream } = await streamOf([state(1, [suggested(0, 2), suggested(8, 10)]), state(2, [suggested(0, 2)])]);
  answer(stream, "accepted");
  stream.goTo(state(2, [suggested(0, 2), suggested(8, 10)]));
  assert.deepEqual([answer(stream, "accepted"), answer(stream, "accepted"), answer(stream, "accepted")], ["2:0", "2:8", "1:8"]);
  stream.goTo(state(7, []));
  assert.equal(stream.current, null);
  stream.goTo(state(1, [suggested(8, 10)]));
  assert.deepEqual(stream.answers.map(({ entry }) => entry.annotation.id), [2, 2]);
});

test("a source that is switched off asks nothing", async () => {
  const { stream, view } = await streamOf([state(1, [suggested(0, 2), suggested(8, 10, "NAME", 1, "dictionary")])]);
  view.tagger.on = false;
  assert.equal(stream.current.span.source, "dictionary");
});

test("where the app does not answer the stream says so and goes on from there", async () => {
  const replies = [{ ok: true, documents: [state(1, [suggested(0, 2)])], after: 1 }, { ok: false }, { ok: true, documents: [state(2, [suggested(0, 2)])], after: null }];
  const asked = [];
  const stream = new SuggestionStream({ read: async (after) => (asked.push(after), replies.shift()), view: () => everySource(), arrived: () => {}, changed: () => {} });
  await stream.fill();
  assert.deepEqual([stream.failed, stream.progress.more], [true, true]);
  await stream.fill();
  assert.deepEqual([stream.failed, stream.progress], [false, { number: 1, total: 2, more: false }]);
  assert.deepEqual(asked, [null, 1, 1]);
});

test("what was asked for an earlier stream is not put into the next one", async () => {
  const late = awaited();
  const replies = [late.promise, Promise.resolve({ ok: true, documents: [state(2, [suggested(0, 2)])], after: null })];
  const stream = new SuggestionStream({ read: () => replies.shift(), view: () => everySource(), arrived: () => {}, changed: () => {} });
  stream.fill();
  stream.clear(false);
  await stream.fill();
  late.resolve({ ok: true, documents: [state(1, [suggested(0, 2)])], after: null });
  await settled();
  assert.equal(stream.progress.total, 1);
  assert.equal(stream.current.entry.annotation.id, 2);
});

test("a suggestion is shown in its sentence, without blanks, and a long sentence is cut around it", () => {
  const text = "𠮷林走了。 陆沉在青岛。\n完。";
  const offsets = new Offsets(text);
  const { start, end } = sentenceOf(offsets, { start: 6, end: 8 });
  assert.equal(offsets.slice(start, end), "陆沉在青岛。");
  const long = new Offsets("字".repeat(1000));
  const found = sentenceOf(long, { start: 500, end: 502 });
  assert.deepEqual(found, { start: 350, end: 652, cut: { before: true, after: true } });
});

test("the other spans of the sentence come with it, cut where they leave it", async () => {
  const { stream } = await streamOf([state(1, [suggested(8, 10)], { nested: true })]);
  stream.current.entry.annotation.add({ start: 6, end: 9, label: "ORG" });
  const { text, span, surface, spans } = questionOf(stream.current);
  assert.deepEqual([text, surface, span.start, span.end], ["陆沉走了。", "陆沉", 0, 2]);
  assert.deepEqual(spans, [{ start: 0, end: 1, label: "ORG" }]);
});
