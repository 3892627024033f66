import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { shortScore, speaker } from "../../assets/scripts/page/messages.js";
import { beginWithPage, drawValue, pageLanguage, sessionToken } from "../../assets/scripts/page/session.js";
import { store, stored, storedJson, storedKeys } from "../../assets/scripts/page/storage.js";
import { fakeStorage } from "./fakes.js";

beforeEach(() => {
  globalThis.localStorage = fakeStorage();
});

test("a message is filled in, in the language that is used, English where that one is unknown", () => {
  const say = speaker({ en: { told: "{count} {count:span|spans} in {name}" }, zh: { told: "{name}：{count} 处" } });
  assert.equal(say("told", { count: 1, name: "a" }), "1 span in a");
  assert.equal(say("told", { count: 0, name: "a" }), "0 spans in a");
  say.use("zh");
  assert.equal(say("told", { count: 1, name: "甲" }), "甲：1 处");
  say.use("fr");
  assert.equal(say("told", { count: "1,001", name: "a" }), "1,001 spans in a");
});

test("what is not given stays as it is written, and what is filled in is not filled in again", () => {
  const say = speaker({ en: { told: "{a} and {b}" } });
  assert.equal(say("told", { a: "{b} ${x} $& $1" }), "{b} ${x} $& $1 and {b}");
  assert.equal(say("unknown.key"), "unknown.key");
});

test("a score is short and never rounds a doubt away", () => {
  assert.deepEqual([0, 0.004, 0.5, 0.994, 0.995, 1, null, undefined, "0.5"].map(shortScore), [".00", ".00", ".50", ".99", "1.0", "1.0", "", "", ""]);
});

test("what is stored comes back, is listed by its prefix, and can be forgotten", () => {
  assert.equal(store("a.1", "x"), true);
  store("a.2", JSON.stringify({ n: 1 }));
  store("b", "y");
  assert.deepEqual([stored("a.1"), stored("none"), storedJson("a.2"), storedJson("a.1"), storedJson("none")], ["x", null, { n: 1 }, null, null]);
  assert.deepEqual(storedKeys("a."), ["a.1", "a.2"]);
  store("a.1", null);
  assert.equal(stored("a.1"), null);
});

test("a storage that is forbidden keeps nothing and fails nowhere", () => {
  globalThis.localStorage = fakeStorage({ forbidden: true });
  assert.deepEqual([store("a", "x"), store("a", null), stored("a"), storedJson("a"), storedKeys("")], [false, false, null, null, []]);
});

test("outside the app there is no session and the language is English", () => {
  globalThis.window = {};
  assert.deepEqual([sessionToken(), pageLanguage()], ["", "en"]);
  globalThis.window = { latticelens: { token: "t", language: "zh" } };
  assert.deepEqual([sessionToken(), pageLanguage()], ["t", "zh"]);
});

test("a widget begins with its page once it has one, and again only with another one", () => {
  const begun = [];
  const props = { page: null };
  let look = null;
  beginWithPage({ props, watch: (name, then) => { look = then; } }, (page) => begun.push(page.token));
  for (const page of [{ token: "a" }, { token: "a" }, null, { token: "b" }]) {
    props.page = page;
    look();
  }
  assert.deepEqual(begun, ["a", "b"]);
});

test("a widget draws what it is given, and nothing as an empty value", () => {
  const drawn = [];
  const props = { value: null };
  let look = null;
  drawValue({ props, watch: (name, then) => { look = then; } }, (value) => drawn.push(value));
  props.value = { rows: [1] };
  look();
  assert.deepEqual(drawn, [{}, { rows: [1] }]);
});
