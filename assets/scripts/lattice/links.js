// Whom a node is tied to, and how strongly: attention weights, or the words that enter characters.
// Both answer links(node) with {out, into}: lists of {node, weight, kind}, strongest first; and silent(node) with
// why a direction can have none: the key of a sentence, null where it is not worth a word, "" where it can.

const strongestFirst = (links) => links.sort((a, b) => b.weight - a.weight || a.node - b.node);

export class Attention {
  // One matrix as the server packs it: 16-bit steps of `scale`, row by row.
  constructor({ layer, head, queries, keys, scale, weights }) {
    Object.assign(this, { layer, head, queries, keys, scale });
    const packed = atob(weights);
    const bytes = new Uint8Array(packed.length);
    for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
    this.steps = new Uint16Array(bytes.buffer); // little-endian, as every machine with a browser
  }

  weight(query, key) {
    return this.steps[query * this.keys + key] * this.scale;
  }

  get largest() {
    return 65535 * this.scale;
  }

  silent(node) {
    return { out: node < this.queries ? "" : "no_out", into: node < this.keys ? "" : "no_into" };
  }

  links(node) {
    const out = node < this.queries
      ? Array.from({ length: this.keys }, (_, key) => ({ node: key, weight: this.weight(node, key), kind: "" }))
      : [];
    const into = node < this.keys
      ? Array.from({ length: this.queries }, (_, query) => ({ node: query, weight: this.weight(query, node), kind: "" }))
      : [];
    return { out: strongestFirst(out), into: strongestFirst(into) };
  }

  // Twice what every node would get if all got the same: the links that say something.
  get telling() {
    return this.keys ? 2 / this.keys : 0;
  }
}

export class WordLinks {
  // links: [[word, character, weight, kind]]; a word goes out to the characters that take it in.
  constructor(links, nodes, characters) {
    this.out = Array.from({ length: nodes }, () => []);
    this.into = Array.from({ length: nodes }, () => []);
    this.characters = characters;
    this.largest = 0;
    for (const [word, character, weight, kind] of links) {
      this.out[word].push({ node: character, weight, kind });
      this.into[character].push({ node: word, weight, kind });
      this.largest = Math.max(this.largest, weight);
    }
  }

  silent(node) {
    return node < this.characters ? { out: this.out[node].length ? "" : null, into: "" } : { out: "", into: null };
  }

  links(node) {
    return { out: strongestFirst([...this.out[node]]), into: strongestFirst([...this.into[node]]) };
  }

  // The strongest link of a word: how full its bar is drawn.
  strength(node) {
    return this.out[node].reduce((most, link) => Math.max(most, link.weight), 0);
  }

  get telling() {
    return 0;
  }
}
