"""The app is stopped while somebody works: the page keeps the edit, and it arrives after the restart."""

from __future__ import annotations

import pytest

from core.store.annotation import annotations
from core.store.db.workspace import Workspace
from tests.browser.app_page import app_page
from tests.browser.app_server import AppServer
from tests.browser.gestures import UNSENT, drag, eventually

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def test_an_edit_made_while_the_app_is_down_arrives_after_its_restart(windows, tmp_path):
    server = AppServer(tmp_path / "workspace")
    server.start()
    try:
        with app_page(windows, server, silent=False) as page:
            page.wait_for_selector(".lla-desk .lla-text:not(:empty)")
            number = int(page.evaluate("() => window.latticelens.place('annotate').document"))
            server.stop()
            drag(page, 0, 1, "1")
            page.wait_for_selector(".lla-banner:visible")
            assert page.inner_text(".lla-state") == "kept in this browser"
            assert page.evaluate(UNSENT) == 1
            server.start()
            # Its sessions went with the old process, so the banner offers a reload once it answers again.
            page.wait_for_selector(".lla-banner button:visible:has-text('Reload')")
            page.on("dialog", lambda dialog: dialog.accept())
            page.click(".lla-banner button:visible:has-text('Reload')")
            page.wait_for_selector(".lla-desk .lla-text:not(:empty)")
            eventually(lambda: page.evaluate(UNSENT) == 0, seconds=60)
        server.stop()
        with Workspace.open(server.workspace) as opened:
            spans = annotations.current(opened, number).document.spans
            assert (0, 1) in {(span.start, span.end) for span in spans}
    finally:
        server.stop()
