"""Other occurrences and replaced labels: seen before they are done, done as one, taken back as one."""

from __future__ import annotations

import pytest

from app.annotate import bulk
from core.store.annotation import annotations, occurrences
from core.store.project import assignments, members
from core.text import Span
from tests.browser.annotator_backend import refusal
from tests.browser.annotator_store import StoreBackend
from tests.browser.gestures import eventually, keys, saved, visit
from tests.store.by_hand import save_own

pytestmark = pytest.mark.browser

TEXTS = [
    "青岛在山东。他去了青岛，又离开青岛。Qing、Qingdao。",
    "在青岛看海，青岛很美。",
    "没有。",
    "青岛。",
]
FIRST = {0: [Span(0, 2, "LOC"), Span(15, 17, "ORG")], 3: [Span(0, 2, "LOC")]}


@pytest.fixture
def backend(tmp_path):
    made = StoreBackend(tmp_path / "workspace", TEXTS, FIRST)
    yield made
    made.workspace.close()


def open_others(page, server, key="person:0:2:LOC"):
    visit(page, server)
    page.wait_for_selector(f".lla-desk [data-key='{key}']")
    page.focus(f".lla-desk [data-key='{key}']")
    keys(page, "o")
    page.wait_for_selector(".lla-dialog[open]")


def rows(page):
    return [
        (
            row.locator(".lla-context").inner_text(),
            row.locator("input").is_checked(),
            row.locator("input").is_disabled(),
        )
        for row in page.locator(".lla-tick").all()
    ]


def apply(page):
    page.click(".lla-dialog .lla-primary")


@pytest.mark.exhaustive
def test_occurrences_in_this_document_are_listed_with_context_and_labels(page, serving, backend):
    server = serving(backend)
    open_others(page, server)
    assert [(ticked, locked) for _, ticked, locked in rows(page)] == [(True, False), (False, False)]
    assert rows(page)[0][0] == "青岛在山东。他去了青岛，又离开青岛。Qing、Qingdao。"
    assert page.locator(".lla-hit").all_inner_texts() == ["青岛", "青岛"]
    assert "labelled ORG" in page.inner_text(".lla-tick >> nth=1")
    assert page.inner_text(".lla-dialog .lla-primary") == "Label 1 as LOC"


def test_by_keyboard_the_ticked_places_are_labelled_and_one_undo_takes_all_back(page, serving, backend):
    before = backend.spans()
    server = serving(backend)
    open_others(page, server)
    page.focus(".lla-tick input >> nth=1")
    keys(page, "Space")
    page.focus(".lla-dialog .lla-primary")
    keys(page, "Enter")
    labelled = [(0, 2, "LOC"), (9, 11, "LOC"), (15, 17, "LOC"), (15, 17, "ORG")]
    eventually(lambda: backend.spans()[0] == labelled)
    assert backend.spans()[1:] == before[1:]
    keys(page, "Control+z")
    eventually(lambda: backend.spans() == before)
    keys(page, "Control+Shift+z")
    eventually(lambda: backend.spans()[0] == labelled)


@pytest.mark.exhaustive
def test_other_documents_too_by_mouse_and_one_undo_takes_back_every_document(page, serving, backend):
    before = backend.spans()
    server = serving(backend)
    open_others(page, server)
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 5")
    notes = page.locator(".lla-tick-note").all_inner_texts()
    assert notes[2:] == ["d2", "d2", "already LOC · d4"]
    assert [locked for _, _, locked in rows(page)] == [False, False, False, False, True]
    page.uncheck(".lla-tick input >> nth=3")
    apply(page)
    eventually(lambda: backend.spans()[1] == [(1, 3, "LOC")])
    eventually(lambda: (9, 11, "LOC") in backend.spans()[0])
    page.wait_for_selector(".lla-told >> text=Other documents changed: 1; spans added: 1.")
    page.click(".lla-told [data-act=undo]")
    eventually(lambda: backend.spans() == before)
    keys(page, "Control+Shift+z")
    eventually(lambda: backend.spans()[1] == [(1, 3, "LOC")] and (9, 11, "LOC") in backend.spans()[0])
    keys(page, "Control+z")
    eventually(lambda: backend.spans() == before)
    keys(page, "Control+Shift+z")
    eventually(lambda: backend.spans()[1] == [(1, 3, "LOC")] and (9, 11, "LOC") in backend.spans()[0])


