import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { inContext, mark, plural, shortScore, speaker } from "../../assets/scripts/page/messages.js";
import { askServer, beginWithPage, drawValue, pageLanguage, sessionToken } from "../../assets/scripts/page/session.js";
import { store, stored, storedJson, storedKeys } from "../../assets/scripts/page/storage.js";
import { fakeStorage } from "./fakes.js";

beforeEach(() => {
  globalThis.localStorage = fakeStorage();
});

const LABELS = {
  told: plural("{count} span in {name}", "{count} spans in {name}"),
  other: inContext("verb", "correct"),
  both: { text: plural("{count} word in {documents}", "{count} words in {documents}"), count: "words", counted: { documents: plural("{count} document", "{count} documents") } },
};

test("a message is filled in, in the language that is used, English where that one is unknown", () => {
  globalThis.window = { latticelens: { messages: { zh: { messages: { "{count} span in {name}": ["{name}：{count} 处"], "verb\u0004correct": "修正" }, forms: "0".repeat(200) } } } };
  const say = speaker(LABELS);
  assert.equal(say("told", { count: 1, name: "a" }), "1 span in a");
  assert.equal(say("told", { count: 0, name: "a" }), "0 spans in a");
  assert.equal(say("other"), "correct");
  say.use("zh");
  assert.equal(say("told", { count: 1, name: "甲" }), "甲：1 处");
  assert.equal(say("other"), "修正");
  say.use("fr");
  assert.equal(say("told", { count: "1,001", name: "a" }), "1,001 spans in a");
});

test("the plural goes by the rule of the language", () => {
  const forms = [...Array(200).keys()].map((n) => (n % 10 === 1 && n % 100 !== 11 ? 0 : n % 10 >= 2 && n % 10 <= 4 && (n % 100 < 12 || n % 100 > 14) ? 1 : 2)).join("");
  globalThis.window = { latticelens: { messages: { ru: { messages: { "{count} span in {name}": ["один", "два", "пять"] }, forms } } } };
  const say = speaker(LABELS);
  say.use("ru");
  assert.deepEqual([1, 2, 5, 11, 21, 112, 1021, 1112, "2,004"].map((count) => say("told", { count, name: "a" })), ["один", "два", "пять", "пять", "один", "пять", "один", "пять", "два"]);
});

test("a message counts more than one thing", () => {
  assert.equal(speaker(LABELS)("both", { words: 2, documents: 1 }), "2 words in 1 document");
});

test("what is not given stays as it is written, and what is filled in is not filled in again", () => {
  const say = speaker({ told: mark("{a} and {b}") });
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
  globalThis.window = { latticelens: { token: "t" }, addEventListener() {} };
  const begun = [];
  const props = { page: null };
  let look = null;
  beginWithPage({ props, watch: (name, then) => { look = then; } }, (page) => begun.push(page.visit));
  for (const page of [{ visit: 1 }, { visit: 1 }, null, { visit: 2 }]) {
    props.page = page;
    look();
  }
  assert.deepEqual(begun, [1, 2]);
});

test("a page that comes before the session waits for it", () => {
  let told = null;
  globalThis.window = { latticelens: { token: "" }, addEventListener: (event, then) => { if (event === "latticelens:session") told = then; } };
  const begun = [];
  beginWithPage({ props: { page: { visit: 1 } }, watch() {} }, (page) => begun.push(page.visit));
  assert.deepEqual(begun, []);
  window.latticelens.token = "t";
  told();
  told();
  assert.deepEqual(begun, [1]);
});

test("every question carries token and project, and no answer at all is one", async () => {
  globalThis.window = { latticelens: { token: "t", project: "3" } };
  const server = {
    echo: async (payload) => ({ ok: true, ...payload }),
    nothing: async () => null,
    broken: async () => { throw new Error("gone"); },
  };
  assert.deepEqual(await askServer(server, "echo", { n: 1 }), { ok: true, project: 3, n: 1, token: "t" });
  const whichever = await askServer(server, "echo", { project: undefined }); // an edit is of its document's project
  assert.equal(JSON.stringify(whichever), '{"ok":true,"token":"t"}');
  for (const name of ["nothing", "broken", "unknown"]) assert.deepEqual(await askServer(server, name), { ok: false, code: "unreachable" });
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
