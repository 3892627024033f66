import assert from "node:assert/strict";
import { test } from "node:test";

import { Panel } from "../../assets/scripts/dictionary/panel.js";
import { WorkBar } from "../../assets/scripts/page/work_bar.js";
import { awaited, fakeTimers, settled, undrawn } from "./fakes.js";

// A panel whose questions are answered by hand, in the order of `asked`.
const panel = () => {
  const questions = [];
  return undrawn(Panel, {
    questions,
    taken: 0,
    project: 1,
    busy: false,
    state: null,
    say: { language: "en", use() {} },
    host: { setAttribute() {}, removeAttribute() {} },
    message: { textContent: "", classList: { toggle() {} } },
    draw() {},
    showWork() {},
    ask(name) {
      const answer = awaited();
      questions.push([name, answer.resolve]);
      return answer.promise;
    },
  });
};
const state = (result) => ({ project: 1, language: "en", result });

test("a state that was asked for before something was pressed does not come over what came of it", async () => {
  const one = panel();
  one.refresh();
  one.act("start");
  one.questions[1][1](state("measured"));
  await settled();
  assert.equal(one.state.result, "measured");
  one.questions[0][1](state(null));
  await settled();
  assert.equal(one.state.result, "measured");
  assert.deepEqual(one.questions.map(([name]) => name), ["state", "start", "state"], "it is asked for again");
  one.questions[2][1](state("measured, in the other direction"));
  await settled();
  assert.equal(one.state.result, "measured, in the other direction");
});

test("work of a project that was left is neither followed nor told of in the next", async () => {
  const told = [];
  const state = awaited();
  const bar = undrawn(WorkBar, { seen: 1, root: { hidden: false }, draw() {}, state: "state", ask: () => state.promise, ended: ({ number }) => told.push(number) });
  const timers = fakeTimers();
  const following = bar.follow({ number: 2, running: true });
  bar.leave();
  timers.tick(250);
  await following;
  assert.deepEqual([told, bar.root.hidden], [[], true]);
  const of = bar.follow(); // as the next project is shown, whose last work is older than this page
  state.resolve({ number: 7, running: false });
  await of;
  timers.restore();
  assert.deepEqual([told, bar.seen], [[], 7]);
});

test("a bar that was left while it asked stays away", async () => {
  const [answer, drawn, told] = [awaited(), [], []];
  const bar = undrawn(WorkBar, { seen: 1, root: { hidden: false }, draw: ({ number }) => drawn.push(number), state: "state", ask: () => answer.promise, ended: ({ number }) => told.push(number) });
  const timers = fakeTimers();
  const following = bar.follow({ number: 2, running: true });
  timers.tick(250);
  await settled();
  bar.leave();
  answer.resolve(null); // refused: the page shows another project
  await following;
  timers.restore();
  assert.deepEqual([drawn, told, bar.root.hidden], [[2], [], true]);
});
