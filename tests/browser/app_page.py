"""A page at the whole app, and what a person does in it whatever they came for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.i18n import LANGUAGES, text
from app.main import PAGE_NAMES
from tests.browser.idle import COUNTING, wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

MINUTES = 60_000.0
WIDE = {"width": 1440, "height": 1000}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@contextmanager
def app_page(
    windows: Windows,
    app: AppServer,
    user: str = "",
    silent: bool = True,
    alone: bool = False,
    **options: Any,
) -> Iterator[Page]:
    """The app in English once it can be used; no error may be told of in it.

    Args:
        user: the name the person gave at an earlier visit. silent: as `Windows.open` has it. alone: no other
            host may be asked. options: of the browser's context, where they are not those of a wide window.
    """
    with windows.open(silent, own=app.url if alone else "", **{"viewport": WIDE, **options}) as page:
        page.set_default_timeout(2 * MINUTES)
        if user:
            # A frame that is a page of its own, such as BertViz's, may have no storage.
            page.add_init_script(f"if (window === top) localStorage.setItem('latticelens.user', {user!r})")
        visit_app(page, app)
        yield page


def visit_app(page: Page, app: AppServer) -> None:
    """Open the app and wait for its session; `wait_until_idle` works from then on."""
    page.add_init_script(COUNTING)
    page.goto(app.url)
    page.wait_for_selector("html.ll-ready", state="attached")


def come_again(page: Page) -> None:
    """Reload once nothing is under way: gradio tells the console of every stream that breaks."""
    wait_until_idle(page)
    page.reload()


def turn_to(page: Page, tab: str) -> None:
    """Click a page's tab, which a narrow window keeps behind the dots, and wait until the page is seen."""
    page.wait_for_selector("html.ll-ready")  # a page that was just reloaded has no tabs yet
    button = page.locator(f"#ll-tab-{tab}-button")
    if button.is_visible():
        button.click()
    else:
        names = "|".join(text(PAGE_NAMES[tab], language) for language in LANGUAGES)
        page.locator("#ll-pages .overflow-menu > button").first.click()
        listed = page.locator("#ll-pages .overflow-dropdown button")
        listed.filter(has_text=re.compile(rf"^\s*({names})\s*$")).click()
    page.wait_for_selector("html:not(.ll-filling)")


def turn_to_section(page: Page, section: str) -> None:
    """Turn to a section of Settings; in a narrow window its index is a choice."""
    turn_to(page, "settings")
    link = page.locator(f"#settings-index a[data-section={section}]")
    choice = page.locator("#settings-index select")
    page.wait_for_selector("#settings-index select", state="attached")
    if link.is_visible():
        link.click()
    else:
        choice.select_option(section)
    page.wait_for_selector(f"#settings-section-{section}")


def choose(page: Page, dropdown: str, option: str) -> None:
    """From the list of this dropdown: one that was closed a moment ago may still be fading out."""
    page.locator(f"{dropdown} input").click()
    page.locator(dropdown).get_by_role("option", name=option, exact=True).click()


def new_project(page: Page, name: str) -> None:
    """Make an empty project; the page is in it then, on Annotate."""
    page.click("#ll-new-project")
    page.fill(".ll-setup input[type=text]", name)
    page.click(".ll-setup [data-act=create_now]")
    page.wait_for_function("name => document.querySelector('#ll-project input').value === name", arg=name)
    page.wait_for_selector("#ll-tab-annotate .lla-empty", state="visible")
    wait_until_idle(page)


def bring_in(page: Page, file: Path, documents: int) -> None:
    """Import a file on the Data page."""
    turn_to(page, "data")
    page.locator("#data-files input[type=file]").set_input_files(str(file))
    page.locator("#data-look").click()
    page.wait_for_selector("#data-preview", state="visible")
    page.locator("#data-confirm").click()
    told = f"/Imported {documents} documents/.test(document.querySelector('#data-result')?.innerText)"
    page.wait_for_function(told)


def traces(page: Page, elem_id: str) -> int:
    """Scroll to a figure and wait for it; how many traces it has."""
    figure = page.locator(f"#{elem_id} .js-plotly-plot")
    page.locator(f"#{elem_id}").scroll_into_view_if_needed()
    figure.wait_for()
    return int(figure.evaluate("plot => plot.data.length"))
