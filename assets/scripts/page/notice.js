// What the window says of long work while nobody looks: its share in the title, its end in the title and, for what took long,
// in a notification of the system.

import { store, stored } from "./storage.js";
import { wholePercent } from "../text/percent.js";

export const LONG_SECONDS = 30;
const ASKED = "latticelens.notify"; // whether the person was asked for notifications; they are asked once

export class WindowNotice {
  // window and its document are given for tests.
  constructor(window) {
    this.window = window;
    this.title = window.document.title;
    this.told = ""; // what ended while nobody looked
    this.job = null;
    window.addEventListener("focus", () => this.seen());
    window.document.addEventListener("visibilitychange", () => !window.document.hidden && this.seen());
    // Browsers take a request only from a press, so the press that starts long work carries it.
    window.document.addEventListener("click", ({ target }) => target.closest?.(".ll-long") && this.ask(), true);
  }

  // status: { job: { name, fraction } or null, ended: [{ text, seconds }] }
  show({ job, ended }) {
    this.job = job;
    for (const { text } of (ended ?? []).filter(({ seconds }) => seconds > LONG_SECONDS)) this.end(text);
    this.draw();
  }

  end(text) {
    if (this.window.document.hasFocus()) return;
    this.told = text;
    const { Notification } = this.window;
    if (Notification?.permission !== "granted") return;
    try {
      // Several tabs tell of the same end: the system shows one.
      new Notification(this.title, { body: text, tag: `latticelens ${text}` });
    } catch {
      // Phones have the name but no way to make one without a service worker.
    }
  }

  seen() {
    this.told = "";
    this.draw();
  }

  draw() {
    const percent = this.job ? `${wholePercent(this.job.fraction)}% ${this.job.name}` : "";
    const title = [this.told || percent, this.title].filter(Boolean).join(" · ");
    if (this.window.document.title !== title) this.window.document.title = title;
  }

  ask() {
    const { Notification } = this.window;
    if (!Notification?.requestPermission || Notification.permission !== "default" || stored(ASKED)) return;
    store(ASKED, "asked");
    Notification.requestPermission();
  }
}
