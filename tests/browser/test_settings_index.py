"""The index of Settings: addresses, Back, the choice on a phone, and what an annotator does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.document import documents
from core.store.project import members, projects
from core.text import Document
from tests.browser.app_page import PHONE, choose, turn_to, turn_to_section
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def shown(page: Page) -> list[str]:
    return page.eval_on_selector_all(
        ".ll-settings-section", "all => all.filter((one) => one.checkVisibility()).map((one) => one.id)"
    )


def test_sections_have_addresses_and_back_returns(app: AppServer, people: Callable[..., Page]) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "indexed").id
        documents.add(workspace, project, [Document("d", "林晓在清河散步")])
        members.put(workspace, project, "lin", "manager", by="lin")
        members.put(workspace, project, "ann", "annotator", by="lin")
    page = people("lin")
    choose(page, "#ll-project", "indexed")
    turn_to(page, "settings")
    wait_until_idle(page)
    assert shown(page) == ["settings-section-labels"]
    turn_to_section(page, "webhooks")
    turn_to_section(page, "people")
    assert "section=people" in page.url
    assert shown(page) == ["settings-section-people"]
    assert page.locator("#settings-index a[aria-current]").inner_text() == "People"
    page.go_back()
    page.wait_for_selector("#settings-section-webhooks")
    assert shown(page) == ["settings-section-webhooks"]
    turn_to(page, "data")
    turn_to(page, "settings")  # as it was left
    page.wait_for_selector("#settings-section-webhooks")
    page.reload()
    page.wait_for_selector("#settings-section-webhooks")

    phone = people("ann", **PHONE)
    choose(phone, "#ll-project", "indexed")
    turn_to_section(phone, "people")
    assert shown(phone) == ["settings-section-people"]
    assert not phone.locator("#settings-index nav").is_visible()
    assert phone.locator("#settings-index option[value=webhooks]").count() == 0
    phone.evaluate("location.hash = location.hash.replace('people', 'webhooks')")
    phone.wait_for_selector("#settings-section-labels")
    assert shown(phone) == ["settings-section-labels"]
