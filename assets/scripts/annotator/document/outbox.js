// What is sent beside the saves of the open document: comments and edits of other documents. One after the other, kept in
// this browser's storage until the server has answered, and applied once because each carries an id.

import { RETRY_SECONDS, freshId } from "./saving.js";

const WAITING = "latticelens.outbox";

export class Outbox {
  // options: send(name, payload) -> promise of an answer, token(), done(order, answer), failed(answer), refused(answer, order)
  constructor(options) {
    this.options = options;
    this.scope = "";
    this.waiting = [];
    this.flying = null;
    this.failures = 0;
    this.timer = null;
    window.addEventListener("beforeunload", (event) => {
      if (this.waiting.length) event.preventDefault();
    });
    window.addEventListener("online", () => this.retry());
  }

  begin(scope) {
    if (scope === this.scope) return;
    this.scope = scope;
    this.waiting = [...this.waiting.filter((order) => order.scope === scope), ...this.stored()];
    this.waiting.sort((a, b) => a.at - b.at);
    this.pump();
  }

  // Returns the order, with the id under which the server will know it.
  put(name, payload) {
    const last = this.waiting[this.waiting.length - 1];
    const order = { scope: this.scope, name, payload: { client_edit: freshId(), ...payload }, at: Math.max(Date.now(), (last?.at ?? 0) + 1) };
    order.key = `${WAITING}.${order.scope}.${order.payload.client_edit}`;
    this.waiting.push(order);
    try {
      localStorage.setItem(order.key, JSON.stringify(order));
    } catch (error) {
      // Storage is full or forbidden: the order lives in this page, which warns before it closes.
    }
    this.pump();
    return order;
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.pump();
  }

  async pump() {
    const [order] = this.waiting;
    if (this.flying || this.timer || !order) return;
    this.flying = order;
    let answer;
    try {
      answer = await this.options.send(order.name, { ...order.payload, session: this.options.token() });
    } catch (error) {
      answer = { ok: false, code: "unreachable" };
    }
    this.flying = null;
    this.settle(order, answer ?? { ok: false, code: "unreachable" });
    this.pump();
  }

  settle(order, answer) {
    if (answer.ok || answer.code === "invalid") {
      this.failures = 0;
      this.forget(order);
      if (answer.ok) this.options.done(order, answer);
      else this.options.refused(answer, order);
      return;
    }
    const seconds = RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.retry(), seconds * 1000);
    this.options.failed(answer);
  }

  forget(order) {
    this.waiting = this.waiting.filter((other) => other !== order);
    try {
      localStorage.removeItem(order.key);
    } catch (error) {
      // Nothing was stored then either.
    }
  }

  stored() {
    const orders = [];
    try {
      for (const key of Object.keys(localStorage).filter((name) => name.startsWith(`${WAITING}.${this.scope}.`))) {
        const order = JSON.parse(localStorage.getItem(key));
        const known = this.waiting.some((other) => other.key === key);
        if (!known && order && typeof order.name === "string" && typeof order.payload === "object") orders.push({ ...order, key });
      }
    } catch (error) {
      // Unreadable storage holds nothing that could be sent.
    }
    return orders;
  }
}
