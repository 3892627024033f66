"""Somebody at the app of `inspect_workspace`: what one does on the Inspect page, and when it has answered."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.browser.app_page import choose, turn_to, visit_app
from tests.browser.app_server import SHOTS, AppServer
from tests.browser.idle import wait_until_idle
from tests.browser.inspect_workspace import TEXT

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

WAIT = 60_000
PICTURE = "id => { const plot = document.querySelector(`#${id} .js-plotly-plot`); return plot && %s; }"
# What a figure was given, as text, to tell one picture from the next.
GIVEN = "JSON.stringify([plot.data, plot.layout.title, plot.layout.xaxis, plot.layout.yaxis])"
# Where a point lies in the window.
PLACE = """([id, x, y]) => {
  const plot = document.querySelector(`#${id} .js-plotly-plot`);
  const { left, top } = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return [left + xaxis._offset + xaxis.d2p(x), top + yaxis._offset + yaxis.d2p(y)];
}"""


class Inspecting:
    """A page on the Inspect tab, and what its console said."""

    def __init__(self, page: Page, app: AppServer, project: str = "lenses") -> None:
        self.page = page
        self.problems: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        visit_app(page, app)
        self.choose("#ll-project", project)
        self.turn_to("inspect")
        page.wait_for_function("document.querySelector('#inspect-run input')?.value")
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """Wait until every call is answered and what came of it had its turn to be drawn."""
        wait_until_idle(self.page)

    def choose(self, dropdown: str, option: str) -> None:
        """Choose from a dropdown and wait for what comes of it."""
        choose(self.page, dropdown, option)
        self.wait_until_idle()

    def pick(self, group: str, number: int) -> None:
        """Click the numbered choice of a radio or of a row of boxes, and wait for what comes of it."""
        self.page.locator(f"{group} label:has(input)").nth(number).click()
        self.wait_until_idle()

    def press(self, selector: str) -> None:
        """Click, and wait for what comes of it."""
        self.page.click(selector)
        self.wait_until_idle()

    def turn_to(self, tab: str) -> None:
        """Click a page's tab, which a narrow window keeps behind the dots, and wait for what comes of it."""
        turn_to(self.page, tab)
        self.wait_until_idle()

    def look(self, run: str, text: str = TEXT) -> None:
        """Look at a sentence through a run and wait until the panels have answered."""
        looked = self.page.input_value("#inspect-sentence textarea") == text
        if self.page.input_value("#inspect-run input") != run:
            self.choose("#inspect-run", run)  # looks again at the sentence in view
        if not looked:
            self.page.fill("#inspect-sentence textarea", text)
            self.press("#inspect-look")
        self.page.wait_for_function(
            "text => document.querySelector('#inspect-view-sentence')?.textContent.includes(text)", arg=text
        )

    def ask_about(self, number: int) -> None:
        """Click the numbered span of the sentence in view: the questions are about that one."""
        self.press(f"#inspect-view-sentence .lla-bar >> nth={number}")

    def begin_what_if(self) -> None:
        """Open the panel in which the sentence can be changed, if it is not open."""
        if self.drawn("#inspect-what-if button:visible").get_attribute("id") == "inspect-what-if-begin":
            self.press("#inspect-what-if-begin")

    def come_back(self) -> None:
        """Turn to the tab of one sentence, wherever an earlier test left the page."""
        self.problems.clear()
        self.press("#ll-tab-inspect-button")
        self.press("#inspect-tab-sentence-button")

    def drawn(self, selector: str) -> Locator:
        """The first such element, once it stands in the page."""
        spot = self.page.locator(selector).first
        spot.wait_for(state="visible")
        return spot

    def figure(self, elem_id: str) -> Locator:
        """A plotly figure, once it is drawn; it waits until somebody scrolls to it."""
        self.drawn(f"#{elem_id} .ll-lazy-plot").scroll_into_view_if_needed()
        return self.drawn(f"#{elem_id} .js-plotly-plot .main-svg")

    @contextmanager
    def redrawing(self, elem_id: str) -> Iterator[None]:
        """What is done inside must end in another picture than there was."""
        self.figure(elem_id)
        before = self.page.evaluate(PICTURE % GIVEN, elem_id)
        yield
        self.figure(elem_id)
        changed = (
            f"([id, before]) => {{ const now = ({PICTURE % GIVEN})(id); return now && now !== before; }}"
        )
        self.page.wait_for_function(changed, arg=[elem_id, before])

    def values(self, elem_id: str, what: str) -> Any:
        """Something of ``plot``, plotly's element, as the figure stands."""
        return self.page.evaluate(PICTURE % what, elem_id)

    def click_point(self, elem_id: str, x: float, y: float) -> None:
        """Click a place of a figure, given in the values of its axes."""
        self.figure(elem_id).scroll_into_view_if_needed()
        across, down = self.page.evaluate(PLACE, [elem_id, x, y])
        # Plotly knows which point is meant once the mouse has rested on it.
        self.page.mouse.move(across - 1, down)
        self.page.mouse.move(across, down)
        self.drawn(f"#{elem_id} .hoverlayer .hovertext")
        self.page.mouse.click(across, down)
        self.wait_until_idle()

    def width(self) -> int:
        """How wide the page is, with what one would have to scroll to."""
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def keep(self, name: str) -> None:
        """See every figure of the page drawn; where ``PICTURES`` is set, keep a picture of the whole page."""
        for place in self.page.locator(".ll-lazy-plot:visible").all():
            place.scroll_into_view_if_needed()
            place.locator(".main-svg").first.wait_for()
        if not os.environ.get("PICTURES"):
            return  # a picture of a long page takes longer than many a test
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def check_silence(self) -> None:
        """Nothing was thrown, the console named no error, and nobody was shown one."""
        # A heatmap asks Chromium to read back a canvas; that hint is about speed and no error.
        said = [line for line in self.problems if "willReadFrequently" not in line]
        assert said == [], json.dumps(said, ensure_ascii=False)
        toasts = self.page.locator(".toast-body").all_inner_texts()
        assert toasts == [], toasts
