"""What a person sees of a limit: why, and the way on; nothing of theirs is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from app.server.limits.limited import _refusal
from app.services.limits.refusals import too_many_requests
from tests.browser.app_page import PHONE, app_page, turn_to
from tests.browser.app_server import AppServer
from tests.browser.gestures import UNSENT, eventually, keys, select
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

SECONDS = 3
TOO_OFTEN = f"You have asked more often than this server allows. Try again in {SECONDS} seconds."


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("limits") / "workspace") as server:
        yield server


@contextmanager
def refused(page: Page, path: str, asks: Callable[[dict], bool] = lambda body: True) -> Iterator[list[str]]:
    """In the block the requests to ``path`` are beyond a limit, with the answer that the app gives."""
    scope = {"type": "http", "path": f"/gradio_api/{path}", "headers": []}
    answer = _refusal(too_many_requests(SECONDS), scope, scope["path"])
    told: list[str] = []

    def refuse(route: Route) -> None:
        if not asks(route.request.post_data_json):
            return route.fallback()
        told.append(route.request.url)
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return route.fulfill(status=answer.status_code, headers=headers, body=bytes(answer.body).decode())

    addresses = re.compile(re.escape(f"/gradio_api/{path}"))
    page.route(addresses, refuse)
    try:
        yield told
    finally:
        page.unroute(addresses, refuse)


def asks_for(name: str) -> Callable[[dict], bool]:
    return lambda body: body.get("fn_name") == name


def test_a_page_that_is_refused_says_so_in_its_place_and_is_there_after_another_try(windows, app):
    from playwright.sync_api import expect

    with app_page(windows, app, silent=False) as page:
        said = page.locator("#ll-left-empty")
        wait_until_idle(page)
        with refused(page, "queue/join"):
            turn_to(page, "data")
            expect(said).to_be_visible()
            expect(said).to_contain_text(TOO_OFTEN)
            expect(page.locator("#ll-tab-data")).not_to_be_visible()
            page.click("#ll-try-again")
            expect(said).to_be_visible()  # again: the click hides it until the answer is there
            expect(said).to_contain_text(TOO_OFTEN)
        page.click("#ll-try-again")
        expect(said).not_to_be_visible()
        expect(page.locator("#data-table")).to_be_visible()
        with refused(page, "queue/join"):  # a page that has its contents keeps them
            turn_to(page, "annotate")
            turn_to(page, "data")
            expect(page.locator("#data-table")).to_be_visible()


def test_a_save_that_is_refused_is_seen_kept_and_sent_again_by_itself(windows, app):
    from playwright.sync_api import expect

    with app_page(windows, app, silent=False) as page:
        page.wait_for_selector(".lla-desk .lla-text:not(:empty)")
        banner = page.locator(".lla-banner")
        with refused(page, "component_server", asks_for("save_edit")) as told:
            select(page, 0, 2)
            keys(page, "1")
            expect(banner).to_contain_text(f"Not saved yet: {TOO_OFTEN} Your edit is kept in this browser")
            assert page.inner_text(".lla-state") == "kept in this browser"
            assert page.evaluate(UNSENT) == 1
        expect(banner).not_to_be_visible()  # nobody pressed anything
        eventually(lambda: page.evaluate(UNSENT) == 0, page=page)
        assert told


@pytest.mark.parametrize("narrow", [False, True])
def test_the_status_bar_says_all_of_a_refusal(windows, app, narrow):
    with app_page(windows, app, silent=False, **(PHONE if narrow else {})) as page:
        with refused(page, "component_server", asks_for("status")):
            page.wait_for_selector(".ll-status-lost")
            said = page.locator(".ll-status-active")
            assert said.inner_text() == TOO_OFTEN
            fits = "it => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight"
            eventually(lambda: said.evaluate(fits), page=page)
            box = said.bounding_box()
            assert box["y"] + box["height"] <= page.viewport_size["height"]
        page.wait_for_selector(".ll-status-lost", state="detached")
