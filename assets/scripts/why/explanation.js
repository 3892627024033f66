// Asks why a tagger predicts a span, or not; the answer comes in parts, and the next question ends it.

export const ASK_AGAIN_AFTER = 250; // ms

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

export class Explanation {
  // options: send(payload) -> what the server function explain_span answers; begun(answer) with the first answer, part(part)
  // for each part, ended(trouble) once all are there: "" or what went wrong, null where the app does not answer.
  constructor(options) {
    this.options = options;
    this.asked = 0;
    this.running = null; // the question under way, with the number of its task
  }

  async ask(question) {
    const { send, begun, part, ended } = this.options;
    const asked = (this.asked += 1);
    this.running = null;
    let given = 0;
    let answer = await send(question);
    if (asked !== this.asked) return;
    if (answer.ok) begun(answer);
    for (;;) {
      if (!answer.ok) return ended(answer.message ?? null);
      answer.parts.forEach(part);
      given += answer.parts.length;
      this.running = answer.running ? { ...question, task: answer.task, given } : null;
      if (!answer.running) return ended(answer.trouble);
      await pause(ASK_AGAIN_AFTER);
      if (asked !== this.asked) return;
      answer = await send(this.running);
      if (asked !== this.asked) return;
    }
  }

  // Nothing more is wanted.
  stop() {
    this.asked += 1;
    if (this.running) this.options.send({ ...this.running, stop: true });
    this.running = null;
  }
}
