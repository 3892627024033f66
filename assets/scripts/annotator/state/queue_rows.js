// The part of the queue that is loaded, and where the person is in it.

export class QueueRows {
  // fetch(rows) -> promise of {ok, rows, total}: what follows these rows; isSaving(id): an edit of the document is on its way.
  constructor(fetch, isSaving = () => false) {
    this.fetch = fetch;
    this.isSaving = isSaving;
    this.asked = 0;
    this.coming = null;
    this.clear();
  }

  clear() {
    this.rows = [];
    this.total = null; // nothing is known of the list yet
    this.uncounted = false; // whether there are more than `total`: of a large project not all are counted
    this.own = null; // of a list handed to the person: how many, how many done
    this.marked = new Map(); // what has been marked, by document, and an answer on its way may not know
  }

  // Reads from the beginning, or what follows. Answers true where this is what the list shows now: a newer question may be on its
  // way, and `accept(answer)` may say no.
  load(append, accept = () => true) {
    this.coming = this.read(append, accept);
    return this.coming;
  }

  async read(append, accept) {
    const asked = (this.asked += 1);
    this.marked = new Map([...this.marked].filter(([id]) => this.isSaving(id)));
    const answer = await this.fetch(append ? this.rows : []);
    if (asked !== this.asked || !answer?.ok || !accept(answer)) return false;
    const known = new Set(append ? this.rows.map(({ id }) => id) : []);
    this.rows = append ? [...this.rows, ...answer.rows.filter(({ id }) => !known.has(id))] : answer.rows;
    this.total = answer.total;
    this.uncounted = answer.more === true;
    this.own = answer.own;
    for (const [id, changes] of this.marked) this.mark(id, changes);
    return true;
  }

  get more() {
    return this.uncounted || this.rows.length < this.total;
  }

  // What is known now of one document, whose status was `before` where it is not listed; whether anything changed.
  mark(id, changes, before) {
    this.marked.set(id, { ...this.marked.get(id), ...changes });
    const row = this.rows.find((other) => other.id === id);
    const was = row?.status ?? before;
    const newly = (status) => (this.own && changes.status && was ? (changes.status === status) - (was === status) : 0);
    const [more, ignored] = [newly("done"), newly("ignored")];
    if (more) this.own.done += more;
    if (ignored) this.own.handed -= ignored; // nothing is left to do there
    if (!row || Object.entries(changes).every(([name, value]) => row[name] === value)) return more !== 0 || ignored !== 0;
    Object.assign(row, changes);
    return true;
  }

  // The neighbour of a document that is `wanted(row)`, null at the ends. `ask()` finds it where the loaded rows do not have it:
  // beyond their end, and for a document that is not among them.
  async beside(id, step, ask, wanted = () => true) {
    await this.coming; // somebody may be quicker than the list
    const at = this.rows.findIndex((row) => row.id === id);
    if (at < 0) return ask();
    let there = at + step;
    while (this.rows[there] && !wanted(this.rows[there])) there += step;
    if (this.rows[there]) return this.rows[there].id;
    return step > 0 && this.more ? ask() : null;
  }
}
