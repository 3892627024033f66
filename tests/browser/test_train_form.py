"""The form of the Train page while it is drawn anew for another tagger, on a slow line."""

from __future__ import annotations

import pytest

from tests.browser.app_page import new_project, turn_to
from tests.browser.idle import wait_until_idle
from tests.sweep import sweep

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# Every question leaves a while after it was asked, so that events meet a form that is being replaced.
LATE = """() => {
  if (window.lateness !== undefined) return;
  const [ask, unanswered, held] = [window.fetch.bind(window), window.unanswered, new Set()];
  window.unanswered = () => [...held, ...unanswered()];
  window.fetch = async (...question) => {
    const slow = window.slow?.test(String(question[1]?.body));
    held.add(question);
    await new Promise((go) => setTimeout(go, slow ? 3_000 : window.lateness));
    held.delete(question);
    return ask(...question);
  };
  window.lateness = 0;
}"""
EPOCHS = "#train-field-epochs input"


@pytest.mark.parametrize("pause", sweep([0, 150, 450, 700], [0]))
def test_what_is_typed_while_another_tagger_is_chosen_stays(people, pause):
    # On a busy machine what is typed arrives when its form is gone: the server says so (410), which no page
    # can keep the console from naming, and the next form has the value all the same. No other error may be.
    page = people(silent=False)
    said = []
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    if page.input_value("#ll-project input") != f"form {pause}":
        new_project(page, f"form {pause}")
    turn_to(page, "train")
    page.wait_for_selector("#train-start")
    wait_until_idle(page)
    page.evaluate(LATE)
    page.evaluate("window.lateness = 300")
    page.locator("#train-tagger label").filter(has_text="BiLSTM-CRF").click()
    page.wait_for_timeout(pause)  # a person's, between two deeds
    page.locator(EPOCHS).first.fill("4")
    wait_until_idle(page)
    page.wait_for_selector("#train-field-layers >> text=LSTM")
    has_epochs(page, "4")
    page.evaluate("window.lateness = 0")
    page.locator("#train-tagger label").filter(has_text="FLAT").click()
    page.wait_for_selector("#train-field-heads")
    has_epochs(page, "4")
    assert [line for line in said if "410 (Gone)" not in line] == []


def test_what_is_told_of_when_the_new_form_stands_already_is_written_into_it(person):
    page = person
    turn_to(page, "train")
    page.wait_for_selector("#train-start")
    wait_until_idle(page)
    page.evaluate(LATE)
    page.evaluate("""() => { window.slow = /"data":\\[[^\\]]*,77,/; }""")
    page.locator(EPOCHS).first.fill("77")
    page.locator("#train-tagger label").filter(has_text="BiLSTM-CRF").click()
    page.wait_for_selector("#train-field-layers >> text=LSTM")
    has_epochs(page, "77")
    page.evaluate("() => { window.slow = undefined; }")


def has_epochs(page, value):
    """A new form is filled with what was typed a moment after it stands, and keeps that."""
    page.wait_for_function(
        "([field, value]) => document.querySelector(field)?.value === value",
        arg=[EPOCHS, value],
        timeout=5_000,
    )
    wait_until_idle(page)
    assert page.locator(EPOCHS).first.input_value() == value
