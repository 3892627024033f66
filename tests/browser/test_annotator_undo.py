"""The way back: undo and redo across a reload, and two versions of one document."""

from __future__ import annotations

import pytest

from core.store.annotation import annotations
from core.text import Span
from tests.browser.annotator_store import StoreBackend
from tests.browser.gestures import bars, drag, eventually, keys, saved, visit

pytestmark = pytest.mark.browser

TEXT = "沈知微先生在青岛海川能源公司担任总经理。"


@pytest.fixture
def backend(tmp_path):
    made = StoreBackend(tmp_path / "workspace", [TEXT, "第二篇。"])
    yield made
    made.workspace.close()


def edit(page, backend, start, end, key):
    before = annotations.current(backend.workspace, backend.ids[0]).revision
    drag(page, start, end, key)
    eventually(lambda: annotations.current(backend.workspace, backend.ids[0]).revision == before + 1)


def again(page, server, undo=True):
    page.goto("about:blank")
    visit(page, server)
    page.wait_for_selector(f"[data-action={'undo' if undo else 'redo'}]:not([disabled])")


def stands(backend, *wanted):
    eventually(lambda: backend.spans()[0] == sorted(wanted))


A, B, C = (0, 3, "NAME"), (6, 8, "LOC"), (8, 14, "ORG")


@pytest.mark.exhaustive
def test_undo_and_redo_survive_a_reload_step_by_step(page, serving, backend):
    server = visit(page, serving(backend))
    edit(page, backend, 0, 3, "1")
    edit(page, backend, 6, 8, "4")
    edit(page, backend, 8, 14, "2")
    keys(page, "Control+z")
    stands(backend, A, B)
    again(page, server)
    page.focus(".lla-desk .lla-text")
    keys(page, "Control+Shift+z")
    stands(backend, A, B, C)
    again(page, server)
    keys(page, "Control+z")
    stands(backend, A, B)
    keys(page, "Control+z")
    stands(backend, A)
    again(page, server)
    keys(page, "Control+z")
    stands(backend)
    again(page, server, undo=False)
    keys(page, "Control+Shift+z", "Control+Shift+z")
    stands(backend, A, B)


@pytest.mark.exhaustive
def test_a_visit_to_another_document_loses_no_step(page, serving, backend):
    visit(page, serving(backend))
    edit(page, backend, 0, 3, "1")
    edit(page, backend, 6, 8, "4")
    keys(page, "j")
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent.startsWith('第二')")
    keys(page, "k")
    page.wait_for_selector(".lla-desk .lla-person")
    page.wait_for_selector("[data-action=undo]:not([disabled])")
    keys(page, "Control+z", "Control+z")
    stands(backend)


@pytest.mark.exhaustive
def test_undo_never_reverts_edits_of_others(page, serving, backend):
    annotations.save(backend.workspace, backend.ids[0], 0, [Span(*A)], user="mei")
    visit(page, serving(backend))
    edit(page, backend, 6, 8, "4")
    page.reload()
    page.wait_for_selector("[data-action=undo]:not([disabled])")
    keys(page, "Control+z")
    stands(backend, A)
    page.wait_for_selector("[data-action=undo][disabled]")
    keys(page, "Control+z")
    stands(backend, A)


@pytest.mark.exhaustive
def test_accepting_all_takes_only_what_the_sources_and_thresholds_show(page, serving):
    from tests.browser.annotator_backend import backend_of

    suggestions = {1: [Span(0, 3, "NAME", 0.4), Span(6, 8, "LOC", 0.95), Span(8, 14, "ORG", None)]}
    shown = backend_of(TEXT, suggestions=suggestions)
    visit(page, serving(shown))
    page.wait_for_selector(".lla-tagger")
    waiting = len({bar.split(":", 1)[1] for kind in ("tagger", "dictionary") for bar in bars(page, kind)})
    button = page.locator("[data-action=accept_all]")
    assert button.inner_text().split("\n")[0].strip().startswith(f"Accept all {waiting}")
    button.click()
    saved(page)
    assert len(shown.spans[1]) == waiting


