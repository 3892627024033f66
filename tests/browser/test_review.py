"""Three people on one project: a manager hands out, two label by themselves, a reviewer makes one of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from core.store import Workspace
from core.store.annotation import annotations
from core.store.annotation.regions import Stretch
from core.store.document import documents
from core.store.knowledge import bases
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.review import decisions
from core.store.run import predictions, runs
from core.text import Document, EntityLink, LabelSet, Span
from core.text.entity_link import NIL
from core.text.knowledge_entry import KnowledgeEntry
from tests.browser.app_page import turn_to, turn_to_section
from tests.browser.gestures import drag, eventually, keys, saved
from tests.store.by_hand import mark_own, save_own

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

TEXT = "林知远先生出任青禾大学附属医院院长。"
HOSTILE = "<img src=x onerror=globalThis.hacked=1>${globalThis.hacked=1}{{x}}周敏"
PER, SHORT, LONG, TITLE = Span(0, 3, "PER"), Span(7, 11, "ORG"), Span(7, 15, "ORG"), Span(15, 17, "TITLE")

Opening = Callable[..., "Page"]
number = itertools.count(1)


@pytest.fixture
def folder(app: AppServer) -> Iterator[Path]:
    """The workspace of the app; no test meets the project of another in it."""
    yield app.workspace
    app.put_away()


def project_of(workspace: Workspace, *texts: str) -> tuple[int, tuple[int, ...]]:
    project = projects.create(workspace, f"Interviews {next(number)}")
    labels.put(workspace, project.id, LabelSet().extended(["PER", "ORG", "TITLE"]))
    batch = [Document(f"d{at}", text) for at, text in enumerate(texts)]
    return project.id, documents.add(workspace, project.id, batch).ids


def label(page: Page, *spans: Span) -> None:
    """Mark spans by mouse and key, then call the document done."""
    page.wait_for_selector(".lla-desk .lla-text:not(:empty)")
    for span in spans:
        drag(page, span.start, span.end, {"PER": "1", "ORG": "2", "TITLE": "3"}[span.label])
        page.wait_for_selector(
            f'.lla-desk .lla-person[data-key="person:{span.start}:{span.end}:{span.label}"]'
        )
    keys(page, "d")
    saved(page)


def two_versions(workspace: Workspace) -> tuple[int, tuple[int, ...]]:
    """`TEXT` finished by both with two differences, a second document finished alike, a tagger's word."""
    project, ids = project_of(workspace, TEXT, "周敏在青禾大学任教。", HOSTILE)
    run = runs.create(workspace, project, "flat").name
    runs.set_status(workspace, run, "finished")
    predictions.put_one(workspace, run, ids[0], [Span(*one.key, 0.9) for one in (PER, LONG, TITLE)])
    projects.set_active(workspace, project, run)
    for user, role in (("mia", "manager"), ("rui", "reviewer"), ("ana", "annotator"), ("bo", "annotator")):
        members.put(workspace, project, user, role, by="mia")
    assignments.set_plan(workspace, project, "separate", 2, by="mia")
    assignments.hand_out(workspace, project, ["ana", "bo"], by="mia")
    save_own(workspace, ids[0], 0, [PER, SHORT, TITLE], user="ana", status="done")
    save_own(workspace, ids[0], 0, [PER, LONG], user="bo", status="done")
    for user in ("ana", "bo"):
        save_own(workspace, ids[1], 0, [Span(0, 2, "PER")], user=user, status="done")
    return project, ids


def at_review(page: Page) -> Page:
    turn_to(page, "review")
    page.wait_for_selector(".ll-review-row")
    return page


