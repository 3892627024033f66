import assert from "node:assert/strict";
import { test } from "node:test";

import { markdownParts } from "../../assets/scripts/text/markdown.js";

const inline = (text) => {
  const [part, ...more] = markdownParts(text);
  assert.deepEqual([part.tag, more], ["p", []]);
  return part.children;
};
const em = (...children) => ({ tag: "em", children });
const strong = (...children) => ({ tag: "strong", children });

test("a guideline is headings, paragraphs and lists, with a list inside an item", () => {
  const text = "# 人名 #\n说明\n第二行\n\n- 姓\n  1. 单姓\n  2. 复姓\n- 名\n\n1、甲\n2、乙\nend";
  assert.deepEqual(markdownParts(text), [
    { tag: "h4", children: ["人名"] },
    { tag: "p", children: ["说明", { tag: "br" }, "第二行"] },
    { tag: "ul", children: [
      { tag: "li", children: ["姓", { tag: "ol", start: "1", children: [{ tag: "li", children: ["单姓"] }, { tag: "li", children: ["复姓"] }] }] },
      { tag: "li", children: ["名"] },
    ] },
    { tag: "ol", start: "1", children: [{ tag: "li", children: ["甲"] }, { tag: "li", children: ["乙"] }] },
    { tag: "p", children: ["end"] },
  ]);
});

test("quotes, code, tables and rules are blocks of their own", () => {
  const parts = markdownParts("> a\n> b\n```py\n# no *heading*\n```\n| A | B |\n|---|:-:|\n| 1 | **2** |\n---\n");
  assert.deepEqual(parts.map(({ tag }) => tag), ["blockquote", "pre", "table", "hr"]);
  assert.deepEqual(parts[1].children, [{ tag: "code", children: ["# no *heading*"] }]);
  assert.deepEqual(parts[2].children[1].children[0].children[1], { tag: "td", children: [strong("2")] });
});

test("emphasis, code and escapes inside a line", () => {
  assert.deepEqual(inline("标注*人名*和**地名**。"), ["标注", em("人名"), "和", strong("地名"), "。"]);
  assert.deepEqual(inline("**a *b* c** `*d*` \\*e\\*"), [strong("a ", em("b"), " c"), " ", { tag: "code", children: ["*d*"] }, " *e*"]);
  assert.deepEqual(inline("2 * 3 * 4, snake_case_name, *open and **open"), ["2 * 3 * 4, snake_case_name, *open and **open"]);
});

test("only web and mail addresses are links", () => {
  const [link, , auto] = inline("[a **b**](https://x.org/a?b=1) https://y.org/z。");
  assert.deepEqual(link, { tag: "a", href: "https://x.org/a?b=1", children: ["a ", strong("b")] });
  assert.deepEqual(auto, { tag: "a", href: "https://y.org/z", children: ["https://y.org/z"] });
  for (const address of ["javascript:alert", "data:text/html,x", "//evil.org", "JaVaScRiPt:x", "file:///etc"]) {
    assert.deepEqual(inline(`[x](${address})`), [`[x](${address})`]);
  }
});

test("HTML stays text and an image is its description: nothing is loaded", () => {
  const tags = (parts) => parts.flatMap((part) => (typeof part === "string" ? [] : [part.tag, ...tags(part.children ?? [])]));
  const text = '<script>alert(1)</script>\n\n<img src=x onerror="x">\n\n![cat](https://evil.org/cat.png)\n\n<iframe></iframe>';
  assert.deepEqual(new Set(tags(markdownParts(text))), new Set(["p", "i"]));
  assert.deepEqual(inline("![cat](https://evil.org/cat.png)"), [{ tag: "i", children: ["[cat]"] }]);
});

test("a long hostile text is read in a moment", () => {
  const hostile = ["[", "`", "*", "_ ", "> ", "- ", "|-", "# a ", "![", "\\", " ", "[a](", "1. ", "**a", "~~~"];
  const began = performance.now();
  for (const piece of hostile) markdownParts(piece.repeat(100_000 / piece.length));
  for (const piece of hostile) markdownParts(`${piece}\n`.repeat(20_000));
  for (const piece of hostile) markdownParts(`# a${" ".repeat(50_000)}${piece}b`);
  assert.ok(performance.now() - began < 30_000); // quadratic, it would be many minutes
});
