// Links of spans to a knowledge base, as {id, name?, source?}; see core/text/entity_link.py.

export const NIL = "NIL"; // the id that says: no entry

// Without empty parts, as the server writes it; null for none.
export const plainLink = (link) => (link ? Object.fromEntries(["id", "name", "source"].filter((part) => link[part]).map((part) => [part, link[part]])) : null);
export const linkKey = (link) => (link ? JSON.stringify(plainLink(link)) : "");
// To the same entry; a link that names no source may be of any.
export const sameLink = (a, b) => a.id === b.id && (a.id === NIL || !a.source || !b.source || a.source === b.source);
export const linkName = (say, link) => (link.id === NIL ? say("link.nil") : [link.name, link.id, link.source].filter(Boolean).join(" · "));
