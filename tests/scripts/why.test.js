import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { ASK_AGAIN_AFTER, Explanation } from "../../assets/scripts/why/explanation.js";
import { awaited, fakeTimers, settled } from "./fakes.js";

let timers;
beforeEach(() => { timers = fakeTimers(); });
afterEach(() => timers.restore());

// An explanation whose app answers when a test says so; `sent` are its questions, `told` is what it tells.
const explanation = () => {
  const sent = [];
  const told = [];
  const one = new Explanation({
    send: (payload) => {
      const answer = awaited();
      sent.push({ payload, answer: (reply) => { answer.resolve({ ok: true, task: 7, parts: [], running: true, trouble: "", ...reply }); return settled(); } });
      return answer.promise;
    },
    begun: ({ inspect }) => told.push(["begun", inspect]),
    part: (part) => told.push(["part", part]),
    ended: (trouble) => told.push(["ended", trouble]),
  });
  return { one, sent, told };
};

test("parts are told as they come, each once", async () => {
  const { one, sent, told } = explanation();
  one.ask({ start: 3 });
  await sent[0].answer({ parts: ["a"], inspect: { run: "r" } });
  assert.deepEqual(told, [["begun", { run: "r" }], ["part", "a"]]);
  assert.equal(sent.length, 1, "it waits before it asks again");
  timers.tick(ASK_AGAIN_AFTER);
  await settled();
  assert.deepEqual(sent[1].payload, { start: 3, task: 7, given: 1 });
  await sent[1].answer({ parts: ["b", "c"], running: false });
  assert.deepEqual(told.slice(2), [["part", "b"], ["part", "c"], ["ended", ""]]);
  timers.tick(10 * ASK_AGAIN_AFTER);
  await settled();
  assert.equal(sent.length, 2);
});

test("an answer to the question before is dropped", async () => {
  const { one, sent, told } = explanation();
  one.ask({ start: 1 });
  one.ask({ start: 2 });
  await sent[0].answer({ parts: ["old"], running: false });
  assert.deepEqual(told, []);
  await sent[1].answer({ parts: ["new"], running: false });
  assert.deepEqual(told, [["begun", undefined], ["part", "new"], ["ended", ""]]);
});

test("what is stopped is told to the app and no longer to the person", async () => {
  const { one, sent, told } = explanation();
  one.ask({ start: 1 });
  await sent[0].answer({ parts: ["a"] });
  one.stop();
  assert.deepEqual(sent[1].payload, { start: 1, task: 7, given: 1, stop: true });
  timers.tick(ASK_AGAIN_AFTER);
  await settled();
  assert.equal(sent.length, 2);
  assert.deepEqual(told, [["begun", undefined], ["part", "a"]]);
  one.stop();
  assert.equal(sent.length, 2, "there is nothing more to stop");
});

test("trouble, a refusal and an app that does not answer end it", async () => {
  for (const [reply, said] of [[{ running: false, trouble: "gone" }, "gone"], [{ ok: false, message: "no" }, "no"], [{ ok: false }, null]]) {
    const { one, sent, told } = explanation();
    one.ask({ start: 1 });
    await sent[0].answer(reply);
    assert.deepEqual(told.at(-1), ["ended", said]);
    assert.equal(one.running, null);
  }
});
