import assert from "node:assert/strict";
import { test } from "node:test";

import { csvCell, csvTable } from "../../assets/scripts/page/downloads.js";
import { plainName, rowsOf } from "../../assets/scripts/widgets/figure.js";
import { crossed, thinned } from "../../assets/scripts/widgets/lazy_plot.js";
import { letters, signed } from "../../assets/scripts/widgets/reasons.js";
import { Chance, points } from "./samples.js";

// Reads what csvTable writes, by the rules of RFC 4180.
const parsed = (csv) => {
  const rows = [[]];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < csv.length; at += 1) {
    const sign = csv[at];
    if (quoted && sign === '"' && csv[at + 1] === '"') cell += csv[(at += 1)];
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === "," || sign === "\r")) {
      rows[rows.length - 1].push(cell);
      cell = "";
      if (sign === "\r") { rows.push([]); at += 1; }
    } else cell += sign;
  }
  return rows.slice(0, -1);
};

test("a table of cells can be read back whatever is in them", () => {
  const chance = new Chance(2);
  const rows = Array.from({ length: 60 }, () => Array.from({ length: 4 }, () => Array.from({ length: 6 }, () => chance.of(['"', ",", "\n", "\r\n", "青", "𠮷", "x", " "])).join("")));
  const csv = csvTable(["a", "b", "c", "d"], rows);
  assert.equal(csv[0], "\ufeff");
  const guarded = (cell) => (cell.startsWith("\r") ? `'${cell}` : cell);
  assert.deepEqual(parsed(csv.slice(1)), [["a", "b", "c", "d"], ...rows.map((row) => row.map(guarded))]);
});

test("no cell is a formula to a spreadsheet, and numbers stay numbers", () => {
  for (const formula of ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", "＠x"]) assert.match(csvCell(formula), /^"?'/);
  assert.deepEqual([-1.5, 0, null, undefined, NaN, "a-b"].map(csvCell), ["-1.5", "0", "", "", "", "a-b"]);
});

test("the name of a tick is what a person reads", () => {
  assert.equal(plainName("青<br>岛<br>市"), "青岛市");
  assert.equal(plainName("青岛<br>市南"), "青岛市南");
  assert.equal(plainName("LOC<br>12"), "LOC 12");
  assert.equal(plainName("a &lt;b&gt; &amp;lt;"), "a <b> &lt;");
  assert.equal(plainName(7), "7");
});

test("rows of a heatmap name its cells, rows of points name their ticks", () => {
  const layout = { xaxis: { tickmode: "array", tickvals: [0, 1], ticktext: ["青<br>岛", "b"] }, yaxis: {} };
  const heat = { layout, _fullData: [{ name: "head 1", z: [[0.1, 0.2], [0.3, 0.4]], x: [0, 1], y: ["p", "q"] }] };
  assert.deepEqual(rowsOf(heat), [["head 1", "青岛", "p", 0.1, ""], ["head 1", "b", "p", 0.2, ""], ["head 1", "青岛", "q", 0.3, ""], ["head 1", "b", "q", 0.4, ""]]);
  const dots = { layout, _fullData: [{ x: [1, 5], y: [2, 3], text: ["one"] }] };
  assert.deepEqual(rowsOf(dots), [["0", "b", 2, "", "one"], ["0", 5, 3, "", ""]]);
  const named = { layout, _fullData: [{ name: "&lt;b&gt;", x: [5], y: [2], text: ["F1<br>&lt;i&gt;"] }] };
  assert.deepEqual(rowsOf(named), [["<b>", 5, 2, "", "F1 <i>"]]);
});

test("rows name the ticks that a narrow page has taken away", () => {
  const all = { xaxis: { values: [0, 1, 2], names: ["a", "b", "c"] } };
  const plot = { layout: { xaxis: { tickmode: "array", tickvals: [0], ticktext: ["a"] }, meta: { ticks: all } }, _fullData: [{ x: [0, 1, 2], y: [5, 6, 7] }] };
  assert.deepEqual(rowsOf(plot).map(([, x]) => x), ["a", "b", "c"]);
});

test("names along an axis are thinned to those that have room, and all are kept aside", () => {
  const ticks = { tickmode: "array", tickvals: Array.from({ length: 100 }, (_, at) => at), ticktext: Array.from({ length: 100 }, (_, at) => `t${at}`) };
  for (const room of [60, 200, 400, 1000, 5000]) {
    const layout = thinned({ data: [], layout: { xaxis: ticks, meta: { own: 1 } } }, room);
    const shown = layout.xaxis.tickvals;
    assert.ok(shown.length === 1 || shown.length === 100 || 14 * shown.length <= room + 14, `${room}: ${shown.length}`);
    assert.deepEqual(layout.xaxis.ticktext, shown.map((at) => `t${at}`));
    assert.equal(layout.meta.ticks.xaxis.names.length, 100);
    assert.equal(layout.meta.own, 1);
  }
  assert.equal(thinned({ data: [], layout: { xaxis: ticks } }, 5000).xaxis.tickvals.length, 100);
});

test("a heatmap's cells are named by row and column", () => {
  assert.deepEqual(crossed({ z: 1, crossed: { rows: ["a", "b"], columns: ["x"] } }), { z: 1, customdata: [[["a", "x"]], [["b", "x"]]] });
  assert.deepEqual(crossed({ z: 1 }), { z: 1 });
});

test("a worth is told with its sign", () => {
  assert.deepEqual([0.5, -0.123, 0].map(signed), ["+0.50", "−0.12", "+0.00"]);
});

test("letters are what a reader sees, with the code points they stand for", () => {
  const text = new Chance(4).text(100);
  let at = 0;
  for (const { part, start, end } of letters(text)) {
    assert.equal(start, at);
    assert.equal(end - start, points(part).length);
    at = end;
  }
  assert.equal(at, points(text).length);
  assert.equal(letters("👩‍👩‍👧e\u0301").length, 2);
});
