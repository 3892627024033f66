"""A person lets a source of suggestions teach: it is asked on the Train page, and a run learns from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.corpus.snapshot import TAUGHT, read_snapshot
from core.sources import SourceSettings
from core.store.db.workspace import Workspace
from core.store.run import runs
from core.store.suggest import sources
from core.text import Document
from core.training.run.run_folder import RunFolder
from tests.browser.app_page import turn_to
from tests.browser.gestures import eventually
from tests.browser.staff import NAMES, PLACES, add_staff

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from core.store.project.projects import Project
    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module", autouse=True)
def staff(app: AppServer, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Nine labelled sentences, thirty raw ones of which one is in test, and a tiny pipeline of spaCy."""
    spacy = pytest.importorskip("spacy")
    zh = spacy.blank("zh")
    zh.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": name} for name in NAMES])
    pipeline = tmp_path_factory.mktemp("pipeline") / "zh"
    zh.to_disk(pipeline)
    raw = [
        Document(f"r{n}", f"{PLACES[n % 3]}今天下雨，{NAMES[n % 3]}没有来{n}次。", (),
                 {"split": "test"} if n == 0 else {})
        for n in range(30)
    ]  # fmt: skip
    project = add_staff(app.workspace, "staff with a teacher", raw)
    add_source(app.workspace, project, pipeline)
    return project


def add_source(folder: Path, project: Project, pipeline: Path) -> None:
    with Workspace.open(folder) as workspace:
        settings = SourceSettings("spacy", "names of staff", target=str(pipeline))
        sources.add(workspace, project.id, settings.to_json(), user="lin")


def test_a_source_is_asked_and_teaches_a_run(person: Page, app: AppServer, staff: Project) -> None:
    page = person
    turn_to(page, "train")
    page.wait_for_selector("#train-start")
    page.locator("#train-tagger label").filter(has_text="BiLSTM-CRF").click()
    page.wait_for_selector("#train-field-layers >> text=LSTM")
    page.get_by_role("button", name="Learn from a teacher, too").click()
    page.locator("#train-teacher-choice input").click()
    page.get_by_role("option", name="names of staff").click()
    facts = page.locator("#train-teacher-facts")
    eventually(lambda: "answered on 0 raw documents" in facts.inner_text(), 60)
    assert "29 raw documents have not been processed yet" in facts.inner_text()

    # Started too early, it says what to do.
    page.locator("#train-start").click()
    page.wait_for_selector("text=names of staff has not been run on any raw document")
    page.locator("#train-teacher-ask").click()
    eventually(lambda: "answered on 29 raw documents outside dev and test" in facts.inner_text(), 120)
    page.wait_for_selector("#train-teacher-ask", state="hidden")  # there is nothing left to ask

    page.locator("#train-field-epochs input").first.fill("1")
    page.keyboard.press("Tab")
    page.locator("#train-start").click()
    page.wait_for_function("/finished/.test(document.querySelector('#train-progress').innerText)")
    page.wait_for_selector("text=Learning from the answers of names of staff on 29 raw texts")
    with Workspace.open(app.workspace) as workspace:
        (run,) = runs.all_runs(workspace, staff.id)
    folder = RunFolder(run.folder)
    assert folder.read_request().teacher["labels"] == "PER"
    assert len(read_snapshot(folder.snapshot)[TAUGHT]) == 29

    # That run teaches the next one; it is offered as soon as it is there.
    turn_to(page, "annotate")
    turn_to(page, "train")
    page.locator("#train-teacher-choice input").click()
    page.get_by_role("option", name=run.title).click()
    eventually(lambda: "Before the first epoch it reads" in facts.inner_text(), 60)
    page.locator("#train-start").click()
    page.wait_for_selector("text=/The teacher reads 3[78] texts/")
    eventually(lambda: len(pupils(app, staff)) == 2, 120)


def pupils(app: AppServer, staff: Project) -> list[str]:
    """The names of the finished runs."""
    with Workspace.open(app.workspace) as workspace:
        return [run.name for run in runs.all_runs(workspace, staff.id, "finished")]
