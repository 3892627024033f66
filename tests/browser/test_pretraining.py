"""A person pretrains vectors on the texts of a small project, and trains a tagger that starts from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.store.db.workspace import Workspace
from core.store.run import runs
from core.taggers.base.model_folder import load_tagger
from core.text import Document
from tests.browser.app_page import turn_to
from tests.browser.gestures import eventually
from tests.browser.staff import NAMES, PLACES, add_staff

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from core.store.project.projects import Project
    from tests.browser.app_server import AppServer

from tests.browser.idle import wait_until_idle

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module", autouse=True)
def staff(app: AppServer) -> Project:
    """Nine labelled sentences and thirty without labels."""
    raw = [Document(f"r{n}", f"{PLACES[n % 3]}今天下雨，{NAMES[n % 3]}没有来{n}次。") for n in range(30)]
    return add_staff(app.workspace, "staff with raw text", raw)


def fill(page: Page, form: str, values: dict[str, str]) -> None:
    for field, value in values.items():
        page.locator(f"#{form}-field-{field} input").first.fill(value)
        page.keyboard.press("Tab")


def shown(page: Page, *fields: str) -> list[str]:
    """Those of these fields that the form has."""
    return [field for field in fields if page.locator(f"#pretrain-field-{field}").count()]


def test_the_form_shows_what_counts(person: Page, app: AppServer) -> None:
    page = person
    turn_to(page, "train")
    page.wait_for_selector("#train-start")
    page.get_by_role("button", name="Pretrain on your own text").click()
    page.wait_for_selector("#pretrain-start")
    page.locator("#pretrain-method label").filter(has_text="Masked language model").click()
    page.wait_for_selector("#pretrain-field-encoder")
    page.locator("#pretrain-more").get_by_role("button").first.click()
    fields = ("layers", "head_steps", "span_rate", "warm_up")
    eventually(lambda: shown(page, *fields) == ["layers", "warm_up"], 60)
    page.locator("#pretrain-field-encoder input").first.click()
    page.keyboard.type("no such/folder")
    eventually(lambda: shown(page, *fields) == ["head_steps", "warm_up"], 60)
    # What is not shown is still sent, with the value it had.
    page.locator("#pretrain-name input, #pretrain-name textarea").first.fill("nothing")
    page.locator("#pretrain-start").click()
    page.wait_for_function("/failed.*too small/.test(document.querySelector('#pretrain-progress').innerText)")
    (request,) = app.workspace.glob("runs/pretrain-*/request.json")
    assert json.loads(request.read_text(encoding="utf-8"))["config"] == {"encoder": "no such/folder"}


def test_vectors_of_the_projects_own_text_become_a_taggers_first_values(
    person: Page, app: AppServer, staff: Project
) -> None:
    page = person
    turn_to(page, "train")
    page.wait_for_selector("#train-start")

    # Pretrain: open the section, give the result a name, and wait for its curve.
    page.get_by_role("button", name="Pretrain on your own text").click()
    page.wait_for_selector("#pretrain-start")
    wait_until_idle(page)  # a form that is being replaced refuses what is typed into it
    assert "39 documents" in page.locator("#pretrain-material").inner_text()
    page.locator("#pretrain-name input, #pretrain-name textarea").first.fill("our sentences")
    fill(page, "pretrain", {"dimension": "12", "least_count": "2", "epochs": "2"})
    page.locator("#pretrain-start").click()
    page.wait_for_function("/finished/.test(document.querySelector('#pretrain-progress').innerText)")
    page.wait_for_selector("#pretrain-curves .js-plotly-plot")
    assert "our sentences" in page.locator("#pretrain-table").inner_text()

    # The tagger's form has been drawn anew and offers the result by its name.
    wait_until_idle(page)
    page.locator("#train-tagger label").filter(has_text="BiLSTM-CRF").click()
    page.wait_for_function(
        "document.querySelector('#train-field-layers .info, #train-field-layers')?.innerText.includes('LSTM')"
    )
    page.locator("#train-more-tagger").get_by_role("button").first.click()
    wait_until_idle(page)  # a list that is opened before is closed by what still comes
    page.locator("#train-field-char_vectors input").click()
    page.get_by_role("option", name="our sentences").click()
    wait_until_idle(page)  # the choice may draw it anew once more
    fill(page, "train", {"epochs": "1", "hidden": "8"})
    page.locator("#train-start").click()
    page.wait_for_function("/finished/.test(document.querySelector('#train-progress').innerText)")

    with Workspace.open(app.workspace) as workspace:
        (trained,) = runs.all_runs(workspace, staff.id)
        run = trained.folder
    (result,) = (path.parts[-3] for path in app.workspace.glob("runs/pretrain-*/model/characters.vec"))
    request = json.loads((run / "request.json").read_text(encoding="utf-8"))
    assert request["config"]["char_vectors"].endswith(f"{result}/model/characters.vec")
    tagger = load_tagger(run / "model")
    assert tagger.characters.dimension == 12, "as wide as the vectors it began with"  # type: ignore[attr-defined]
