import assert from "node:assert/strict";
import { test } from "node:test";

import { Controls, weightScale } from "../../assets/scripts/lattice/controls.js";
import { COARSE, FINE, arrange, breakLines, nameWidth } from "../../assets/scripts/lattice/geometry.js";
import { Attention, WordLinks } from "../../assets/scripts/lattice/links.js";
import { Note, weightText } from "../../assets/scripts/lattice/note.js";
import { latticeJson, latticeTable } from "../../assets/scripts/lattice/saving.js";
import { undrawn } from "./fakes.js";
import { Chance } from "./samples.js";

const TEXT = "南京市长江大桥";
const WORDS = [[0, 1], [0, 2], [2, 3], [3, 6], [5, 6]];
const value = (given = {}) => ({
  text: TEXT, characters: TEXT.length, tagger: "flat", kind: "",
  nodes: [...TEXT, ...WORDS.map(([head, tail]) => TEXT.slice(head, tail + 1))],
  head: [...[...TEXT].keys(), ...WORDS.map(([head]) => head)],
  tail: [...[...TEXT].keys(), ...WORDS.map(([, tail]) => tail)],
  frequency: [9, 3, null, 7, 1],
  spans: [{ start: 0, end: 3, head: 0, tail: 2, label: "LOC", score: 0.9, colour: "#111111", focus: true }],
  touches: Array.from({ length: 12 }, () => []),
  ...given,
});
const long = (seed) => {
  const chance = new Chance(seed);
  const characters = Array.from({ length: 90 }, () => chance.of(["青", "岛", "a", "1", "𠮷"]));
  const words = Array.from({ length: 60 }, () => chance.span(88, 6)).map(({ start, end }) => [start, end]);
  return {
    text: characters.join(""), characters: 90, nodes: [...characters, ...words.map(([head, tail]) => characters.slice(head, tail + 1).join(""))],
    head: [...characters.keys(), ...words.map(([head]) => head)], tail: [...characters.keys(), ...words.map(([, tail]) => tail)],
    spans: Array.from({ length: 8 }, () => chance.span(90, 12)).map((span) => ({ ...span, head: span.start, tail: span.end - 1 })),
  };
};

test("lines hold every character once and end before the edge", () => {
  for (const width of [120, 333, 900]) {
    const tokens = [...long(1).text];
    const lines = breakLines(tokens, FINE, width);
    let at = 0;
    for (const { first, last, x } of lines) {
      assert.equal(first, at);
      at = last + 1;
      assert.equal(x.length, last - first + 2);
      assert.ok(x[x.length - 1] <= width);
    }
    assert.equal(at, tokens.length);
  }
});

test("no word lies on another, each piece is over its characters, and a word has a piece in every line it reaches", () => {
  for (let seed = 0; seed < 10; seed += 1) {
    const given = long(seed);
    for (const size of [FINE, COARSE]) {
      const { boxes, lines, height } = arrange(given, 500, size, () => true, ({ label }) => label);
      const words = boxes.slice(given.characters);
      words.forEach((pieces, word) => {
        const [head, tail] = [given.head[given.characters + word], given.tail[given.characters + word]];
        assert.deepEqual([pieces[0].from, pieces[pieces.length - 1].to], [head, tail]);
        assert.equal(pieces.length, lines.filter(({ first, last }) => head <= last && first <= tail).length);
        pieces.forEach((piece, at) => assert.deepEqual([piece.openBefore, piece.openAfter], [at > 0, at < pieces.length - 1]));
      });
      const all = words.flat();
      all.forEach((one, at) => {
        assert.ok(one.top >= 0 && one.top + one.height < height);
        for (const other of all.slice(at + 1)) {
          const apart = one.right <= other.left || other.right <= one.left || one.top + one.height <= other.top || other.top + other.height <= one.top;
          assert.ok(apart);
        }
      });
    }
  }
});

test("a word inside another lies nearer the text, and what is not shown takes no room", () => {
  const whole = arrange(value(), 900, FINE, () => true, () => "LOC");
  const top = (node) => whole.boxes[node][0].top;
  assert.ok(top(7) > top(8)); // 南京 under 南京市
  const few = arrange(value(), 900, FINE, (node) => node === 7, () => "LOC");
  assert.deepEqual(few.boxes.slice(8), [[], [], [], []]);
  assert.ok(few.height < whole.height);
});

test("the name of a span has room under it", () => {
  const { spans } = arrange(value(), 900, FINE, () => true, () => "ORGANISATION .91");
  assert.ok(spans[0].right - spans[0].left >= nameWidth("ORGANISATION .91"));
  assert.equal(nameWidth("青a"), 4 + 12 + 7);
});

// What the server packs: 16-bit steps, little-endian, in base 64.
const packed = (steps) => btoa(String.fromCharCode(...new Uint8Array(new Uint16Array(steps).buffer)));