def test_a_whole_project_from_handing_out_to_the_agreed_annotation(folder: Path, people: Opening) -> None:
    with Workspace.open(folder) as workspace:
        _, (document,) = project_of(workspace, TEXT)

    manager = people("mia")
    assert not manager.locator("#ll-tab-review-button").is_visible()  # somebody alone meets no roles
    turn_to_section(manager, "people")
    for user, role in (("ana", "annotator"), ("bo", "annotator"), ("rui", "reviewer")):
        manager.fill("#settings-member input, #settings-member textarea", user)
        manager.click("#settings-role input")
        manager.click(f"[role=option]:has-text('{role}')")
        manager.click("#settings-put-member")
        manager.wait_for_selector(f"#settings-people td:has-text('{user}')")
    assert "do not protect anything" in manager.locator("#settings-people").inner_text()
    manager.click("#settings-workflow label:has-text('separately')")
    manager.fill("#settings-overlap input", "2")
    manager.click("#settings-save-plan")
    manager.wait_for_selector("#settings-people-message:has-text('Saved')")
    manager.click("#settings-hand-out")
    manager.wait_for_selector("#settings-people-message:has-text('Assigned: 2')")

    ana, bo = people("ana"), people("bo")
    assert not ana.locator("#ll-tab-data-button").is_visible()
    label(ana, PER, SHORT)
    assert bo.locator(".lla-desk .lla-person").count() == 0  # what ana did is not to be seen
    label(bo, PER, LONG)
    bo.wait_for_selector("summary:has-text('1 of 1 done by you')")

    reviewer = at_review(people("rui"))
    reviewer.wait_for_selector(".ll-review-item[data-kind=boundary]")
    reviewer.keyboard.press("1")
    reviewer.wait_for_selector(".ll-review-decided .ll-review-accepted")
    reviewer.keyboard.press("f")
    reviewer.wait_for_selector(".ll-review-message:has-text('Reviewed')")

    with Workspace.open(folder) as workspace:
        stands = annotations.current(workspace, document)
        assert (stands.document.spans, stands.status) == ((PER, LONG), "done")
        (event,) = annotations.history(workspace, document)
        assert (event.user, event.action) == ("rui", "review")


def test_differences_are_decided_by_keys_and_the_tagger_is_blind_until_then(
    folder: Path, people: Opening
) -> None:
    with Workspace.open(folder) as workspace:
        _, ids = two_versions(workspace)
    page = people("rui")
    told: list[str] = []
    page.on("response", lambda reply: told.append(reply.text()) if "component_server" in reply.url else None)
    at_review(page)
    page.wait_for_selector(".ll-review-item")
    assert page.locator(".ll-review-item").count() == 2
    assert page.locator(".ll-review-tagger").count() == 0
    opened = next(text for text in told if '"differences"' in text)
    assert '"tagger":true' not in opened.replace(" ", "")
    assert '"only_tagger":[]' in opened.replace(" ", "")

    keys(page, "0")  # refuse both boundaries
    page.wait_for_selector(".ll-review-decided")
    assert page.locator(".ll-review-item").nth(0).locator(".ll-review-tagger").all_inner_texts() == [
        "the tagger agrees", "the tagger disagrees",
    ]  # fmt: skip
    assert page.locator(".ll-review-item").nth(1).locator(".ll-review-tagger").count() == 0
    page.locator(".ll-review-item").nth(0).locator(".ll-review-category").select_option("boundary")
    page.wait_for_selector(".ll-review-verdict:has-text('boundary')")
    keys(page, "k", "u")  # back to the first, and open again
    page.wait_for_function("document.querySelectorAll('.ll-review-decided').length === 0")
    keys(page, "e")
    editor = page.locator(".ll-review-editor")
    for _ in range(2):
        editor.get_by_label("right boundary inward").click()
    editor.get_by_text("accept this").click()
    page.wait_for_selector(".ll-review-decided")
    keys(page, "j", "1", "f")
    page.wait_for_selector(".ll-review-message:has-text('Reviewed')")
    page.click(".ll-review-undo")
    page.wait_for_selector(".ll-review-message:has-text('reverted to before')")
    page.locator(f".ll-review-row[data-document='{ids[0]}']").click()
    page.wait_for_selector(".ll-review-decided")  # one's own decisions outlive the undo
    keys(page, "f")
    page.wait_for_selector(".ll-review-message:has-text('Reviewed')")
    with Workspace.open(folder) as workspace:
        corrected = Span(7, 13, "ORG")
        assert documents.get(workspace, ids[0]).spans == (PER, corrected, TITLE)
        kept = {one.span.key: one.verdict for one in decisions.current(workspace, ids[0], by="rui")}
        assert kept == {
            corrected.key: "accepted", LONG.key: "refused", SHORT.key: "refused", TITLE.key: "accepted",
        }  # fmt: skip


