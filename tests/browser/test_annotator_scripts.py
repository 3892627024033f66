"""Every script: marks lie under the letters they are about, and what is selected has Python's offsets."""

from __future__ import annotations

import pytest

from core.text import Span
from tests.browser.annotator_backend import backend_of
from tests.browser.gestures import drag, found, keys, place, saved, select, visit
from tests.sweep import sweep

pytestmark = pytest.mark.browser

FAMILY, THUMB, FLAG = (
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "\U0001f44d\U0001f3fd",
    "\U0001f1e8\U0001f1f3",
)
TEXTS = {
    "hebrew": "ראש הממשלה דוד בן גוריון נולד בפלונסק.",
    "mixed": "沈知微 works at חברת אלון in 青岛 since 2011.",
    "indic": "प्रधानमंत्री श्री नरेंद्र ने दिल्ली में कहा।",
    "emoji": f"{FAMILY}王{THUMB}在{FLAG}北京\U00020bb7",
    "lines": "第一行。\r\n第二行在青岛。\n\nThird line.\r\n",
}
# The strokes of a mark and the letters of a stretch, as stretches of pixels by visual line.
DRAWN = """([start, end, key]) => {
  const text = document.querySelector(".lla-desk .lla-text");
  const letters = text.firstChild;
  const range = document.createRange();
  range.setStart(letters, start); range.setEnd(letters, end);
  const rects = [...range.getClientRects()].filter((rect) => rect.width);
  const lines = document.querySelectorAll(`.lla-desk [data-key="${key}"] .lla-line`);
  const strokes = [...lines].map((line) => line.getBoundingClientRect());
  const covered = (list) => {
    const pixels = new Set();
    for (const box of list) for (let x = Math.round(box.left); x < Math.round(box.right); x += 1) {
      pixels.add(`${Math.round((box.line ?? 0))}:${x}`);
    }
    return pixels;
  };
  const nearer = (y) => (best, { bottom }) => (Math.abs(bottom - y) < Math.abs(best - y) ? bottom : best);
  const lineOf = (y) => rects.reduce(nearer(y), 1e9);
  const want = covered(rects.map((rect) => ({ left: rect.left, right: rect.right, line: rect.bottom })));
  const have = covered(strokes.map(({ left, right, top }) => ({ left, right, line: lineOf(top) })));
  const beside = [...have].filter((pixel) => !want.has(pixel)).length;
  const missing = [...want].filter((pixel) => !have.has(pixel)).length;
  return { beside, missing, rects: rects.length, strokes: strokes.length };
}"""


def units(text: str, point: int) -> int:
    return len(text[:point].encode("utf-16-le")) // 2


@pytest.mark.parametrize("name", sweep(TEXTS, ["mixed", "emoji"]))
@pytest.mark.exhaustive
def test_a_mark_is_drawn_under_its_letters_and_no_others(page, serving, name):
    text = TEXTS[name]
    third = len(text) // 3
    spans = [Span(at, at + third, label) for at, label in ((0, "NAME"), (third, "ORG"), (2 * third, "LOC"))]
    visit(page, serving(backend_of(text, *spans)))
    page.wait_for_selector(".lla-bar")
    for span in spans:
        key = f"person:{span.start}:{span.end}:{span.label}"
        seen = page.evaluate(DRAWN, [units(text, span.start), units(text, span.end), key])
        assert seen["strokes"] >= 1
        # A stroke begins and ends one pixel inside the outermost letters.
        assert seen["beside"] <= seen["strokes"], seen
        assert seen["missing"] <= 3 * max(seen["strokes"], seen["rects"]), seen


@pytest.mark.parametrize("name", sweep(["mixed", "emoji", "lines"], ["mixed"]))
@pytest.mark.exhaustive
def test_what_is_selected_has_the_offsets_of_python(page, serving, name):
    text = TEXTS[name]
    start, end = len(text) // 4, len(text) // 4 + 5
    server = visit(page, serving(backend_of(text)))
    select(page, units(text, start), units(text, end))
    page.wait_for_timeout(80)
    keys(page, "1")
    saved(page)
    (span,) = server.backend.spans[1]
    chosen = text[start:end].strip()
    assert chosen in text[span.start : span.end]  # whole characters, so perhaps a little more
    assert span.start <= text.index(chosen, start)
    assert span.end - span.start <= len(chosen) + 8


@pytest.mark.exhaustive
def test_a_drag_that_ends_inside_a_sign_takes_all_of_it(page, serving):
    sign = FAMILY
    text = f"甲乙{sign}丙丁"
    server = visit(page, serving(backend_of(text)))
    select(page, 1, 2 + max(1, len(sign.encode("utf-16-le")) // 2 - 1))
    page.wait_for_timeout(80)
    keys(page, "1")
    saved(page)
    assert found(server.backend) == [(1, 2 + len(sign), "NAME")]


@pytest.mark.exhaustive
def test_each_paragraph_is_read_in_its_own_direction(page, serving):
    visit(page, serving(backend_of("שלום עולם\nhello world")))
    left, right, _ = place(page, 0, 9)
    below_left, _, _ = place(page, 10, 15)
    box = page.locator(".lla-desk .lla-text").bounding_box()
    assert box["x"] + box["width"] - right < 8
    assert left > box["x"] + box["width"] / 2
    assert below_left - box["x"] < 8


@pytest.mark.exhaustive
def test_three_levels_are_stacked_and_no_chip_covers_another(page, serving):
    text = "中国石油化工股份有限公司青岛炼油厂副厂长沈知微先生出席了会议。"
    nested = [
        Span(0, 2, "LOC"),
        Span(0, 12, "ORG"),
        Span(0, 17, "TITLE"),
        Span(12, 14, "LOC"),
        Span(12, 17, "ORG"),
    ]
    crossing = [
        Span(15, 22, "TITLE"),
        Span(20, 25, "NAME"),
        Span(26, 27, "NAME"),
        Span(27, 28, "ORG"),
        Span(28, 29, "TITLE"),
    ]
    server = serving(backend_of(text, *nested, *crossing))
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        visit(page, server)
        page.wait_for_selector(".lla-bar")
        chips = page.eval_on_selector_all(
            ".lla-desk .lla-chip", "all => all.map((chip) => chip.getBoundingClientRect().toJSON())"
        )
        assert len(chips) == len(nested) + len(crossing)
        for at, one in enumerate(chips):
            for other in chips[at + 1 :]:
                apart = (
                    one["right"] <= other["left"] + 0.5
                    or other["right"] <= one["left"] + 0.5
                    or one["bottom"] <= other["top"] + 0.5
                    or other["bottom"] <= one["top"] + 0.5
                )
                assert apart, (one, other)
        tops = {
            span: page.locator(
                f".lla-desk [data-key='person:{span.start}:{span.end}:{span.label}']"
            ).first.bounding_box()
            for span in nested[:3]
        }
        rows = [tops[span]["y"] for span in nested[:3]]
        assert rows[0] < rows[1] < rows[2]  # the shorter nearer the text
        assert drag_is_free(page, server)


def drag_is_free(page, server) -> bool:
    """Whether the letters of a nested place can still be dragged over."""
    before = len(found(server.backend))
    drag(page, 30, 31, "4")
    saved(page)
    page.reload()
    page.wait_for_selector(".lla-bar")
    now = found(server.backend)
    server.backend.spans[1] = [span for span in server.backend.spans[1] if span.start != 30]
    return len(now) == before + 1
