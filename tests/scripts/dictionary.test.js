import assert from "node:assert/strict";
import { test } from "node:test";

import { Panel } from "../../assets/scripts/dictionary/panel.js";
import { awaited, settled, undrawn } from "./fakes.js";

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
