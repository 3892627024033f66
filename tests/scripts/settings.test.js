import assert from "node:assert/strict";
import test from "node:test";

import { sectionAt } from "../../assets/scripts/settings/index.js";

const groups = [{ sections: [{ name: "labels" }, { name: "people" }] }, { sections: [{ name: "about" }] }];

test("the section of the address is shown, and the first where the person has none of that name", () => {
  assert.equal(sectionAt(groups, "about"), "about");
  assert.equal(sectionAt(groups, "audit_log"), "labels");
  assert.equal(sectionAt(groups, undefined), "labels");
  assert.equal(sectionAt(groups, "#x{}"), "labels");
  assert.equal(sectionAt([], "labels"), "");
});
