// A line of things to send, so that nothing is lost: one call in flight, each item kept in this browser's storage until the
// server has answered, and tried again after ever longer pauses, or when the server says. Each carries an id, so that one sent
// twice applies once.

import { UNREACHABLE } from "../../page/session.js";
import { store, storedJson, storedKeys } from "../../page/storage.js";

export const RETRY_SECONDS = [0.5, 1, 2, 4, 8, 15];

export const freshId = () =>
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Who extends it has next() -> the item to send now, if any; send(item) -> promise of an answer; acknowledge(item, answer);
// isWhole(item): whether an item from storage is valid.
export class SendingLine {
  constructor(prefix) {
    this.prefix = prefix;
    this.scope = "";
    this.waiting = []; // in order; the first may be in flight
    this.flying = null;
    this.failures = 0;
    this.resting = false; // until the timer; not its number, which is 0 in a closed page, where no timer ever ends
    this.timer = null;
    window.addEventListener("beforeunload", (event) => {
      if (this.unsent) event.preventDefault();
    });
    window.addEventListener("online", () => this.retry());
  }

  get unsent() {
    return this.waiting.length > 0;
  }

  // Items left in storage by an earlier page are sent first, with their ids.
  begin(scope) {
    if (scope === this.scope) return;
    this.scope = scope;
    this.waiting = this.waiting.filter((item) => item.scope === scope);
    for (const key of storedKeys(`${this.prefix}.${scope}.`)) {
      const item = storedJson(key);
      if (item && this.isWhole(item) && !this.waiting.some((other) => other.key === key)) this.waiting.push({ ...item, key });
    }
    this.waiting.sort((a, b) => a.at - b.at);
    this.pump();
  }

  // Later than all that waits, even where the clock has been turned back.
  now() {
    return Math.max(Date.now(), (this.waiting[this.waiting.length - 1]?.at ?? 0) + 1);
  }

  add(item) {
    this.waiting.push(item);
    this.keep(item);
    this.pump();
  }

  // Where nothing can be stored the item lives in this page, which warns before it closes.
  keep(item) {
    store(item.key, JSON.stringify(item));
  }

  forget(item) {
    this.waiting = this.waiting.filter((other) => other !== item);
    store(item.key, null);
  }

  retry() {
    clearTimeout(this.timer);
    this.resting = false;
    this.pump();
  }

  async pump() {
    if (this.flying || this.resting) return;
    const item = this.next();
    if (!item) return;
    this.flying = item;
    let answer = null;
    try {
      answer = await this.send(item);
    } catch {
      // Told like no answer.
    }
    this.flying = null;
    this.acknowledge(item, answer ?? UNREACHABLE);
    this.pump();
  }

  // The item has arrived, or never will.
  close(item) {
    this.failures = 0;
    this.forget(item);
  }

  // asked: in how many seconds the server takes it, where it said so.
  later(asked) {
    const seconds = asked || RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)];
    this.failures += 1;
    this.resting = true;
    this.timer = setTimeout(() => this.retry(), seconds * 1000);
  }
}
