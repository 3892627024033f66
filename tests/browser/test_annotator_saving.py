"""Saving in a real browser: nothing a person did is lost, applied twice or silently overwritten."""

from __future__ import annotations

import time

import pytest

from core.text import Span
from tests.browser.annotator_backend import Server, backend_of, refusal
from tests.browser.gestures import UNSENT, drag, eventually, found, keys, saved, visit

pytestmark = pytest.mark.browser

TEXT = "沈知微先生在青岛海川能源公司担任总经理。"


@pytest.mark.exhaustive
def test_twenty_edits_in_one_tick_end_in_the_last_state_with_few_calls(page, serving):
    backend = backend_of(TEXT)
    backend.before_save = lambda: time.sleep(0.05)
    visit(page, serving(backend))
    page.focus(".lla-desk .lla-text")
    page.evaluate(
        """() => {
          const press = (key, more = {}) => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
          press('Home');
          for (let edit = 0; edit < 20; edit += 1) {
            press('ArrowRight', { shiftKey: true });
            press('1');
          }
        }"""
    )
    saved(page)
    assert found(backend) == [(at, at + 1, "NAME") for at in range(20)]
    assert len(backend.saves) <= 3
    assert backend.revisions[1] == len(backend.saves)


def test_a_reload_finds_the_edits(page, serving):
    visit(page, serving(backend_of(TEXT)))
    drag(page, 0, 3, "1")
    saved(page)
    page.reload()
    page.wait_for_selector(".lla-desk .lla-person")
    assert page.evaluate(UNSENT) == 0


@pytest.mark.exhaustive
def test_a_failed_request_is_reported_and_repeated_later(page, serving):
    visit(page, serving(backend_of(TEXT)))
    history = page.locator(".lla-toolbar [data-action=history]")
    page.context.set_offline(True)
    history.click()
    page.wait_for_selector(".lla-banner:visible")
    page.context.set_offline(False)
    history.click()
    page.wait_for_selector("dialog[open]")


def test_a_refused_save_is_kept_reported_and_retried(page, serving):
    backend = backend_of(TEXT)

    def full() -> None:
        raise refusal("failed", "The disk is full; free some space.")

    backend.before_save = full
    visit(page, serving(backend))
    drag(page, 0, 3, "1")
    page.wait_for_selector(".lla-banner:visible")
    assert page.inner_text(".lla-banner span") == "Not saved: The disk is full; free some space. Retrying."
    assert page.evaluate(UNSENT) == 1
    backend.before_save = lambda: None
    page.evaluate("document.querySelector('.lla-banner button')?.click()")  # where it was not sent meanwhile
    saved(page)
    assert found(backend) == [(0, 3, "NAME")]
    eventually(lambda: page.locator(".lla-banner:visible").count() == 0)


@pytest.mark.exhaustive
def test_a_lost_reply_does_not_cause_a_conflict(page, serving):
    backend = backend_of(TEXT)
    lost: list[int] = []

    def lose_the_first_answer() -> None:
        if not lost:
            lost.append(1)
            raise refusal("failed", "no answer")

    backend.after_save = lose_the_first_answer
    visit(page, serving(backend))
    drag(page, 0, 3, "1")
    drag(page, 6, 8, "4")
    saved(page)
    assert found(backend) == [(0, 3, "NAME"), (6, 8, "LOC")]
    assert backend.revisions[1] == 2
    assert page.locator(".lla-conflict:visible").count() == 0


def test_an_edit_made_while_the_app_is_down_is_sent_when_it_is_back(page):
    backend = backend_of(TEXT)
    server = Server(backend)
    server.start()
    try:
        visit(page, server)
        server.stop()
        drag(page, 0, 3, "1")
        page.wait_for_selector(".lla-banner:visible")
        assert page.inner_text(".lla-state") == "kept in this browser"
        assert page.evaluate(UNSENT) == 1
        server.start()
        eventually(lambda: found(backend) == [(0, 3, "NAME")], seconds=30)
        saved(page)
    finally:
        server.stop()


