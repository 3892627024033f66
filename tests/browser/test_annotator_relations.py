"""Relations between spans in the annotator: read in a list and at the chosen span, never edited."""

from __future__ import annotations

from typing import Any

import pytest

from core.text import Document, Span
from tests.browser.annotator_backend import MemoryBackend
from tests.browser.gestures import eventually, found, keys, saved, visit

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

SENTENCE = "沈知微先生在青岛海川能源公司担任总经理，负责东部地区的业务。"
NAME, ORG, TITLE = Span(0, 3, "NAME"), Span(6, 14, "ORG"), Span(16, 19, "TITLE")
HOSTILE = '<img src=x onerror="window.hacked=1">${window.hacked=1}{{1}}\u202e'
ROWS = """() => [...document.querySelectorAll(".lla-relations .lla-relation")].map((row) => ({
  said: row.innerText.replace(/\\s+/g, " ").trim(), faded: row.classList.contains("lla-faded"),
}))"""
LIT = "all => [...new Set(all.map((bar) => bar.dataset.key))]"


def relation(type_: str, source: Span | tuple[int, int, str], target: Span | tuple[int, int, str]) -> Any:
    ends = [list(end.key if isinstance(end, Span) else end) for end in (source, target)]
    return {"type": type_, "from": ends[0], "to": ends[1]}


def backend(*relations: Any) -> MemoryBackend:
    model = MemoryBackend([Document("1", SENTENCE, [NAME, ORG, TITLE]), Document("2", "第二篇文档。")])
    model.relations[1] = list(relations)
    return model


def focus(page, span: Span) -> None:
    page.locator(f'.lla-desk [data-key="person:{span.start}:{span.end}:{span.label}"]').first.focus()


def said(page) -> list[str]:
    return [row["said"] for row in page.evaluate(ROWS)]


def test_relations_are_listed_and_the_chosen_span_shows_its_own_and_leads_to_the_other_end(page, serving):
    model = backend(
        relation("holds", NAME, TITLE), relation("employs", ORG, NAME), relation("has", ORG, TITLE)
    )
    visit(page, serving(model))
    page.wait_for_selector(".lla-relation")
    assert said(page) == [
        "沈知微 NAME holds → 总经理 TITLE",
        "青岛海川能源公司 ORG employs → 沈知微 NAME",
        "青岛海川能源公司 ORG has → 总经理 TITLE",
    ]
    focus(page, NAME)
    assert [row["faded"] for row in page.evaluate(ROWS)] == [False, False, True]
    lit = page.locator(".lla-desk .lla-related").evaluate_all(LIT)
    assert sorted(lit) == ["person:16:19:TITLE", "person:6:14:ORG"]
    named = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert named.endswith("; 2 relations: holds → 总经理; employs ← 青岛海川能源公司")
    keys(page, "Enter")
    menu = page.locator(".lla-relation-menu .lla-relation")
    assert [" ".join(text.split()) for text in menu.all_inner_texts()] == [
        "holds → 总经理 TITLE",
        "employs ← 青岛海川能源公司 ORG",
    ]
    menu.nth(1).get_by_role("button").click()
    assert page.evaluate("document.activeElement.dataset.key") == "person:6:14:ORG"
    assert page.locator(".lla-popover:visible").count() == 0
    assert model.saves == []
    page.click(".lla-document >> nth=1")
    page.wait_for_selector(".lla-relations", state="hidden")


def test_a_missing_argument_is_reported_and_restored_when_marked_again(page, serving):
    model = backend(relation("holds", NAME, TITLE))
    visit(page, serving(model))
    focus(page, TITLE)
    keys(page, "Delete")
    saved(page)
    assert said(page) == ["沈知微 NAME holds → 总经理 no TITLE here"]
    fallen = page.locator(".lla-relations .lla-fallen")
    assert "formats that need both arguments leave it out" in fallen.get_attribute("title")
    fallen.click()  # selects the place, ready for the label's key
    keys(page, "3")
    eventually(lambda: found(model) == [NAME.key, ORG.key, TITLE.key])
    assert said(page) == ["沈知微 NAME holds → 总经理 TITLE"]
    focus(page, TITLE)
    keys(page, "2")
    eventually(lambda: (16, 19, "ORG") in found(model))
    assert said(page) == ["沈知微 NAME holds → 总经理 no TITLE here"]


