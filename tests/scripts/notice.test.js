// What the window says of long work: the title, the notification, the question.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { WindowNotice } from "../../assets/scripts/page/notice.js";

let kept;
let shown;
let asked;

class Notification {
  static permission = "default";
  static requestPermission() {
    asked += 1;
    return Promise.resolve("granted");
  }
  constructor(title, { body, tag }) {
    shown.push([title, body, tag]);
  }
}

const window = (given = {}) => {
  const made = new EventTarget();
  made.document = Object.assign(new EventTarget(), { title: "LatticeLens", hidden: true, focus: false });
  made.document.hasFocus = () => made.document.focus;
  return Object.assign(made, { Notification }, given);
};

const press = (on, long) => {
  const event = new Event("click");
  Object.defineProperty(event, "target", { value: { closest: (rule) => (long && rule === ".ll-long" ? {} : null) } });
  on.document.dispatchEvent(event);
};

const ENDED = { job: null, ended: [{ text: "✓ flat-0003 finished", seconds: 45 }] };

beforeEach(() => {
  kept = new Map();
  shown = [];
  asked = 0;
  Notification.permission = "default";
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
});

test("the title has the share of the work while it goes on", () => {
  const here = window();
  const notice = new WindowNotice(here);
  notice.show({ job: { name: "training flat-0003", fraction: 0.429 }, ended: [] });
  assert.equal(here.document.title, "42% training flat-0003 · LatticeLens");
  notice.show({ job: null, ended: [] });
  assert.equal(here.document.title, "LatticeLens");
});

test("the title tells of the end until somebody looks", () => {
  const here = window();
  const notice = new WindowNotice(here);
  notice.show(ENDED);
  notice.show({ job: null, ended: [] });
  assert.equal(here.document.title, "✓ flat-0003 finished · LatticeLens");
  here.dispatchEvent(new Event("focus"));
  assert.equal(here.document.title, "LatticeLens");
});

test("nobody is told of what they saw end, or of what took a moment", () => {
  const here = window();
  Notification.permission = "granted";
  const notice = new WindowNotice(here);
  notice.show({ job: null, ended: [{ text: "✓ documents exported", seconds: 30 }] });
  here.document.focus = true;
  notice.show(ENDED);
  assert.equal(here.document.title, "LatticeLens");
  assert.deepEqual(shown, []);
});

test("the system tells of the end only with leave", () => {
  const notice = new WindowNotice(window());
  notice.show(ENDED);
  assert.deepEqual(shown, []);
  Notification.permission = "granted";
  notice.show(ENDED);
  assert.deepEqual(shown, [["LatticeLens", "✓ flat-0003 finished", "latticelens ✓ flat-0003 finished"]]);
});

test("a browser without notifications, or one that makes none, still has its title", () => {
  for (const given of [{ Notification: undefined }, { Notification: Object.assign(() => { throw new TypeError("no"); }, { permission: "granted" }) }]) {
    const here = window(given);
    const notice = new WindowNotice(here);
    press(here, true);
    notice.show(ENDED);
    assert.equal(here.document.title, "✓ flat-0003 finished · LatticeLens");
  }
});

test("a person is asked once, when they first start long work", () => {
  const here = window();
  new WindowNotice(here);
  press(here, false);
  assert.equal(asked, 0);
  press(here, true);
  press(here, true);
  assert.equal(asked, 1);
  const later = window();
  new WindowNotice(later);
  press(later, true);
  assert.equal(asked, 1, "the answer is remembered, also a refusal");
});

test("who has answered before is not asked", () => {
  for (const permission of ["denied", "granted"]) {
    Notification.permission = permission;
    const here = window();
    new WindowNotice(here);
    press(here, true);
  }
  assert.equal(asked, 0);
});