@pytest.mark.exhaustive
def test_an_edit_kept_from_an_earlier_page_is_sent_by_the_next(page, serving):
    backend = backend_of(TEXT)

    def down() -> None:
        raise refusal("failed", "down")

    backend.before_save = down
    server = serving(backend)
    page.on("dialog", lambda dialog: dialog.accept())
    visit(page, server)
    drag(page, 0, 3, "1")
    page.wait_for_selector(".lla-banner:visible")
    backend.before_save = lambda: None
    visit(page, server)
    eventually(lambda: found(backend) == [(0, 3, "NAME")])
    page.wait_for_selector(".lla-desk .lla-person")
    assert len({edit.client_edit for edit in backend.saves}) == 1


@pytest.mark.exhaustive
def test_two_tabs_on_one_document_show_both_versions_and_overwrite_nothing(page, serving):
    backend = backend_of(TEXT)
    server = serving(backend)
    other = page.context.new_page()
    visit(page, server)
    visit(other, server)
    drag(other, 0, 3, "1")
    saved(other)
    drag(page, 6, 8, "4")
    page.wait_for_selector(".lla-conflict:visible")
    assert found(backend) == [(0, 3, "NAME")]
    chips = "all => all.map((box) => [...box.querySelectorAll('.lla-chip')].map((c) => c.textContent))"
    shown = page.eval_on_selector_all(".lla-version", chips)
    assert shown == [["± LOC"], ["± NAME"]]
    page.click(".lla-dialog [data-act=keep_mine]")
    saved(page)
    assert found(backend) == [(6, 8, "LOC")]


@pytest.mark.exhaustive
def test_taking_the_other_version_keeps_mine_in_the_undo_history(page, serving):
    backend = backend_of(TEXT)
    visit(page, serving(backend))
    backend.revisions[1] += 1
    backend.spans[1] = [Span(0, 3, "NAME")]
    drag(page, 6, 8, "4")
    page.click(".lla-dialog [data-act=take_theirs]")
    page.wait_for_selector(".lla-conflict", state="hidden")
    assert found(backend) == [(0, 3, "NAME")]
    assert page.evaluate(UNSENT) == 0
    keys(page, "Control+z")
    eventually(lambda: found(backend) == [(6, 8, "LOC")])


@pytest.mark.exhaustive
def test_an_edit_that_can_never_be_saved_is_reported_and_not_retried(page, serving):
    backend = backend_of(TEXT)

    def invalid() -> None:
        raise refusal("invalid", "label 'NAME' is not a label of this project")

    backend.before_save = invalid
    visit(page, serving(backend))
    drag(page, 0, 3, "1")
    page.wait_for_selector(".lla-banner:visible")
    assert "not a label of this project" in page.inner_text(".lla-banner")
    page.wait_for_function("document.querySelectorAll('.lla-desk .lla-person').length === 0")
    time.sleep(1)
    assert len(backend.saves) == 1


@pytest.mark.exhaustive
def test_leaving_with_an_unsent_edit_warns(page, serving):
    backend = backend_of(TEXT)

    def down() -> None:
        raise refusal("failed", "down")

    backend.before_save = down
    visit(page, serving(backend))
    drag(page, 0, 3, "1")
    page.wait_for_selector(".lla-banner:visible")
    with page.expect_event("dialog") as asked:
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.accept()


@pytest.mark.exhaustive
def test_most_edits_are_acknowledged_as_soon_as_a_question_can_be_answered(page, serving):
    backend = backend_of(TEXT)
    visit(page, serving(backend))
    page.focus(".lla-desk .lla-text")
    edits, questions = page.evaluate(
        """async () => {
          const edits = [], questions = [];
          const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
          const press = (key, more = {}) => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
          press('Home');
          for (let edit = 0; edit < 15; edit += 1) {
            const asked = performance.now();
            await (await fetch(location.href, { cache: 'no-store' })).text();
            questions.push(performance.now() - asked);
            press('ArrowRight', { shiftKey: true });
            const told = new Promise((done) => {
              document.addEventListener('latticelens:saved', done, { once: true });
            });
            const start = performance.now();
            press('1');
            await told;
            edits.push(performance.now() - start);
          }
          return [median(edits), median(questions)];
        }"""
    )
    print(f"an edit {edits:.1f} ms, a question {questions:.1f} ms")
    assert edits < 20 * questions  # twice as long on a quiet machine and on a busy one
    assert len(backend.saves) == 15
