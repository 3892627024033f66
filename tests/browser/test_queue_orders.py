"""Choosing the order of the queue: by mouse and by keys, scored in the background, stale ones said."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from app.services.background.tasks import Task
from core.learning.active_learning import mnlp
from core.store.project import projects
from core.store.queue import queue
from core.store.queue import scores as queue_scores
from core.store.run import runs
from tests.browser.gestures import eventually
from tests.browser.orders_server import COUNT, OrdersServer
from tests.taggers.small_taggers import small_tagger

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def one_annotator() -> Iterator[OrdersServer]:
    made = OrdersServer()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def server(one_annotator: OrdersServer, tmp_path) -> Iterator[OrdersServer]:
    with one_annotator.workspace(tmp_path / "workspace") as fresh:
        yield fresh


@pytest.fixture
def desk(server, page: Page) -> Page:
    """Somebody on the page, the queue read."""
    page.goto(server.url)
    page.wait_for_selector(".lla-text:not(:empty)")
    page.wait_for_selector(".lla-document")
    return page


def listed(page: Page) -> list[int]:
    return page.locator(".lla-document").evaluate_all(
        "rows => rows.map((row) => Number(row.dataset.document))"
    )


def choose(page: Page, name: str) -> None:
    page.locator(".lla-order-button").click()
    page.locator(f".lla-order[data-order={name}]").click()


def in_order(server, name: str, highest: bool = False) -> list[int]:
    """The first page as the store sorts it."""
    order = "highest score" if highest else "lowest score"
    rows = queue.page(server.bench.workspace, server.project, order=order, acquisition=name).rows
    return [row.id for row in rows]


def test_the_menu_shows_groups_and_a_line_about_each_order(desk):
    button = desk.locator(".lla-order-button")
    assert button.text_content() == "Order: as imported"
    button.click()
    box = desk.get_by_role("listbox", name="Orders of the queue")
    assert box.is_visible()
    assert button.get_attribute("aria-expanded") == "true"
    groups = desk.locator(".lla-order-group").all_text_contents()
    assert groups == [
        "Plain",
        "Uncertainty",
        "Disagreement",
        "Diversity",
        "For unbiased evaluation",
    ]
    lines = desk.locator(".lla-order-about").all_text_contents()
    assert len(lines) == 13
    assert all(line.endswith(".") for line in lines)
    desk.mouse.click(900, 500)
    assert box.is_hidden(), "a click elsewhere closes it"


def test_an_order_is_scored_by_a_click_and_next_follows_it(server, desk):
    before = listed(desk)
    choose(desk, "mnlp")
    note = desk.locator(".lla-order-note")
    desk.get_by_text("Not scored yet.").wait_for()
    note.get_by_role("button", name="score the documents").click()
    desk.get_by_text("Scored with bilstm_crf-0002.").wait_for()
    wanted = in_order(server, "mnlp")
    eventually(lambda: listed(desk) == wanted)
    assert wanted != before
    shown = desk.locator(".lla-document .lla-score").first
    assert shown.locator("[aria-hidden]").text_content().endswith("/ char")
    assert shown.get_attribute("title").startswith("probability of the best reading per character: 0.")
    desk.locator(".lla-document").first.click()
    eventually(lambda: desk.locator("[aria-current=true]").get_attribute("data-document") == str(wanted[0]))
    desk.locator(".lla-desk .lla-text").first.focus()
    for step in (1, 2):
        desk.keyboard.press("j")
        current = str(wanted[step])
        eventually(
            lambda current=current: (
                desk.locator("[aria-current=true]").get_attribute("data-document") == current
            )
        )


def test_the_menu_by_keys_alone(server, desk):
    button = desk.locator(".lla-order-button")
    button.focus()
    desk.keyboard.press("ArrowDown")
    box = desk.get_by_role("listbox")
    assert box.is_visible()

    def pointed():
        return desk.locator(f"[id='{box.get_attribute('aria-activedescendant')}']").get_attribute(
            "data-order"
        )

    assert pointed() == "position"
    desk.keyboard.press("End")
    assert pointed() == "apart"
    desk.keyboard.press("ArrowDown")
    assert pointed() == "apart", "the end is the end"
    desk.keyboard.press("Home")
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Escape")
    assert box.is_hidden()
    assert button.text_content() == "Order: as imported", "Escape changes nothing"
    assert desk.evaluate("document.activeElement.className").find("lla-order-button") >= 0
    desk.keyboard.press("Enter")
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Enter")
    eventually(lambda: button.text_content() == "Order: random")
    assert box.is_hidden()
    rows = queue.page(server.bench.workspace, server.project, order="random").rows
    eventually(lambda: listed(desk) == [row.id for row in rows])


def test_scores_of_an_older_run_are_called_stale_and_made_anew(server, desk):
    choose(desk, "textrank")
    desk.get_by_role("button", name="score the documents").click()
    desk.get_by_text("Scored with the texts alone.").wait_for()
    choose(desk, "boundary")
    desk.get_by_role("button", name="score the documents").click()
    desk.get_by_text("Scored with bilstm_crf-0002.").wait_for()
    run = runs.create(server.bench.workspace, server.project, "bilstm_crf")
    small_tagger("bilstm_crf", 3).save(run.folder / "model")
    runs.set_status(server.bench.workspace, run.name, "finished")
    projects.set_active(server.bench.workspace, server.project, run.name)
    choose(desk, "position")
    choose(desk, "boundary")
    desk.get_by_text(f"Scored for bilstm_crf-0002; now it would be {run.name}.").wait_for()
    desk.get_by_role("button", name="score again").click()
    desk.get_by_text(f"Scored with {run.name}.").wait_for()
    eventually(lambda: listed(desk) == in_order(server, "boundary", highest=True))


def test_a_scoring_shows_how_far_it_is_and_can_be_stopped(server, desk, monkeypatch):
    go_on = threading.Event()
    original, stop = mnlp.Mnlp.measure, Task.stop

    def slow(self, chains):
        go_on.wait(60)
        return original(self, chains)

    def stopped(self):
        stop(self)
        go_on.set()  # the batch ends after the question has come, however long that was on its way

    monkeypatch.setattr(mnlp.Mnlp, "measure", slow)
    monkeypatch.setattr(Task, "stop", stopped)
    choose(desk, "mnlp")
    desk.get_by_role("button", name="score the documents").click()
    desk.get_by_text("scoring: 0%").wait_for()
    assert desk.locator(".lla-order-note progress").is_visible()
    desk.get_by_role("button", name="stop").click()
    desk.get_by_text("Not scored yet.").wait_for()
    assert queue_scores.state(server.bench.workspace, server.project, "mnlp").scored == 0


def test_what_an_order_needs_first_is_said(server, desk):
    choose(desk, "rare_label")
    desk.get_by_text("Label some first.").wait_for()
    choose(desk, "against_dictionary")
    desk.get_by_text("add some on the Dictionary page").wait_for()
    assert desk.locator(".lla-order-note button").count() == 0


def test_a_slice_is_set_apart_marked_in_the_list_and_given_back(server, desk):
    choose(desk, "apart")
    desk.get_by_text("No documents are set apart yet.").wait_for()
    share = desk.get_by_role("spinbutton")
    share.fill("30")
    desk.get_by_role("button", name="set 30% apart").click()
    desk.get_by_text("documents are set apart, 0 of them done.").wait_for()
    count = queue_scores.count_apart(server.bench.workspace, server.project)[0]
    assert 0 < count < COUNT
    eventually(lambda: desk.locator(".lla-apart").count() == count)
    assert desk.locator(".lla-document").first.locator(".lla-apart").is_visible(), "they come first"
    desk.get_by_role("button", name="release unlabelled documents").click()
    desk.get_by_text("No documents are set apart yet.").wait_for()
    eventually(lambda: desk.locator(".lla-apart").count() == 0)


def test_the_order_stays_while_the_queue_is_searched(server, desk):
    choose(desk, "k_centre")
    desk.get_by_role("button", name="score the documents").click()
    desk.get_by_text("Scored with").wait_for()
    eventually(lambda: listed(desk) == in_order(server, "k_centre"))
    desk.get_by_role("searchbox").fill("海州")
    wanted = queue.page(
        server.bench.workspace, server.project, queue.Filter(search="海州"), order="lowest score",
        acquisition="k_centre",
    ).rows  # fmt: skip
    eventually(lambda: listed(desk) == [row.id for row in wanted])
