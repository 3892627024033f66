import assert from "node:assert/strict";
import { test } from "node:test";

import { speaker } from "../../assets/scripts/page/messages.js";
import { MESSAGES } from "../../assets/scripts/tour/messages.js";
import { canTrain, errorText, progressText, STEPS } from "../../assets/scripts/tour/steps.js";

const say = speaker(MESSAGES);
const error = (document, done = false) => ({ document, done, label: "LOC", key: "3", right: "兰州", wrong: null });
const run = (more = {}) => ({ name: "r-1", title: "my run", status: "running", fraction: 0.254, fixed: 2, asked: 3, decided: "", ...more });
const state = (more = {}) => ({ errors: [error(4, true), error(6), error(9)], corrected: 1, run: null, ...more });
const step = (name) => STEPS.find((one) => one.name === name);

test("every step has a title, a text, a place and something to point at", () => {
  assert.equal(STEPS.length, 6);
  for (const { name, at, targets } of STEPS) {
    assert.notEqual(say(`tour.${name}`), `tour.${name}`);
    assert.notEqual(say(`tour.${name}.text`), `tour.${name}.text`);
    assert.ok(["annotate", "train"].includes(at(state()).page));
    assert.ok(targets.length);
  }
});

test("the first steps are at the first error that is left, the last ones at the run", () => {
  assert.deepEqual(step("correct").at(state()), { page: "annotate", values: { document: 6 } });
  assert.deepEqual(step("look").at(state({ errors: [error(4, true)] })).values, { document: 4 });
  assert.deepEqual(step("read").at(state({ run: run() })), { page: "train", values: { run: "r-1" } });
  assert.deepEqual(step("train").at(state()).values, {});
});

test("a step is done by what the person did", () => {
  assert.equal(step("correct").done(state({ corrected: 2 })), false);
  assert.equal(step("correct").done(state({ corrected: 3 })), true);
  assert.equal(step("train").done(state()), false);
  assert.equal(step("train").done(state({ run: run() })), false);
  assert.equal(step("train").done(state({ run: run({ status: "finished" }) })), true);
  assert.equal(step("decide").done(state({ run: run({ status: "finished" }) })), false);
  assert.equal(step("decide").done(state({ run: run({ status: "finished", decided: "kept" }) })), true);
});

test("an error is missed, has another boundary, or another label", () => {
  const told = (wrong) => errorText(say, { ...error(4), wrong });
  assert.equal(told(null), "“兰州” is LOC, key 3; the tagger misses it");
  assert.equal(told({ surface: "兰州上大学", label: "ORG" }), "“兰州” is LOC, key 3; the tagger marks “兰州上大学”");
  assert.equal(told({ surface: "兰州", label: "ORG" }), "“兰州” is LOC, key 3; the tagger says ORG");
});

test("what the run fixed is said as it is, also where it is nothing", () => {
  const finished = (more) => state({ corrected: 3, run: run({ status: "finished", ...more }) });
  assert.equal(progressText(say, "read", finished({ fixed: 3 })), "3 fixed, of 3 corrections of yours.");
  assert.equal(progressText(say, "read", finished({ fixed: 0 })), "0 fixed, of 3 corrections of yours.");
  assert.match(progressText(say, "read", state()), /no trained run yet/);
  assert.match(progressText(say, "read", state({ corrected: 0, run: run({ status: "finished" }) })), /not corrected anything/);
});

test("a training is followed, and one that stopped can be begun again", () => {
  assert.equal(progressText(say, "train", state({ run: run() })), "my run is learning: 25%");
  assert.equal(canTrain(state()), true);
  assert.equal(canTrain(state({ run: run() })), false);
  for (const status of ["failed", "cancelled", "interrupted"]) {
    assert.equal(canTrain(state({ run: run({ status }) })), true);
    assert.match(progressText(say, "train", state({ run: run({ status }) })), /did not finish/);
  }
});