def test_finishing_never_overtakes_a_decision_and_late_replies_are_dropped(
    folder: Path, people: Opening
) -> None:
    with Workspace.open(folder) as workspace:
        _, ids = two_versions(workspace)
    page = at_review(people("rui"))
    page.wait_for_selector(".ll-review-item")
    page.evaluate(
        """() => {
          const ask = window.fetch.bind(window);
          let first = true;
          window.fetch = async (...given) => {
            const late = first;
            first = false;
            if (late) await new Promise((go) => setTimeout(go, 1500));
            return ask(...given);
          };
        }"""
    )
    keys(page, "j", "1", "f", "f")  # only one of two said TITLE: without the decision it would not stand
    page.wait_for_selector(".ll-review-message:has-text('Reviewed')")
    with Workspace.open(folder) as workspace:
        assert documents.get(workspace, ids[0]).spans == (PER, TITLE)
        assert len(annotations.history(workspace, ids[0])) == 1
    page.wait_for_selector(f".ll-review-row[data-document='{ids[1]}'][aria-current]")
    page.wait_for_selector(".ll-review-version:has-text('周敏')")


def test_what_everybody_agrees_on_is_merged_at_once_after_a_preview(folder: Path, people: Opening) -> None:
    with Workspace.open(folder) as workspace:
        _, ids = two_versions(workspace)
    page = at_review(people("rui", viewport={"width": 390, "height": 1000}))
    page.wait_for_selector(".ll-review-item")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.click(".ll-review-bulk summary")
    assert "d1" in page.locator(".ll-review-bulk p").inner_text()
    page.click(".ll-review-bulk button")
    page.wait_for_selector(".ll-review-message:has-text('Documents merged: 1')")
    with closing(Workspace.open(folder)) as workspace:
        assert documents.get(workspace, ids[1]).spans == (Span(0, 2, "PER"),)
    page.click(".ll-review-undo")
    page.wait_for_selector(".ll-review-message:has-text('reverted to before')")
    with closing(Workspace.open(folder)) as workspace:
        eventually(lambda: documents.get(workspace, ids[1]).spans == ())