@pytest.mark.exhaustive
def test_the_one_undo_survives_a_reload_and_works_from_any_of_the_documents(page, serving, backend):
    before = backend.spans()
    server = serving(backend)
    open_others(page, server)
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 5")
    apply(page)
    eventually(lambda: len(backend.spans()[1]) == 2)
    page.wait_for_selector(".lla-told >> text=Other documents changed")
    page.reload()
    page.wait_for_selector(".lla-desk [data-key='person:9:11:LOC']")
    page.wait_for_selector("[data-action=undo]:not([disabled])")
    keys(page, "j")
    page.wait_for_selector(".lla-desk [data-key='person:1:3:LOC']")
    page.wait_for_selector("[data-action=undo]:not([disabled])")
    keys(page, "Control+z")
    eventually(lambda: backend.spans() == before)


@pytest.mark.exhaustive
def test_part_of_a_longer_word_is_not_ticked_by_itself(page, serving, tmp_path):
    backend = StoreBackend(tmp_path / "words", ["Qing and Qingdao, Qing."], {0: [Span(0, 4, "LOC")]})
    server = serving(backend)
    open_others(page, server, "person:0:4:LOC")
    assert [ticked for _, ticked, _ in rows(page)] == [False, True]
    assert "part of a longer word" in page.inner_text(".lla-tick >> nth=0")
    backend.workspace.close()


@pytest.mark.exhaustive
def test_a_long_list_comes_page_by_page_and_only_what_was_shown_is_ticked(
    page, serving, tmp_path, monkeypatch
):
    texts = ["海", *["海" * 1 + f"{at}" for at in range(70)]]
    backend = StoreBackend(tmp_path / "many", texts, {0: [Span(0, 1, "LOC")]})
    server = serving(backend)
    open_others(page, server, "person:0:1:LOC")
    assert "occurs nowhere else" in page.inner_text(".lla-ticks")
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 50")
    assert "70, in 70 others" in page.inner_text(".lla-radios")
    apply(page)
    eventually(lambda: sum(map(len, backend.spans())) == 51)
    backend.workspace.close()


@pytest.mark.exhaustive
def test_a_list_that_is_out_of_date_is_refused_as_a_whole(page, serving, backend):
    server = serving(backend)
    open_others(page, server)
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 5")
    before = backend.spans()[1:]
    with backend.workspace.writing() as db:
        db.execute("UPDATE documents SET text = '海青岛' WHERE id = ?", (backend.ids[1],))
    apply(page)
    page.wait_for_selector(".lla-banner:visible")
    saved(page)  # the part in this document, which must not take the refusal of the others away
    assert page.is_visible(".lla-banner")
    assert "search again" in page.inner_text(".lla-banner")
    assert backend.spans()[1:] == before
    page.click(".lla-banner button")
    assert not page.is_visible(".lla-banner")


@pytest.mark.exhaustive
def test_an_order_to_other_documents_waits_while_the_app_is_down_and_is_applied_once(page, serving, backend):
    answer = bulk.label_occurrences
    orders = []

    def down(session, order):
        orders.append(order)
        if len(orders) == 1:
            answer(session, order)
        raise refusal("failed", "no answer")

    backend.label_occurrences = down
    server = serving(backend)
    page.on("dialog", lambda dialog: dialog.accept())
    open_others(page, server)
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 5")
    apply(page)
    page.wait_for_selector(".lla-banner:visible")
    del backend.label_occurrences
    visit(page, server)
    page.wait_for_selector(".lla-told >> text=Other documents changed: 1")
    assert backend.spans()[1] == [(1, 3, "LOC"), (6, 8, "LOC")]
    assert len(annotations.history(backend.workspace, backend.ids[1])) == 1
    page.wait_for_selector("[data-action=undo]:not([disabled])")
    keys(page, "Control+z")
    eventually(lambda: backend.spans()[1] == [] and backend.spans()[0] == [(0, 2, "LOC"), (15, 17, "ORG")])


@pytest.mark.exhaustive
def test_without_a_chosen_mark_the_key_only_says_so(page, serving, backend):
    visit(page, serving(backend))
    page.focus(".lla-desk .lla-text")
    keys(page, "o")
    page.wait_for_function(
        "document.querySelector('.lla-live[role=status]').textContent === 'Select a span first.'"
    )
    assert page.locator(".lla-dialog[open]").count() == 0


# ---------------------------------------------------------------- find and replace labels


def choose(page, name, value):
    page.select_option(f".lla-fields select[aria-label={name}]", value)