@pytest.mark.exhaustive
def test_accepting_more_than_fifty_asks_first_and_is_one_step(page, serving):
    from tests.browser.annotator_backend import backend_of

    suggestions = {1: [Span(number, number + 1, "LOC", 0.5) for number in range(51)]}
    shown = backend_of("地" * 60, suggestions=suggestions)
    visit(page, serving(shown))
    page.wait_for_selector(".lla-tagger")
    keys(page, "Shift+Enter")
    assert page.inner_text(".lla-dialog h2") == "Accept 51 suggestions?"
    keys(page, "Escape", "Shift+Enter", "Enter")
    saved(page)
    assert (len(shown.spans[1]), len(shown.saves)) == (51, 1)
    keys(page, "Control+z")
    eventually(lambda: shown.spans[1] == [])
    page.focus(".lla-desk .lla-bar")
    keys(page, "x", "Shift+Enter")
    eventually(lambda: len(shown.spans[1]) == 50)


@pytest.mark.exhaustive
def test_of_very_many_earlier_decisions_the_rest_is_told_and_follows(page, serving):
    from tests.browser.annotator_backend import backend_of

    earlier = [
        {"start": at, "end": at + 1, "label": "LOC", "score": 0.5, "source": "earlier"} for at in (0, 2, 4)
    ]
    backend = backend_of("地方地方地方")
    opened = backend.open_document
    backend.open_document = lambda *asked: opened(*asked) | {"suggestions": earlier[:2], "more": 1}
    backend.find_suggestions = lambda *asked: {"suggestions": earlier, "stopped": [], "cut": [], "more": 0}
    visit(page, serving(backend))
    assert page.inner_text(".lla-rule-notes").startswith("1 more earlier decision is suggested here once")
    keys(page, "Shift+Enter")
    page.wait_for_selector("[data-key='earlier:4:5:LOC']")
    assert page.inner_text(".lla-rule-notes") == ""


# ---------------------------------------------------------------- two versions


def two_versions(page, server, backend):
    """Mine is B on top of nothing, theirs is A: whoever saves second is asked."""
    visit(page, server)
    annotations.save(backend.workspace, backend.ids[0], 0, [Span(*A)], user="mei")
    drag(page, 6, 8, "4")
    page.wait_for_selector(".lla-conflict:visible")


@pytest.mark.exhaustive
def test_both_versions_are_drawn_with_their_differences_marked(page, serving, backend):
    server = serving(backend)
    two_versions(page, server, backend)
    chips = "all => all.map((box) => [...box.querySelectorAll('.lla-chip')].map((c) => c.textContent))"
    assert page.eval_on_selector_all(".lla-version", chips) == [["± LOC"], ["± NAME"]]
    told = page.locator(".lla-conflict .lla-tick").all_inner_texts()
    assert ["Only in the other version" in told[0], "Only in your version" in told[1]] == [True, True]
    assert backend.spans()[0] == [A]


@pytest.mark.exhaustive
def test_keeping_both_versions_saves_both_and_can_be_undone(page, serving, backend):
    server = serving(backend)
    two_versions(page, server, backend)
    page.click(".lla-dialog [data-act=keep_both]")
    stands(backend, A, B)
    page.wait_for_selector(".lla-dialog", state="hidden")
    keys(page, "Control+z")
    stands(backend, B)


@pytest.mark.exhaustive
def test_span_by_span_by_keyboard(page, serving, backend):
    server = serving(backend)
    two_versions(page, server, backend)
    page.focus(".lla-conflict .lla-tick input[data-side=mine]")
    keys(page, "Space")
    page.focus(".lla-dialog [data-act=keep_ticked]")
    keys(page, "Enter")
    page.wait_for_selector(".lla-dialog", state="hidden")
    stands(backend, A)
    assert annotations.current(backend.workspace, backend.ids[0]).revision >= 1


@pytest.mark.exhaustive
def test_deciding_later_saves_nothing_and_loses_nothing(page, serving, backend):
    server = serving(backend)
    two_versions(page, server, backend)
    keys(page, "Escape")
    page.wait_for_selector(".lla-banner:visible")
    assert "has two versions" in page.inner_text(".lla-banner")
    assert backend.spans()[0] == [A]
    page.click(".lla-banner button >> text=Resolve")
    page.click(".lla-dialog [data-act=keep_both]")
    stands(backend, A, B)


@pytest.mark.exhaustive
def test_a_conflict_moves_nothing_on_the_page(page, serving, backend):
    visit(page, serving(backend))
    where = "() => JSON.stringify(document.querySelector('.lla-desk .lla-text').getBoundingClientRect())"
    before = page.evaluate(where)
    annotations.save(backend.workspace, backend.ids[0], 0, [Span(*A)], user="mei")
    drag(page, 6, 8, "4")
    page.wait_for_selector(".lla-conflict:visible")
    assert page.evaluate(where) == before