def test_a_reviewer_takes_a_link_of_two_or_finds_another_by_the_annotators_search(
    folder: Path, people: Opening
) -> None:
    ours, theirs = EntityLink("Q1", "林知远", "people"), EntityLink("Q2", "林知远", "people")
    with Workspace.open(folder) as workspace:
        project, (document, *_) = two_versions(workspace)
        save_own(workspace, document, 1, [Span(0, 3, "PER", link=ours)], user="ana", status="done")
        save_own(workspace, document, 1, [Span(0, 3, "PER", link=theirs)], user="bo", status="done")
        known = [KnowledgeEntry("Q3", "林知远", description=HOSTILE), KnowledgeEntry("Q4", "周敏")]
        bases.put(workspace, project, "people", enumerate(known, 1), user="mia")
    page = at_review(people("rui"))
    linked, buttons = page.locator(".ll-review-link"), page.locator(".ll-review-link button")
    expect(linked).to_contain_text("No link has most votes")
    buttons.filter(has_text="ana: ").click()
    expect(linked).to_contain_text("Q1 · people, chosen by rui")
    expect(buttons.filter(has_text="ana: ")).to_be_focused()
    page.click(".ll-review-link [data-act=other]")
    box = page.locator("#review-bench .lla-link-search")
    expect(page.locator("#review-bench .lla-link-row").first).to_contain_text("Q3")
    assert page.locator("#review-bench .lla-link-row img").count() == 0
    box.fill("周敏")
    expect(page.locator("#review-bench .lla-link-row").first).to_contain_text("Q4")
    box.press("f")  # a letter of the search, no key of the page
    box.press("Backspace")
    expect(page.locator("#review-bench .lla-link-row").first).to_contain_text("Q4")
    box.press("Enter")
    expect(linked).to_contain_text("Q4 · people, chosen by rui")
    page.locator(".ll-review-link [data-act=drop]").click()
    expect(linked).to_contain_text("No link has most votes")
    page.check(".ll-review-check:has-text('unanimous') input")
    page.locator(".ll-review-item").first.focus()
    keys(page, "l")
    page.locator("[data-act=link_nil]").click()
    expect(linked).to_contain_text("(NIL), chosen by rui")
    page.locator(".ll-review-item").first.focus()
    keys(page, "f")
    page.wait_for_selector(".ll-review-message:has-text('Reviewed')")
    with Workspace.open(folder) as workspace:
        assert documents.get(workspace, document).spans[0].link == EntityLink(NIL)


def test_hostile_text_stays_text(folder: Path, people: Opening) -> None:
    with Workspace.open(folder) as workspace:
        _, ids = two_versions(workspace)
        save_own(workspace, ids[2], 0, [Span(0, 12, "PER")], user="ana", status="done")
        save_own(workspace, ids[2], 0, [Span(0, 40, "ORG")], user="bo", status="done")
    page = at_review(people("rui"))
    page.locator(f".ll-review-row[data-document='{ids[2]}']").click()
    page.wait_for_selector(".ll-review-context:has-text('<img src=x')")
    assert page.locator("#review-bench img").count() == 0
    assert page.evaluate("globalThis.hacked") is None


def test_a_project_without_assignments_says_what_to_do(folder: Path, people: Opening) -> None:
    with Workspace.open(folder) as workspace:
        project, _ = project_of(workspace, TEXT)
        members.put(workspace, project, "mia", "manager", by="mia")
    page = people("mia")
    turn_to(page, "review")
    page.wait_for_selector(".ll-review-empty:has-text('choose “separately”')")
    page.click(".ll-review-empty button")
    page.wait_for_selector("#settings-people")


def test_a_reviewer_sees_where_somebody_has_not_annotated(folder: Path, people: Opening) -> None:
    with Workspace.open(folder) as workspace:
        _, (document, *_) = two_versions(workspace)
        save_own(workspace, document, 1, [PER, SHORT], user="ana", action="reopen", status="in_progress")
        with workspace.writing() as db:
            db.execute("UPDATE events SET action = 'label_others' WHERE annotator = 'ana'")
        mark_own(workspace, document, [Stretch(0, 5, True)], user="ana")
    page = at_review_of_unfinished(people("rui"))
    page.wait_for_selector(".ll-review-veils i", state="attached")
    assert "27% of the text reviewed" in page.inner_text(".ll-review-version >> nth=0")
    assert page.locator(".ll-review-version >> nth=1 >> .ll-review-veils i").count() == 0
    page.wait_for_selector(".ll-review-answer:has-text('not reviewed here by: ana')")


def at_review_of_unfinished(page: Page) -> Page:
    turn_to(page, "review")
    page.wait_for_selector(".ll-review-state")
    page.select_option(".ll-review-state", "unfinished")
    page.wait_for_selector(".ll-review-list:not([aria-busy]) .ll-review-row")
    page.click(".ll-review-row")
    page.check(".ll-review-check:has-text('unfinished versions') input")
    return page
