import assert from "node:assert/strict";
import { test } from "node:test";

import { Correction, claimOf, saidOf, toldOf } from "../../assets/scripts/correcting/correction.js";
import { spanKey } from "../../assets/scripts/text/spans.js";

const TEXT = "张伟在北京大学工作";
const predicted = (start, end, label) => ({ start, end, label, score: 0.9, source: "tagger" });
const correction = (given = {}) => new Correction({ document: null, text: TEXT, start: 0, nested: false, spans: [predicted(0, 2, "PER"), predicted(3, 5, "LOC")], ...given });
const drawn = ({ marks }) => marks.map((mark) => `${mark.source} ${spanKey(mark)}`).sort();
const markOf = (one, key) => one.placed(one.marks.find((mark) => spanKey(mark) === key));
const document = (given) => ({ id: 7, text: TEXT, spans: [], rejected: [], status: "new", revision: 3, ...given });

test("before anything is said a sentence stays as the tagger sees it, whatever its document says", () => {
  const one = correction({ document: document({ spans: [{ start: 3, end: 7, label: "ORG" }], rejected: [{ start: 0, end: 2, label: "PER" }] }) });
  assert.deepEqual(drawn(one), ["tagger 0:2:PER", "tagger 3:5:LOC"]);
});

test("what stands in the document of a sentence is drawn where the page takes it over", () => {
  const stands = document({ spans: [{ start: 3, end: 7, label: "ORG" }], rejected: [{ start: 0, end: 2, label: "PER" }] });
  const one = correction({ document: stands, decided: new Set(saidOf(stands)) });
  assert.deepEqual(drawn(one), ["person 3:7:ORG"]);
});

test("what a person says is drawn in place of the prediction, and undo brings that back", () => {
  const one = correction();
  const mark = markOf(one, "3:5:LOC");
  assert.ok(one.put(mark, { start: 3, end: 5, label: "ORG" }));
  assert.deepEqual(drawn(one), ["person 3:5:ORG", "tagger 0:2:PER"]);
  assert.ok(one.remove(markOf(one, "0:2:PER")));
  assert.deepEqual(drawn(one), ["person 3:5:ORG"]);
  one.undo();
  one.undo();
  assert.deepEqual(drawn(one), ["tagger 0:2:PER", "tagger 3:5:LOC"]);
  assert.equal(one.canUndo, false);
});

test("where spans may nest, a prediction stays away while its moved one stands", () => {
  const one = correction({ nested: true });
  const mark = markOf(one, "0:2:PER");
  one.put(mark, { start: 0, end: 1, label: "PER" });
  one.put({ start: 0, end: 1, label: "PER", source: "person" }, { start: 0, end: 1, label: "LOC" });
  assert.deepEqual(drawn(one), ["person 0:1:LOC", "tagger 3:5:LOC"]);
  one.remove({ start: 0, end: 1, label: "LOC", source: "person" });
  assert.deepEqual(drawn(one), ["tagger 0:2:PER", "tagger 3:5:LOC"]);
});

test("a prediction that the annotation contradicts already is refused", () => {
  const one = correction({ document: document({ spans: [{ start: 3, end: 5, label: "ORG" }] }) });
  assert.ok(one.put(markOf(one, "3:5:LOC"), { start: 3, end: 5, label: "ORG" }));
  assert.deepEqual(one.annotation.now.rejected.map(spanKey), ["3:5:LOC"]);
  assert.equal(one.put(null, { start: 3, end: 5, label: "ORG" }), false, "this is how it is annotated");
});

test("spans are those of the document, marks those of the sentence in it", () => {
  const one = correction({ document: document({ text: `。。${TEXT}`, spans: [{ start: 0, end: 1, label: "PER" }] }), start: 2 });
  const mark = markOf(one, "3:5:LOC");
  assert.deepEqual([mark.start, mark.end], [5, 7]);
  one.put(mark, { start: 5, end: 9, label: "LOC" });
  assert.deepEqual(one.annotation.now.spans.map(spanKey), ["0:1:PER", "5:9:LOC"]);
  assert.deepEqual(drawn(one), ["person 3:7:LOC", "tagger 0:2:PER"]);
  assert.deepEqual(one.overlapped({ start: 6, end: 8, label: "ORG" }).map(spanKey), ["5:9:LOC"]);
});

test("what the app says since is seen, and an undone addition is no document any more", () => {
  const one = correction();
  assert.ok(one.fits(null));
  one.put(null, { start: 5, end: 7, label: "ORG" });
  one.saved({ document: 7, revision: 1, added: true, discarded: false });
  assert.ok(one.added && one.fits(document({ revision: 1 })) && !one.fits(document({ revision: 2 })));
  one.saved({ document: 7, revision: 2, added: false, discarded: true });
  assert.deepEqual([one.document, one.added], [null, false]);
});

test("the line says what the ledger has of it", () => {
  const [before, after] = [{ start: 3, end: 5, label: "LOC" }, { start: 3, end: 5, label: "ORG" }];
  const claims = [{ kind: "confirmed", before, after: before }, { kind: "type", before, after }, { kind: "spurious", before, after: null }];
  assert.equal(claimOf(claims, before, after).kind, "type");
  assert.equal(claimOf(claims, before, before).kind, "confirmed");
  assert.equal(claimOf(claims, { ...before, end: 4 }, after).kind, "type", "moved twice: against the first prediction");
  assert.equal(claimOf(claims, before, null).before, before);
  assert.equal(claimOf([], before, after), null);
  const said = (claim, answer) => toldOf((key) => key, "did", claim, { gold: true, ...answer }, "flat-0001");
  assert.equal(said(claims[1], {}), "correct.correction");
  assert.equal(said(claims[0], {}), "correct.confirmed");
  assert.equal(said(null, {}), "correct.stored");
  assert.equal(said(null, { gold: false }), "correct.own");
  assert.equal(said(claims[1], { added: true }), "correct.added");
  assert.equal(said(null, { discarded: true }), "correct.discarded");
});
