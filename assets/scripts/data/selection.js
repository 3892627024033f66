// Which rows of a list are ticked: some by their ids, across its pages, or all that match its filter.

export class Selection {
  constructor() {
    this.clear();
  }

  clear() {
    this.ids = new Set();
    this.all = false;
    this.last = null;
  }

  // How many of `total`.
  count(total) {
    return this.all ? total : this.ids.size;
  }

  has(id) {
    return this.all || this.ids.has(id);
  }

  // One row, or with `range` everything from the row that was ticked last to this one. rows: ids in their order.
  tick(id, on, rows, range = false) {
    const from = range && this.last !== null ? rows.indexOf(this.last) : -1;
    const at = rows.indexOf(id);
    const these = from >= 0 && at >= 0 ? rows.slice(Math.min(from, at), Math.max(from, at) + 1) : [id];
    this.tickAll(these, on, rows);
    this.last = id;
  }

  // Of all that match, taking one away leaves the others of this page.
  tickAll(these, on, rows) {
    if (this.all && !on) this.ids = new Set(rows);
    this.all = this.all && on;
    for (const id of these) this.ids[on ? "add" : "delete"](id);
  }

  tickEverything() {
    this.ids = new Set();
    this.all = true;
  }
}
