"""Somebody asks too often: the page says so in its language, keeps the edit and sends it when it may."""

from __future__ import annotations

import pytest

from app.i18n import text
from tests.browser.app_page import PHONE, app_page
from tests.browser.app_server import AppServer
from tests.browser.gestures import UNSENT, drag, eventually
from tests.browser.idle import wait_until_idle

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# What another window of the same person asks, until nothing is left; gives the last status.
SPEND = """async () => {
  for (;;) {
    const answer = await fetch("config");
    if (answer.status === 429) return (await answer.json()).detail;
  }
}"""
SAID = "You have asked more often than this server allows."


@pytest.mark.parametrize(
    ("language", "options"), [("en", {}), ("zh", {"locale": "zh-CN", "color_scheme": "dark", **PHONE})]
)
def test_a_refused_save_is_kept_and_sent_again(windows, tmp_path, language, options):
    said = text(SAID + " Try again in {time}.", language, time="").split("{")[0][:12]
    with (
        AppServer(tmp_path / "workspace", "--limit-requests", "120/m") as server,
        app_page(windows, server, silent=False, **options) as page,
    ):
        page.wait_for_selector(".lla-desk .lla-text:not(:empty)")
        wait_until_idle(page)
        assert said in page.evaluate(SPEND)
        drag(page, 0, 1, "1") if language == "en" else page.evaluate(
            "document.querySelector('#ll-tab-data-button, [role=tab]').click()"
        )
        if language == "en":
            page.wait_for_selector(f".lla-banner:visible:has-text('{SAID}')")
            assert page.inner_text(".lla-state") == "kept in this browser"
            eventually(lambda: page.evaluate(UNSENT) == 0, seconds=60)
        else:
            page.wait_for_selector(f".toast-body:has-text('{said}')")