@pytest.mark.exhaustive
def test_a_label_becomes_another_in_this_document_only(page, serving, backend):
    before = backend.spans()
    visit(page, serving(backend))
    page.wait_for_selector(".lla-desk .lla-bar")
    keys(page, "r")
    page.wait_for_selector(".lla-dialog[open]")
    choose(page, "every", "LOC")
    choose(page, "becomes", "TITLE")
    assert page.inner_text(".lla-dialog .lla-primary") == "Change 1 × LOC to TITLE"
    assert page.locator(".lla-tick").count() == 1
    apply(page)
    eventually(lambda: backend.spans()[0] == [(0, 2, "TITLE"), (15, 17, "ORG")])
    assert backend.spans()[1:] == before[1:]
    keys(page, "Control+z")
    eventually(lambda: backend.spans() == before)


@pytest.mark.exhaustive
def test_a_label_is_removed_from_chosen_texts_in_all_documents_and_comes_back(page, serving, tmp_path):
    marks = {0: [Span(0, 2, "LOC")], 1: [Span(1, 3, "LOC"), Span(4, 5, "LOC")], 3: [Span(0, 2, "LOC")]}
    backend = StoreBackend(tmp_path / "replace", TEXTS, marks)
    before = backend.spans()
    visit(page, serving(backend))
    page.wait_for_selector(".lla-desk .lla-bar")
    page.click(".lla-tools [data-action=replace]")
    choose(page, "every", "LOC")
    page.select_option(".lla-fields select[aria-label=becomes]", index=3)
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 2")
    assert page.inner_text(".lla-dialog .lla-primary") == "Remove 4 × LOC"
    assert page.locator(".lla-tick-note").all_inner_texts() == ["3 ×", "1 ×"]
    page.uncheck(".lla-tick input >> nth=1")
    assert page.inner_text(".lla-dialog .lla-primary") == "Remove 3 × LOC"
    apply(page)
    eventually(lambda: backend.spans() == [[], [(4, 5, "LOC")], [], []])
    page.wait_for_selector(".lla-told >> text=Other documents changed: 2")
    keys(page, "Control+z")
    eventually(lambda: backend.spans() == before)
    page.wait_for_selector(".lla-told >> text=Undone")
    backend.workspace.close()


@pytest.mark.exhaustive
def test_with_individual_versions_bulk_edits_change_them_in_one_step(page, serving, tmp_path):
    backend = StoreBackend(tmp_path / "apart", ["青岛在山东。", "去青岛。", "青岛的海。"])
    place = backend.workspace, backend.project
    for user in ("lin", "mei"):
        members.put(*place, user, "manager", by="lin")
    assignments.set_plan(*place, "separate", 2, by="lin")
    assignments.hand_out(*place, ["lin", "mei"], by="lin")
    save_own(backend.workspace, backend.ids[0], 0, [Span(0, 2, "LOC")], user="lin")

    def made(user):
        return [
            [span.key for span in annotations.current(backend.workspace, id_, user).document.spans]
            for id_ in backend.ids
        ]

    server = serving(backend)
    open_others(page, server, "person:0:2:LOC")
    page.click(".lla-radios input[value=all]")
    page.wait_for_function("document.querySelectorAll('.lla-tick').length === 2")
    apply(page)
    eventually(lambda: made("lin") == [[(0, 2, "LOC")], [(1, 3, "LOC")], [(0, 2, "LOC")]])
    page.reload()
    page.wait_for_selector(".lla-toolbar [data-action=undo]:not([disabled])")
    assert (made("mei"), backend.spans()) == ([[], [], []], [[], [], []])
    backend.workspace.close()


@pytest.mark.exhaustive
def test_the_page_and_the_store_find_the_same_places(page, serving, tmp_path):
    text = "𠮷a𠮷a𠮷a𠮷"
    surface = text[:2]
    backend = StoreBackend(tmp_path / "same", [text], {0: [Span(0, len(surface), "LOC")]})
    server = serving(backend)
    open_others(page, server, f"person:0:{len(surface)}:LOC")
    ticks = page.locator(".lla-tick input")
    for at in range(ticks.count()):
        ticks.nth(at).check()
    apply(page)
    wanted = [(at, at + len(surface), "LOC") for at in occurrences.starts(text, surface)]
    saved(page)
    eventually(lambda: backend.spans()[0] == wanted)
    backend.workspace.close()
