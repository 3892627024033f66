import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import test from "node:test";

import { percent, share, wholePercent } from "../../assets/scripts/text/percent.js";

const cases = JSON.parse(readFileSync(new URL("./percent.json", import.meta.url), "utf-8"));

test("percentages are written as the pages of the server write them", () => {
  assert.deepEqual(cases.percent.map(([value]) => percent(value)), cases.percent.map(([, written]) => written));
  assert.deepEqual(cases.share.map(([values]) => share(...values)), cases.share.map(([, written]) => written));
  assert.deepEqual(cases.whole.map(([values]) => wholePercent(...values)), cases.whole.map(([, written]) => written));
});
