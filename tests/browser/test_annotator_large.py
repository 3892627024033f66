"""A document of 100,000 characters with 2,000 spans: opened, scrolled, labelled and tagged at once."""

from __future__ import annotations

import time

import pytest

from core.text import Document, Span
from tests.browser.annotator_backend import MemoryBackend
from tests.browser.gestures import Work, drag, eventually, found, keys, saved

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

SENTENCE = "沈知微先生在青岛海川能源公司担任总经理，负责东部地区的业务。"
LENGTH = 100_000
TEXT = (SENTENCE * (LENGTH // len(SENTENCE) + 1))[:LENGTH]
SPANS = [Span(at, at + 3, "NAME") for at in range(0, LENGTH - 60, 50)]
LONG = ".lla-desk .lla-text"
# For every drawn piece of a mark: how far its line lies from the letters it is about, in pixels.
ASTRAY = """() => {
  const text = document.querySelector(".lla-desk .lla-text");
  const blocks = [...text.querySelectorAll(".lla-block")];
  const starts = [];
  let length = 0;
  for (const block of blocks) { starts.push(length); length += block.firstChild.length; }
  const layers = [...document.querySelectorAll(".lla-desk .lla-layer")];
  const far = [];
  layers.forEach((layer, at) => {
    for (const bar of layer.children) {
      const [, start, end] = bar.dataset.key.split(":").map(Number);
      const range = document.createRange();
      range.setStart(blocks[at].firstChild, Math.max(start, starts[at]) - starts[at]);
      range.setEnd(blocks[at].firstChild, Math.min(end - starts[at], blocks[at].firstChild.length));
      const line = bar.querySelector(".lla-line").getBoundingClientRect();
      const rects = [...range.getClientRects()];
      const off = (rect) => Math.abs(rect.left - line.left) + Math.abs(rect.right - line.right);
      const best = Math.min(...rects.map((rect) => off(rect) + Math.max(0, line.top - rect.bottom - 80)));
      far.push([best, bar.dataset.key]);
    }
  });
  far.sort((a, b) => b[0] - a[0]);
  return { bars: far.length, worst: far[0] };
}"""


def backend() -> MemoryBackend:
    return MemoryBackend([Document("1", "短文。"), Document("2", TEXT, SPANS)])


def open_long(page, server) -> int:
    """How often the page is laid out from the click in the queue to the first bars on the screen."""
    page.goto(server.url)
    page.wait_for_selector(".lla-document >> nth=1")
    work = Work(page)
    page.evaluate(
        """async () => {
          document.querySelectorAll(".lla-document")[1].click();
          while (!document.querySelector(".lla-desk .lla-bar")) await new Promise(requestAnimationFrame);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }"""
    )
    return work.layouts()


def scroll_to(page, share: float) -> None:
    page.evaluate(f"window.scrollTo(0, document.documentElement.scrollHeight * {share})")
    page.wait_for_timeout(250)  # blocks near the window are drawn a moment later


def lies_well(page, least: int) -> bool:
    """Whether so many pieces of marks are drawn, each under its letters."""
    seen = page.evaluate(ASTRAY)
    return seen["bars"] >= least and seen["worst"][0] < 6


def test_it_opens_with_a_few_layouts_and_draws_what_is_near(page, serving):
    server = serving(backend())
    assert open_long(page, server) < 50  # some twenty, as of a short text; not one for each mark
    assert page.locator(".lla-desk .lla-bar").count() < 300
    assert page.text_content(LONG) == TEXT


def test_bars_lie_under_their_letters_wherever_the_page_is_scrolled(page, serving):
    server = serving(backend())
    open_long(page, server)
    for share in (0, 0.5, 0.9, 0.3):
        scroll_to(page, share)
        eventually(lambda: lies_well(page, 11), page=page)
    page.set_viewport_size({"width": 1000, "height": 700})
    page.wait_for_timeout(400)
    eventually(lambda: lies_well(page, 1), page=page)
    assert page.locator(".lla-desk .lla-bar").count() < 400


def test_a_span_over_the_border_of_two_blocks_is_one_span_drawn_in_both(page, serving):
    server = serving(backend())
    open_long(page, server)
    border = page.evaluate(
        """() => {
          const blocks = document.querySelectorAll(".lla-desk .lla-block");
          blocks[1].scrollIntoView({ block: "center" });
          return blocks[0].firstChild.length;
        }"""
    )
    page.wait_for_timeout(1000)  # blocks near the window are drawn anew after a scroll
    page.evaluate(
        """() => {
          const blocks = [...document.querySelectorAll(".lla-desk .lla-block")];
          const [one, other] = blocks.map((block) => block.firstChild);
          document.getSelection().setBaseAndExtent(one, one.length - 4, other, 6);
        }"""
    )
    keys(page, "2")
    saved(page)
    whole = Span(border - 4, border + 6, "ORG")
    assert whole.key in found(server.backend, 2)
    pieces = page.evaluate(
        """(key) => [...document.querySelectorAll(`.lla-desk [data-key="${key}"]`)].map((bar) => {
          const layers = [...bar.closest(".lla-bars").children];
          return [layers.indexOf(bar.parentNode), bar.querySelectorAll(".lla-chip").length];
        })""",
        f"person:{whole.start}:{whole.end}:ORG",
    )
    # A bar for every line it stands on: one that wraps just before the border has two in the first block.
    assert {block for block, _ in pieces} == {0, 1}
    assert sum(chips for _, chips in pieces) == 1


def test_a_drag_in_the_middle_has_the_offsets_python_gives(page, serving):
    server = serving(backend())
    open_long(page, server)
    scroll_to(page, 0.5)
    start = page.evaluate(
        """() => {
          let before = 0;
          for (const block of document.querySelectorAll(".lla-desk .lla-block")) {
            const box = block.getBoundingClientRect();
            if (box.bottom > 200) return before;
            before += block.firstChild.length;
          }
        }"""
    )
    at = next(
        at
        for at in range(start, LENGTH)
        if TEXT[at : at + 4] == "海川能源"
        and page.evaluate(f"({AT})([{at}, {at + 4}])")["top"] > 120
        and page.evaluate(f"({AT})([{at}, {at + 4}])")["lines"] == 1
    )
    drag(page, at, at + 4, "2")
    saved(page)
    assert (at, at + 4, "ORG") in found(server.backend, 2)


AT = """([start, end]) => {
  for (const block of document.querySelectorAll(".lla-desk .lla-block")) {
    const { length } = block.firstChild;
    if (start < length) {
      const range = document.createRange();
      range.setStart(block.firstChild, start); range.setEnd(block.firstChild, Math.min(end, length));
      return { top: range.getBoundingClientRect().top, lines: range.getClientRects().length };
    }
    start -= length; end -= length;
  }
}"""


def test_arrow_keys_walk_over_borders_of_blocks_and_over_the_edge_of_the_window(page, serving):
    server = serving(backend())
    open_long(page, server)
    page.evaluate(
        """() => {
          const one = document.querySelector(".lla-desk .lla-block").firstChild;
          one.parentNode.parentNode.focus({ preventScroll: true });
          document.getSelection().setBaseAndExtent(one, one.length - 2, one, one.length - 2);
        }"""
    )
    keys(page, *["Shift+ArrowRight"] * 4)
    assert page.evaluate("document.getSelection().toString().replace(/\\n/g, '').length") == 4
    keys(page, *["ArrowDown"] * 40)
    caret = page.evaluate("document.querySelector('.lla-caret').getBoundingClientRect().toJSON()")
    assert 0 < caret["top"] < 900  # the window went along


def test_tab_finds_the_next_mark_however_far_it_is(page, serving):
    far = [Span(5, 8, "NAME"), Span(60_000, 60_003, "ORG"), Span(99_000, 99_004, "LOC")]
    server = serving(MemoryBackend([Document("1", "短文。"), Document("2", TEXT, far)]))
    open_long(page, server)
    page.focus(LONG)
    for span in far:
        keys(page, "Tab")
        key = f"person:{span.start}:{span.end}:{span.label}"
        eventually(lambda key=key: page.evaluate("document.activeElement.dataset.key") == key)
        top = "document.activeElement.getBoundingClientRect().top"
        eventually(lambda top=top: 0 < page.evaluate(top) < 900, page=page)


def test_only_the_blocks_that_changed_are_drawn_again(page, serving):
    server = serving(backend())
    open_long(page, server)
    drawn = page.evaluate(
        """async () => {
          const changed = new Set();
          const watch = new MutationObserver((all) => all.forEach((one) => changed.add(one.target)));
          const bars = document.querySelector(".lla-desk .lla-bars");
          watch.observe(bars, { childList: true, subtree: true });
          const one = document.querySelector(".lla-desk .lla-block").firstChild;
          document.querySelector(".lla-desk .lla-text").focus({ preventScroll: true });
          document.getSelection().setBaseAndExtent(one, 10, one, 14);
          await new Promise((done) => setTimeout(done, 50));
          const press = new KeyboardEvent("keydown", { key: "2", bubbles: true });
          document.activeElement.dispatchEvent(press);
          await new Promise((done) => setTimeout(done, 100));
          return [...changed].filter((place) => place.className === "lla-layer").length;
        }"""
    )
    assert drawn == 1


def test_words_are_requested_for_the_visible_part(page, serving):
    model = backend()
    model.lattice[2] = [[at, at + 2] for at in range(0, LENGTH, 5_000)]
    server = serving(model)
    open_long(page, server)
    page.wait_for_selector(".lla-word")
    first = page.locator(".lla-word").count()
    assert first <= 3  # not the twenty of the whole text
    model.asked_words.clear()
    scroll_to(page, 0.5)
    eventually(lambda: bool(model.asked_words))
    start, end = model.asked_words[-1]
    assert 30_000 < start < end < 70_000


def test_tagging_shows_progress_draws_spans_and_can_be_stopped(page, serving):
    model = backend()
    model.suggestions[2] = [Span(at, at + 2, "LOC", 0.7) for at in range(20, LENGTH - 10, 500)]
    model.spans[2] = []
    model.before_part = lambda: time.sleep(0.05)
    server = serving(model)
    page.goto(server.url)
    page.wait_for_selector(".lla-document >> nth=1")
    page.click(".lla-document >> nth=1")
    page.wait_for_selector(".lla-block")
    page.click("[data-action=ask_tagger]")
    page.wait_for_selector(".lla-progress:visible")
    eventually(lambda: page.evaluate("document.querySelector('.lla-progress progress').value") > 0)
    assert page.locator(".lla-desk .lla-tagger").count() > 0
    page.click(".lla-progress button")
    assert page.locator(".lla-progress:visible").count() == 0
    asked = len(model.parts)
    time.sleep(0.5)
    assert len(model.parts) <= asked + 1 < LENGTH // 2_000  # the one that was under way, and no more
    page.click("[data-action=ask_tagger]")
    eventually(lambda: model.parts[-1] + 2_000 >= LENGTH, 20)
    page.wait_for_selector(".lla-progress", state="hidden")


def test_a_span_in_pieces_is_shown_and_named_but_not_edited(page, serving):
    model = MemoryBackend([Document("1", SENTENCE, [Span(0, 3, "NAME")])])
    model.discontinuous[1] = [{"parts": [[6, 8], [16, 19]], "label": "TITLE"}]
    server = serving(model)
    page.goto(server.url)
    page.wait_for_selector(".lla-discontinuous")
    bar = page.locator(".lla-desk .lla-discontinuous")
    assert bar.evaluate("bar => [bar.tagName, bar.getAttribute('role')]") == ["SPAN", "img"]
    assert "青岛 … 总经理" in bar.first.get_attribute("aria-label")
    assert bar.locator(".lla-line").count() == 2
    assert bar.locator(".lla-join").count() == 1
    bar.click(force=True)
    assert page.locator(".lla-popover:visible").count() == 0
    drag(page, 8, 14, "2")
    saved(page)
    assert found(model) == [(0, 3, "NAME"), (8, 14, "ORG")]


def test_a_chain_is_shown_and_named_but_not_edited(page, serving):
    model = MemoryBackend([Document("1", SENTENCE, [Span(0, 3, "NAME")])])
    model.chains[1] = [
        {"links": [[16, 19, "name", ""], [6, 8, "", "coref"]]},  # in the order of the chain, not of the text
        {"links": [[6, 8, "alone", ""]]},
    ]
    server = serving(model)
    page.goto(server.url)
    bar = page.locator(".lla-desk .lla-chain")
    bar.first.wait_for()
    named = [bar.nth(at).get_attribute("aria-label") for at in range(2)]
    assert sorted(name.split(":")[0] for name in named) == [
        "青岛 … 总经理, coreference chain 1",
        "青岛, coreference chain 2",
    ]
    assert bar.first.evaluate("bar => [bar.tagName, bar.getAttribute('role')]") == ["SPAN", "img"]
    assert bar.locator(".lla-line").count() == 3
    bar.first.click(force=True)
    assert page.locator(".lla-popover:visible").count() == 0
