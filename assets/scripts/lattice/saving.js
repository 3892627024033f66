// The lattice and the ties in view as files. A picture is drawn again from the data.

import { csvTable } from "../page/downloads.js";
import { FONT, IN_FILE, SVG, shape } from "./board.js";
import { EDGE } from "./geometry.js";

const COLUMNS = [
  "part", "node", "surface", "head", "tail", "frequency", "entities", "other", "other_surface", "weight", "kind",
];

const nodeRows = (value) =>
  value.nodes.map((surface, at) => [
    at < value.characters ? "character" : "word", at, surface, value.head[at], value.tail[at],
    value.frequency?.[at - value.characters] ?? null,
    value.touches[at].map((order) => value.spans[order].label).join(" "),
    null, null, null, null,
  ]);

// links: [{from, to, weight, kind}]
const linkRows = (value, source, links) =>
  links.map(({ from, to, weight, kind }) => [
    source, from, value.nodes[from], value.head[from], value.tail[from], null, null, to, value.nodes[to],
    Number(weight.toFixed(6)), kind,
  ]);

export const latticeTable = (value, source, links) =>
  csvTable(COLUMNS, [...nodeRows(value), ...linkRows(value, source, links)]);

export const latticeJson = (value, source, links, chosen, held) =>
  JSON.stringify(
    {
      figure: "lattice",
      tagger: value.tagger,
      text: value.text,
      nodes: value.nodes.map((surface, at) => ({
        surface, head: value.head[at], tail: value.tail[at], frequency: value.frequency?.[at - value.characters] ?? null,
      })),
      characters: value.characters,
      spans: value.spans.map(({ start, end, label, score }) => ({ start, end, label, score })),
      view: { source, layer: chosen.layer, head: chosen.head, least_weight: chosen.weight, node: held },
      links: links.map((link) => ({ ...link, weight: Number(link.weight.toFixed(6)) })),
    },
    null,
    1,
  );

// The board on a ground of its own, with lines of text over it: [[colour, text]].
export const latticeSvg = (board, captions) => {
  const { width, height } = board.scene;
  const top = 12 + 20 * captions.length;
  const whole = shape("svg", { xmlns: SVG, width, height: height + top, viewBox: `0 0 ${width} ${height + top}` });
  whole.append(shape("rect", { width, height: height + top, fill: IN_FILE.ground }));
  captions.forEach(([fill, caption], row) => {
    const place = { x: EDGE, y: 20 + 20 * row, "font-family": FONT, "font-size": 13, fill };
    whole.append(shape("text", place, caption));
  });
  board.svg.setAttribute("y", String(top));
  whole.append(board.svg);
  return new XMLSerializer().serializeToString(whole);
};

export const pngOf = async (drawing) => {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
};
