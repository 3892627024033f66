"""A project, a label and a person whose names are Markdown and HTML: every page shows them as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet, Span
from tests.browser.app_page import app_page, turn_to, turn_to_section
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
NAME = "`![x](http://192.0.2.1/a.png)`"
TAG = "<img src=http://192.0.2.1/b.png>"
PAGES = (
    "data", "train", "tag", "inspect", "compare", "ledger", "dictionary", "dashboard", "settings", "annotate"
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def hostile(app: AppServer) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, NAME).id
        labels.put(workspace, project, LabelSet().extended([NAME, TAG]))
        texts = [Document(NAME, f"{NAME}说。"), Document(TAG, f"{TAG}说。")]
        for id_, name in zip(documents.add(workspace, project, texts).ids, (NAME, TAG), strict=True):
            annotations.save(workspace, id_, 0, [Span(0, len(name), name)], user=NAME, action="label")
        projects.create(workspace, TAG)


def test_markup_in_names_is_text_everywhere_and_loads_nothing(windows: Windows, app: AppServer) -> None:
    with app_page(windows, app, silent=False, alone=True) as page:
        page.wait_for_selector("#annotate .lla-text:not(:empty)")
        for name in PAGES:
            turn_to(page, name)
            wait_until_idle(page)
        see_what_settings_say(page)


def see_what_settings_say(page: Page) -> None:
    turn_to_section(page, "projects")
    longer = f"{NAME} $$ {TAG}"
    page.fill("#settings-project-name input, #settings-project-name textarea", longer)
    page.click("#settings-rename-project")
    said = page.locator("#settings-projects-message")
    said.get_by_text("is now called").wait_for()
    assert said.locator("code").inner_text() == longer.replace("$$", "＄＄")
    assert said.locator("img").count() == 0
    # Refused: the sentence that says so quotes the name in a toast, which gradio reads as HTML.
    page.fill("#settings-project-name input, #settings-project-name textarea", TAG)
    page.click("#settings-rename-project")
    toast = page.locator("[data-testid=toast-text]").first
    toast.wait_for()
    assert TAG in toast.inner_text()
    assert toast.locator("img").count() == 0