test("attention is unpacked row by row, and its links are the strongest first in both directions", () => {
  const chance = new Chance(3);
  const [queries, keys] = [4, 6];
  const steps = Array.from({ length: queries * keys }, () => chance.below(65536));
  const matrix = new Attention({ layer: 0, head: 1, queries, keys, scale: 1 / 65535, weights: packed(steps) });
  for (let query = 0; query < queries; query += 1) {
    for (let key = 0; key < keys; key += 1) assert.equal(matrix.weight(query, key), steps[query * keys + key] / 65535);
  }
  const { out, into } = matrix.links(2);
  assert.deepEqual(out.map(({ node }) => node).sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(into.map(({ node, weight }) => weight === matrix.weight(node, 2)), Array(4).fill(true));
  for (const links of [out, into]) for (let at = 1; at < links.length; at += 1) assert.ok(links[at - 1].weight >= links[at].weight);
  assert.deepEqual(matrix.links(5).out, []);
  assert.deepEqual([matrix.silent(5), matrix.silent(0)], [{ out: "no_out", into: "" }, { out: "", into: "" }]);
  assert.equal(matrix.telling, 2 / 6);
});

test("words are tied to the characters that take them in", () => {
  const links = new WordLinks([[7, 0, 0.2, "begins"], [7, 1, 0.9, "ends"], [8, 1, 0.4, "inside"]], 9, 7);
  assert.deepEqual(links.links(7).out.map(({ node }) => node), [1, 0]);
  assert.deepEqual(links.links(1).into.map(({ node, kind }) => [node, kind]), [[7, "ends"], [8, "inside"]]);
  assert.deepEqual([links.strength(7), links.strength(1), links.largest], [0.9, 0, 0.9]);
});

test("the slider of weights runs over their logarithm and comes back where it was", () => {
  for (const largest of [0.001, 0.04, 1]) {
    const scale = weightScale(largest);
    assert.equal(scale.weight(0), 0);
    assert.ok(Math.abs(scale.weight(100) - largest) < 1e-9);
    for (let position = 0; position <= 100; position += 1) {
      assert.equal(scale.position(scale.weight(position)), position);
      if (position) assert.ok(scale.weight(position) > scale.weight(position - 1));
    }
    assert.equal(scale.position(2 * largest), 100);
  }
});

test("the choices fit the sentence: those that exist stay, and words are shown by length and frequency", () => {
  const controls = undrawn(Controls, { chosen: { source: "gone", layer: 3, head: 2, direction: "both", length: 9, frequency: 99, weight: 0 } });
  controls.fit(value({ attention: { layer: 0, head: -1 }, kind: "gate" }), { fresh: true, larger: true });
  assert.deepEqual([controls.sources, controls.lengths, controls.chosen.source, controls.chosen.length], [["attention", "gate"], [2, 3, 4], "attention", 2]);
  controls.chosen.length = 3;
  assert.deepEqual([7, 8, 10].map((node) => controls.shows(node)), [false, true, true]);
  assert.equal(controls.shows(0), true);
  controls.chosen.frequency = 5;
  assert.deepEqual([8, 10].map((node) => controls.shows(node)), [false, true]);
});

test("what is said of a node names the strongest ties and how many are left out", () => {
  const say = (key, values = {}) => `${key}${Object.values(values).map((one) => ` ${one}`).join("")}`;
  const note = undrawn(Note, { say });
  const links = Array.from({ length: 8 }, (_, node) => ({ node, weight: 0.5 - 0.05 * node, kind: "" }));
  assert.match(note.sentence(value(), "out", links, {}), /^row out 南 0\.50 · 京 0\.45 .* more 2$/);
  assert.equal(note.sentence(value(), "out", [], { best: links[0], least: 0.6 }), "row out none 0.60 南 0.50");
  assert.equal(note.sentence(value(), "out", [], { silent: "no_out" }), "row out no_out");
  assert.deepEqual([0, 0.0995, 0.099, 0.5].map(weightText), ["0", "0.10", "0.099", "0.50"]);
});

test("a saved lattice has a row for every node and every tie, also as JSON", () => {
  const links = [{ from: 7, to: 0, weight: 0.12345678, kind: "begins" }];
  const lines = latticeTable(value(), "attention", links).trim().split("\r\n");
  assert.equal(lines.length, 1 + 12 + 1);
  assert.match(lines[13], /^attention,7,南京,0,1,,,0,南,0\.123457,begins$/);
  const read = JSON.parse(latticeJson(value(), "attention", links, { layer: 0, head: -1, weight: 0 }, 7));
  assert.deepEqual([read.nodes.length, read.links[0].weight, read.view.node], [12, 0.123457, 7]);
});

test("a text that runs from right to left begins at the right, its words and names too", () => {
  const given = value({
    text: "שלום IBM עולם", nodes: ["שלום", "IBM", "עולם", "שלום IBM"], characters: 3, head: [0, 1, 2, 0], tail: [0, 1, 2, 1],
    spans: [{ start: 0, end: 4, head: 0, tail: 0, label: "ORG", score: 0.9, colour: "#111111", focus: false }], touches: [[0], [], [], [0]],
  });
  const { boxes, spans } = arrange(given, 500, FINE, () => true, () => "ORGANISATION .91");
  const [[first], [second], [third], [word]] = boxes;
  assert.ok(third.right <= second.left && second.right <= first.left && first.right <= 500);
  assert.deepEqual([word.left, word.right], [second.left + 1, first.right - 1]);
  assert.deepEqual(spans[0].bar, { left: first.left + 1, right: first.right - 1 });
  assert.ok(spans[0].right === first.right - 1 && spans[0].right - spans[0].left >= nameWidth("ORGANISATION .91"));
  const narrow = arrange(given, 120, FINE, () => true, () => "ORG").boxes[3];
  assert.deepEqual(narrow.map((piece) => [piece.openBefore, piece.openAfter]), [[false, true], [true, false]]);
  assert.ok(narrow[0].left < narrow[0].right && narrow[1].right > 120 - 8, "an open end runs out where the line does");
});
