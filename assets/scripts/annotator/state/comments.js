// Comments on a document and on stretches of it, as plain values.

const isSettled = ({ resolved, trashed }) => resolved || trashed;
const STATES = { open: { resolved: false }, resolved: { resolved: true }, trashed: { trashed: true }, restored: { trashed: false } };

export const openOnes = (comments) => comments.filter((comment) => !isSettled(comment));

// The comments as they will be once the orders on their way have arrived.
export const withWaiting = (known, orders, document) => {
  const shown = known.map((comment) => ({ ...comment }));
  for (const { name, payload } of orders.filter((order) => order.payload.document === document)) {
    if (name === "add_comment") shown.push({ ...payload, id: payload.client_edit, user: "", at: null, resolved: false, trashed: false, unsent: true });
    const comment = name === "set_comment" && shown.find((other) => other.id === payload.comment);
    if (comment) Object.assign(comment, STATES[payload.state]);
  }
  return shown;
};

// How many belong to each mark: to the one on their stretch, else to the one that shares most of it.
export const countsByMark = (comments, marks) => {
  const counts = new Map();
  for (const { start, end, label } of comments) {
    if (start === null || start === undefined) continue;
    const shared = (mark) => Math.min(mark.end, end) - Math.max(mark.start, start);
    const spread = (mark) => Math.max(mark.end, end) - Math.min(mark.start, start);
    const fit = (mark) => shared(mark) / spread(mark) + (mark.label === label ? 1e-3 : 0);
    const near = marks.filter((mark) => shared(mark) > 0).sort((a, b) => fit(b) - fit(a))[0];
    if (near) counts.set(near, (counts.get(near) ?? 0) + 1);
  }
  return counts;
};
