"""A file whose fields nobody knows is imported with *Map columns…*, on a wide window and on a phone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import PHONE, WIDE, new_project, turn_to
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

HOSTILE = "<img src=x onerror=alert(1)>"
RECORDS = [
    {"uid": "a-1", "beitrag": f"拜登在北京会见记者 {HOSTILE}", "zustand": HOSTILE,
     "funde": [{"von": 0, "bis": 2, "art": "PER"}, {"von": 3, "bis": 5, "art": "LOC"}]},
    {"uid": "a-2", "beitrag": "他后来去了上海的一所大学", "zustand": "offen",
     "funde": [{"von": 5, "bis": 7, "art": "LOC"}]},
    {"uid": "a-3", "beitrag": "记者在广州写了一篇报道", "zustand": "offen",
     "funde": [{"von": 3, "bis": 99, "art": "LOC"}]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options"),
    [("wide", {"viewport": WIDE}), ("phone", {**PHONE, "locale": "zh-CN"})],
)
def test_fields_are_mapped_drawn_kept_by_name_and_imported(
    people: Callable[..., Page], tmp_path: Path, name: str, options: dict
) -> None:
    page = people(**options)
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    new_project(page, f"fields of one's own, {name}")
    turn_to(page, "data")
    page.locator("#data-files input[type=file]").set_input_files(str(file))
    page.locator("#data-map").click()
    page.wait_for_selector("#data-mapping", state="visible")
    wait_until_idle(page)
    assert page.locator("#data-map-text input").input_value() == "beitrag"
    assert page.locator("#data-map-spans input").input_value() == "funde"
    picture(page, f"{name}-step")
    page.locator("#data-map-read").click()
    page.locator("#data-map-drawn .lla-root", has_text="上海").wait_for()
    page.wait_for_selector("#data-preview", state="visible")
    wait_until_idle(page)
    assert "3-99" in page.locator("#data-preview-refusals").inner_text()
    assert page.locator("img[src=x]").count() == 0
    picture(page, f"{name}-drawn")
    page.locator("#data-map-name input, #data-map-name textarea").first.fill("ours")
    page.locator("#data-map-save").click()
    page.wait_for_function("document.querySelector('#data-map-said')?.innerText.trim()")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    page.locator("#data-confirm").click()
    page.wait_for_function("/2/.test(document.querySelector('#data-result')?.innerText)")
    wait_until_idle(page)
    assert not page.locator("#data-mapping").is_visible()


def picture(page: Page, name: str) -> None:
    """Keep a picture where the environment names a folder for them."""
    folder = os.environ.get("LATTICELENS_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"mapping-{name}.png"), full_page=True)
