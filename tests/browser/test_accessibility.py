"""Every page can be read and used by everybody: axe-core's rules, headings, calm, and room for the text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from app.settings.sections import SECTIONS
from tests.browser.app_page import app_page, turn_to, turn_to_section
from tests.browser.app_server import AppServer
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# All but Review, which a person alone does not have.
PAGES = (
    "annotate", "data", "train", "tag", "inspect", "compare", "ledger", "dictionary", "dashboard", "settings",
)  # fmt: skip
SERIOUS = ("serious", "critical")
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries()) {
      const parts = sources.map(({ node }) => node?.outerHTML?.slice(0, 120));
      window.shifts.push({ value, at: startTime, parts });
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("accessible") / "workspace") as server:
        yield server


def findings(page: Page, within: str = "", **options: Any) -> list[str]:
    """What axe-core calls serious or critical in the document or a part of it: rule, what is wrong, where."""
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        "async ([within, options]) => (await axe.run(within || document, options)).violations",
        [within, {"resultTypes": ["violations"], **options}],
    )
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:160]} {node['target']} {_why(node)}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


def _why(node: dict[str, Any]) -> str:
    return " ".join(check["message"] for kind in ("any", "all", "none") for check in node[kind])


DIALOGS = {
    "palette": (lambda page: page.keyboard.press("Control+k"), ".ll-palette-dialog[open]", "[role=option]"),
    "keys": (lambda page: page.click("[data-action=keys]"), ".lla-dialog[open]", "li, td, dt, kbd"),
}
COLOURS = ["color-contrast", "link-in-text-block"]


def places(page: Page) -> Iterator[tuple[str, str]]:
    """Go to every page, section of Settings and dialog; its name, and what is new there."""
    for name in PAGES:
        turn_to(page, name)
        wait_until_idle(page)
        yield name, f"#ll-tab-{name}"
    for name in SECTIONS.keys() - {"logins"}:  # nobody logs in here
        turn_to_section(page, name)
        yield f"settings, {name}", f"#settings-section-{name}"
    turn_to(page, "annotate")
    for name, (open_it, dialog, part) in DIALOGS.items():
        open_it(page)
        page.locator(dialog).locator(part).first.wait_for()
        yield name, dialog
        page.keyboard.press("Escape")


def test_axe_finds_nothing_serious_anywhere(windows, app):
    """Colours in the light and in the dark; every other rule of the whole document on each page.

    In Chinese: what has no name in one language has none in the other, whose catalogue has all messages.
    """
    others = {rule: {"enabled": False} for rule in COLOURS}
    wrong = []
    calm = {"color_scheme": "light", "reduced_motion": "reduce"}
    with app_page(windows, app, locale="zh-CN", **calm) as page:
        turned = "dark => document.body.classList.contains('dark') === dark"
        dark = False
        for name, part in places(page):
            found = findings(page, "" if name in PAGES else part, rules=others)
            wrong += [f"{name}: {one}" for one in found]
            within = "" if name == PAGES[0] else part  # around the pages it is the same on all of them
            for _ in range(2):
                said = f"{name}, {'dark' if dark else 'light'}"
                wrong += [f"{said}: {one}" for one in findings(page, within, runOnly=COLOURS)]
                dark = not dark
                page.evaluate("document.querySelector('#ll-theme').click()")  # a dialog lies before it
                page.wait_for_function(turned, arg=dark)
                wait_until_idle(page)
    assert wrong == []


def test_no_title_of_a_field_shows_through_what_lies_over_it(windows, app):
    """The button that starts a training, links to panels and the status bar lie over fields that scroll."""
    with app_page(windows, app) as page:
        turn_to(page, "train")
        page.wait_for_selector("#train-start")
        raised = page.eval_on_selector_all(
            "[data-testid=block-info]", "all => all.map(one => getComputedStyle(one).zIndex)"
        )
        assert set(raised) == {"auto"}


def has_one_first_heading(page: Page) -> bool:
    """Whether what is seen has one heading of the first level, in front, and none that leaves a level out."""
    levels = page.eval_on_selector_all(
        "h1, h2, h3, h4, h5, h6",
        "all => all.filter(one => one.checkVisibility()).map(one => Number(one.tagName[1]))",
    )
    steps = all(after <= before + 1 for before, after in pairwise(levels))
    return levels.count(1) == 1 and levels[0] == 1 and steps


def test_every_page_has_one_first_heading_one_column_on_a_phone_and_stays_where_it_is(windows, app):
    """Layout shifts (CLS) of a page later than a second after it was opened add up to no more than 0.02."""
    moved, without = {}, []
    with app_page(windows, app, has_touch=True) as page:
        wide = page.viewport_size
        wait_until_idle(page)
        page.evaluate(SHIFTS)
        for name in PAGES:
            turn_to(page, name)
            second = page.evaluate("performance.now()") + 1000
            wait_until_idle(page)  # a slow machine needs longer than a second
            since = max(second, page.evaluate("performance.now()"))
            page.wait_for_timeout(1500)
            after = page.evaluate("since => window.shifts.filter(({ at }) => at > since)", since)
            if sum(shift["value"] for shift in after) > 0.02:
                moved[name] = after
            if not has_one_first_heading(page):
                without.append(name)
            page.set_viewport_size({"width": 390, "height": 844})
            page.wait_for_function("document.documentElement.scrollWidth === 390")
            page.set_viewport_size(wide)
    assert (moved, without) == ({}, [])


@pytest.mark.parametrize(
    ("width", "height", "touch"),
    [(1440, 900, False), (720, 450, False), (390, 844, True)],
    ids=["wide", "zoomed", "phone"],
)
def test_the_text_is_seen_without_scrolling(windows, app, width, height, touch):
    options = {"viewport": {"width": width, "height": height}, "has_touch": touch, "is_mobile": touch}
    with app_page(windows, app, **options) as page:
        page.wait_for_selector(".lla-text:not(:empty)")
        wait_until_idle(page)
        seen = page.evaluate(
            """() => {
              const text = document.querySelector(".lla-desk .lla-text");
              const range = document.createRange();
              range.selectNodeContents(text);
              const line = range.getClientRects()[0];
              const floor = [...document.querySelectorAll("#ll-status, .lla-labels")]
                .filter((part) => getComputedStyle(part).position === "fixed")
                .map((part) => part.getBoundingClientRect().top);
              return Math.min(innerHeight, ...floor) - line.bottom;
            }"""
        )
        assert seen >= 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_wide_window_is_used(windows, app):
    with app_page(windows, app, viewport={"width": 1920, "height": 1000}) as page:
        page.wait_for_selector(".lla-text:not(:empty)")
        left, right = page.eval_on_selector_all(
            ".lla-queue, .lla-side",
            "all => all.map(one => one.getBoundingClientRect()).sort((a, b) => a.left - b.left)"
            ".map(({ left, right }, at) => at ? right : left)",
        )
        assert left <= 40
        assert right >= 1880