def test_names_of_types_are_text_whatever_they_hold(page, serving):
    model = backend(relation(HOSTILE, NAME, ORG), relation("x" * 4_000, ORG, TITLE))
    visit(page, serving(model))
    page.wait_for_selector(".lla-relation")
    types = page.locator(".lla-relation-type bdi").all_text_contents()
    assert types == [HOSTILE, "x" * 4_000]
    focus(page, NAME)
    keys(page, "Enter")
    assert page.locator(".lla-relation-menu bdi").first.text_content() == HOSTILE
    assert page.evaluate("window.hacked") is None
    assert page.locator(".lla-root img").count() == 0
    wide = "list => list.scrollWidth <= list.clientWidth"
    assert page.locator(".lla-relation-list").evaluate(wide)
    assert page.locator(".lla-popover").evaluate(wide)


def test_the_list_is_one_stop_of_tab_and_the_arrows_go_from_end_to_end(page, serving):
    model = backend(relation("holds", NAME, TITLE), relation("employs", ORG, NAME))
    visit(page, serving(model))
    page.wait_for_selector(".lla-relation")
    ends = page.locator(".lla-relations button")
    assert ends.evaluate_all("all => all.map((end) => end.tabIndex)") == [0, -1, -1, -1]
    ends.first.focus()
    keys(page, "ArrowDown", "ArrowLeft", "Enter")  # second row's source, then the first row's target
    assert page.evaluate("document.activeElement.dataset.key") == "person:16:19:TITLE"


def test_a_span_in_pieces_is_an_end_like_another(page, serving):
    model = backend(relation("of", (6, 19, "PLACE"), NAME))
    model.discontinuous[1] = [{"parts": [[6, 8], [16, 19]], "label": "PLACE"}]
    visit(page, serving(model))
    page.wait_for_selector(".lla-relation")
    assert said(page) == ["青岛 … 总经理 PLACE of → 沈知微 NAME"]
    focus(page, NAME)
    assert page.locator(".lla-discontinuous.lla-related").count() > 0


def test_a_long_document_lists_what_is_on_the_screen_and_two_hundred_at_most(page, serving):
    size, many = len(SENTENCE), 300
    names = [Span(at * size, at * size + 3, "NAME") for at in range(many)]
    titles = [Span(at * size + 16, at * size + 19, "TITLE") for at in range(many)]
    model = MemoryBackend([Document("1", SENTENCE * many, names + titles)])
    model.relations[1] = [relation("holds", *ends) for ends in zip(names, titles, strict=True)]
    model.relations[1] += [relation("boss_of", names[0], other) for other in names[1:]]
    visit(page, serving(model))
    page.wait_for_selector(".lla-side .lla-relation")
    # As assets/app.css has it: else what is sticky goes away with the page.
    page.add_style_tag(content=".gradio-container { overflow: clip !important; }")
    first = page.locator(".lla-relations h2").inner_text()
    assert first.startswith("599 relations, ")
    assert first.endswith(" on the screen (read only)")
    assert len(said(page)) == 200
    assert "Choose a span" in page.locator(".lla-relations > .lla-note").inner_text()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function(
        "(before) => document.querySelector('.lla-relations h2').innerText !== before", arg=first
    )
    last = page.evaluate(ROWS)
    assert 0 < len(last) < 200
    page.locator(".lla-relations .lla-relation").last.locator("button").first.click()
    # How far down the page is then depends on blocks that were not laid out before.
    _, start, _, label = page.evaluate("document.activeElement.dataset.key").split(":")
    assert label == "NAME"
    assert int(start) > size * many // 2
    assert [row["faded"] for row in page.evaluate(ROWS)].count(False) == 2


def test_labelling_goes_on_beside_the_list_and_a_finger_finds_its_rows(phone, serving):
    model = backend(relation("holds", NAME, TITLE))
    visit(phone, serving(model))
    phone.wait_for_selector(".lla-relation")
    heights = phone.locator(".lla-relation-end").evaluate_all("all => all.map((end) => end.offsetHeight)")
    assert min(heights) >= 40
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.locator(".lla-relation-end").last.tap()
    assert phone.evaluate("document.activeElement.dataset.key") == "person:16:19:TITLE"
