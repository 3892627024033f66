"""Pages fit their window: on a phone nothing is cut off or too small, and fields end on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.dictionary.page import TAB_NAMES
from app.main import PAGE_NAMES
from core.store import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, Label, LabelSet, Span
from tests.browser.app_page import PHONE, turn_to
from tests.browser.idle import wait_until_idle
from tests.store.by_hand import add_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

DICTIONARY = ("words", "find", "measure", "labels", "learn", "versions")
# Gradio measures copies of the tabs, which nobody sees.
COPY = ".tab-wrapper button:not([role=tab]):not(.overflow-menu > button)"
# What is seen and ends right of the window, where nothing can be scrolled to it. What lies in a box that
# scrolls by itself can be reached.
CUT_OFF = """() => {
  const scrolls = (part) => /auto|scroll/.test(getComputedStyle(part).overflowX);
  const reached = (part) => {
    for (let box = part.parentElement; box; box = box.parentElement) if (scrolls(box)) return true;
    return false;
  };
  return [...document.querySelectorAll("#ll-pages .tabitem *")]
    .filter((part) => !part.closest(COPY))
    .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !reached(part))
    .map((part) => `${part.tagName} ${part.className}`);
}""".replace("COPY", repr(COPY))
# A box to tick counts with its words, and the input of files lies behind a large button.
SMALL = """() => [...document.querySelectorAll("#ll-pages :is(button, select, summary, input)")]
  .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((part) => !part.closest(COPY) && !["checkbox", "file"].includes(part.type))
  .map((part) => (part.role === "combobox" ? part.closest(".wrap") : part))
  .filter((part) => part.getBoundingClientRect().width > 1 && part.getBoundingClientRect().height < 32)
  .map((part) => part.outerHTML.slice(0, 120))""".replace("COPY", repr(COPY))

# What a pointer has to meet (WCAG 2.5.8). Bars of spans stand within a text.
UNDER_24 = """() => [...document.querySelectorAll("#ll-pages :is(button:not(.lla-bar), select, summary)")]
  .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((part) => !part.closest(COPY))
  .filter((part) => part.getBoundingClientRect().width > 1 && getComputedStyle(part).pointerEvents !== "none")
  .filter((part) => part.getBoundingClientRect().width < 24 || part.getBoundingClientRect().height < 24)
  .map((part) => part.outerHTML.slice(0, 120))""".replace("COPY", repr(COPY))
# Numbers of sliders that their box cuts off.
CLIPPED = """() => [...document.querySelectorAll("#ll-pages input[type=number]")]
  .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .map((part) => [part, part.getBoundingClientRect(), part.parentElement.getBoundingClientRect()])
  .filter(([part, own, box]) => own.bottom > box.bottom + 1)
  .map(([part]) => part.ariaLabel)"""
# Heads of columns, the status bar and what people wrote into fields of several lines.
ENDS_IN_DOTS = """() => [...document.querySelectorAll("#ll-pages th, .ll-status > span, .ll-labels textarea")]
  .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((part) => part.clientWidth > 1)
  .filter((part) => part.scrollWidth > part.clientWidth + 1
    || (part.matches("textarea") && part.scrollHeight > part.clientHeight + 1))
  .map((part) => part.value ?? part.textContent)
  .filter(Boolean)"""


@pytest.fixture(scope="module", autouse=True)
def rivers(app: AppServer) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "rivers that fit").id
        labels.put(
            workspace,
            project,
            LabelSet([Label("PER", description="一个人的名字。" * 30)]).extended(["ORGANISATION"]),
        )
        documents.add(
            workspace,
            project,
            [Document("d", "林晓在清河散步", (Span(0, 2, "PER"),)), Document("r", "清河很长")],
        )
        add_words(workspace, project, {"清河": "ORGANISATION", "散步": "PER"}, user="lin")


def turn_to_tab(page: Page, name: str) -> None:
    """Click a tab of the Dictionary page, also one that is behind the dots."""
    button = page.locator(f"#dictionary-tab-{name}-button")
    if not button.is_visible():
        page.locator("#dictionary-tabs .overflow-menu > button").click()
        said = str(TAB_NAMES[name])
        page.locator("#dictionary-tabs .overflow-dropdown button").filter(has_text=said).click()
    else:
        button.click()
    wait_until_idle(page)


# What has the focus or scrolls by itself, and ends below the upper edge of the status bar.
UNDER_THE_BAR = """() => {
  const bar = document.querySelector("#ll-status").getBoundingClientRect().top;
  return [...document.querySelectorAll(".lla-list, .lla-side, #ll-pages :focus")]
    .filter((part) => part.checkVisibility() && part.getBoundingClientRect().bottom > bar)
    .map((part) => part.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize("size", [(1440, 900), (1366, 650), (1100, 700)])
def test_the_columns_of_the_annotator_end_above_the_status_bar_before_the_page_is_scrolled(people, size):
    page = people(viewport={"width": size[0], "height": size[1]})
    turn_to(page, "annotate")
    page.wait_for_selector(".lla-document")
    for column in (".lla-list", ".lla-side"):
        page.locator(column).evaluate("(box) => { box.style.height = '2000px'; }")  # as full as it can be
    assert page.evaluate(UNDER_THE_BAR) == []
    page.click(".lla-steps button[aria-label]")
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(UNDER_THE_BAR) == []


@pytest.mark.parametrize("options", [{}, PHONE])
def test_what_the_keyboard_reaches_and_the_last_row_come_free_of_the_status_bar(people, options):
    page = people(**options)
    turn_to(page, "data")
    wait_until_idle(page)
    page.focus("#ll-tab-data textarea")
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate(UNDER_THE_BAR) == []
    page.evaluate("scrollTo(0, 1e6)")
    last = page.locator("#ll-tab-data > .column > :visible").last.bounding_box()
    assert last["y"] + last["height"] <= page.locator("#ll-status").bounding_box()["y"]


def test_the_dictionary_fits_a_phone(people: Callable[..., Page]) -> None:
    page = people("lin", **PHONE)
    turn_to(page, "dictionary")
    for name in DICTIONARY:
        turn_to_tab(page, name)
        for more in page.locator("#dictionary-tabs summary:visible").all():
            more.click()
        assert page.evaluate(CUT_OFF) == [], name
        assert page.evaluate(SMALL) == [], name
    page.locator(".ll-words-versions button", has_text="What changed").wait_for()
    page.locator(".ll-words-versions button", has_text="What changed").click()
    assert page.evaluate(CUT_OFF) == []


def test_a_closed_section_shows_its_mark_on_a_phone(people: Callable[..., Page]) -> None:
    page = people("lin", **PHONE)
    turn_to(page, "data")
    mark = page.locator("#data-filter-box .label-wrap .icon")
    row, box = page.locator("#data-filter-box .label-wrap").bounding_box(), mark.bounding_box()
    assert row is not None
    assert box is not None
    assert row["x"] <= box["x"]
    assert box["x"] + box["width"] <= row["x"] + row["width"]
    assert abs(row["y"] + row["height"] / 2 - box["y"] - box["height"] / 2) < 2


def test_fields_beside_each_other_end_on_one_line(people: Callable[..., Page]) -> None:
    page = people("lin", viewport={"width": 1280, "height": 900})
    turn_to(page, "dictionary")
    turn_to_tab(page, "learn")
    page.locator("#learn-method").wait_for()
    fields = ":is(#learn-method, #learn-over) .wrap:has(input), :is(#learn-prior, #learn-epochs) input"
    ends = page.eval_on_selector_all(
        fields, "all => all.map((field) => Math.round(field.getBoundingClientRect().bottom))"
    )
    assert len(ends) == 4
    assert len(set(ends)) == 1
    turn_to(page, "inspect")
    page.locator("#inspect-empty button").wait_for()
    assert not page.locator("#inspect-run").is_visible()  # nothing to ask while there is no tagger
    assert not page.locator("#inspect-tabs").is_visible()


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_no_page_is_wider_than_its_window(people, locale):
    page = people("lin", viewport={"width": 1440, "height": 900}, locale=locale)
    for name in PAGE_NAMES:
        if name == "review":  # somebody alone does not have it
            continue
        turn_to(page, name)
        wait_until_idle(page)
        for width in (390, 820, 1440, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            wait_until_idle(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
            assert page.evaluate(CUT_OFF) == [], (name, width)
            assert page.evaluate(UNDER_24) == [], (name, width)
            assert page.evaluate(CLIPPED) == [], (name, width)
            assert page.evaluate(ENDS_IN_DOTS) == [], (name, width)


def test_the_menu_of_a_mark_ends_above_the_labels_on_a_phone(people):
    page = people("lin", **PHONE)
    turn_to(page, "annotate")
    page.wait_for_selector(".lla-desk .lla-bar")
    wait_until_idle(page)
    page.locator(".lla-desk .lla-stage").evaluate("stage => { stage.style.paddingTop = '300px'; }")
    page.locator(".lla-desk .lla-bar").first.click()
    menu, bar = page.locator(".lla-popover"), page.locator("#ll-tab-annotate .lla-labels")
    menu.wait_for()
    assert menu.bounding_box()["y"] + menu.bounding_box()["height"] <= bar.bounding_box()["y"]


def test_on_a_phone_no_row_is_left_empty_for_the_tour_and_a_shadow_says_that_there_is_more(people):
    page = people("lin", **PHONE)
    turn_to(page, "annotate")
    strip = page.locator(".lla-steps")
    tour, last = strip.locator(".lla-steps-tour").bounding_box(), strip.locator("li").last.bounding_box()
    # Unseen, and in a row with the last step.
    assert abs(tour["y"] + tour["height"] / 2 - last["y"] - last["height"] / 2) < 2
    shadows = page.evaluate(
        """() => {
          const links = document.createElement("nav");
          links.className = "ll-panel-links";
          document.querySelector("#ll-tab-annotate").append(links);
          const rows = [links, document.querySelector(".lla-labels")];
          return rows.map((row) => getComputedStyle(row).backgroundAttachment);
        }"""
    )
    assert all("local" in shadow and "scroll" in shadow for shadow in shadows), shadows
