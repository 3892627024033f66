// The queue of comments and bulk edits to send.

import { SendingLine, freshId } from "./sending.js";

export class Outbox extends SendingLine {
  // options: send(name, payload) -> promise of an answer, done(order, answer), failed(answer), refused(answer, order)
  constructor(options) {
    super("latticelens.outbox");
    this.options = options;
  }

  // Returns the order, with the id under which the server will know it.
  put(name, payload) {
    const order = { scope: this.scope, name, payload: { client_edit: freshId(), ...payload }, at: this.now() };
    order.key = `${this.prefix}.${order.scope}.${order.payload.client_edit}`;
    this.add(order);
    return order;
  }

  next() {
    return this.waiting[0];
  }

  send({ name, payload }) {
    return this.options.send(name, payload);
  }

  acknowledge(order, answer) {
    if (answer.ok || answer.code === "invalid") {
      this.close(order);
      if (answer.ok) this.options.done(order, answer);
      else this.options.refused(answer, order);
    } else {
      this.later(answer.seconds);
      this.options.failed(answer);
    }
  }

  isWhole({ name, payload }) {
    return typeof name === "string" && typeof payload === "object";
  }
}
