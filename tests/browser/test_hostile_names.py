"""A project, a label and a person whose names are Markdown and HTML: every page shows them as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from core.store import Workspace, annotations, documents, labels, projects
from core.text import Document, LabelSet, Span
from tests.browser.app_server import AppServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
WAIT = 30_000
NAME = "`![x](http://192.0.2.1/a.png)`"
TAG = "<img src=http://192.0.2.1/b.png>"
PAGES = (
    "data", "train", "tag", "inspect", "compare", "ledger", "dictionary", "dashboard", "settings", "annotate"
)  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("hostile") / "workspace"
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, NAME).id
        labels.put(workspace, project, LabelSet.from_names([NAME, TAG]))
        texts = [Document(NAME, f"{NAME}说。"), Document(TAG, f"{TAG}说。")]
        for id_, name in zip(documents.add(workspace, project, texts).ids, (NAME, TAG), strict=True):
            annotations.save(workspace, id_, 0, [Span(0, len(name), name)], user=NAME, action="label")
        projects.create(workspace, TAG)
    running = AppServer(folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def opened(browser: Browser, server: AppServer) -> Iterator[tuple[Page, set[str | None]]]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.set_default_timeout(WAIT)
    hosts: set[str | None] = set()
    context.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    page = context.new_page()
    page.goto(server.url)
    page.wait_for_selector("#annotate .lla-text:not(:empty)")
    yield page, hosts
    context.close()


def turn_to(page: Page, name: str) -> None:
    page.evaluate("name => document.getElementById(`ll-tab-${name}-button`).click()", name)
    page.wait_for_timeout(700)


def test_a_name_that_is_markup_is_text_everywhere_and_asks_no_other_host(opened):
    page, hosts = opened
    for name in PAGES:
        turn_to(page, name)
    turn_to(page, "settings")
    longer = f"{NAME} $$ {TAG}"
    page.fill("#settings-project-name input, #settings-project-name textarea", longer)
    page.click("#settings-rename-project")
    said = page.locator("#settings-projects-message")
    said.get_by_text("is called").wait_for()
    assert said.locator("code").inner_text() == longer.replace("$$", "＄＄")
    assert said.locator("img").count() == 0
    # Refused: the sentence that says so quotes the name in a toast, which gradio reads as HTML.
    page.fill("#settings-project-name input, #settings-project-name textarea", TAG)
    page.click("#settings-rename-project")
    toast = page.locator("[data-testid=toast-text]").first
    toast.wait_for()
    assert TAG in toast.inner_text()
    assert toast.locator("img").count() == 0
    assert hosts - {None, ""} == {"127.0.0.1"}
