import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { test } from "node:test";

import { RIGHT_TO_LEFT, runsLeft } from "../../assets/scripts/text/direction.js";

const cases = JSON.parse(readFileSync(new URL("./direction.json", import.meta.url), "utf-8"));

test("the first letter decides, as on the server", () => {
  for (const [text, leftwards] of cases) assert.equal(runsLeft(text), leftwards, text);
});

test("letters of right-to-left scripts are known, also astral ones", () => {
  for (const letter of ["א", "ع", "ܐ", "ހ", "ߊ", "\u{1e900}"]) assert.ok(RIGHT_TO_LEFT.test(letter), letter);
  for (const letter of ["a", "青", "न", "𠮷", "1", "。"]) assert.ok(!RIGHT_TO_LEFT.test(letter), letter);
});
