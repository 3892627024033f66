"""A person goes once around the loop: import, train, tag, look inside, correct, retrain, read the ledger."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error

from tests.browser.app_page import MINUTES, app_page, bring_in, choose, new_project, turn_to
from tests.browser.app_server import AppServer
from tests.browser.gestures import drag, keys, saved
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.windows import Windows

pytestmark = pytest.mark.browser

NAMES = ("陈禾", "林知远", "周敏", "沈若谷", "方砚秋", "邹岚")
PLACES = ("岭南市", "青岛", "松江", "昆明")
SENTENCES = ("{name}在{place}工作。", "{name}去年到了{place}。", "昨天{name}从{place}回来。")
RAW = "温晓在榆山工作，裴远舟去年到了兰州。"


def bmes(name: str, place: str, sentence: str) -> str:
    """One sentence as rows of character and tag."""
    text = sentence.format(name=name, place=place)
    tags = ["O"] * len(text)
    for surface, label in ((name, "NAME"), (place, "LOC")):
        start = text.index(surface)
        middle = ["M"] * (len(surface) - 2)
        for offset, letter in enumerate(["B", *middle, "E"]):
            tags[start + offset] = f"{letter}-{label}"
    return "".join(f"{character} {tag}\n" for character, tag in zip(text, tags, strict=True))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    rows = [bmes(name, place, s) for name in NAMES for place in PLACES for s in SENTENCES]
    labelled = folder / "staff.bmes"
    labelled.write_text("\n".join(rows), encoding="utf-8")
    raw = folder / "raw.txt"
    raw.write_text(f"{RAW}\n今天没有人来。\n", encoding="utf-8")
    return {"labelled": labelled, "raw": raw}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("loop") / "workspace") as server:
        yield server


@pytest.fixture
def person(windows: Windows, app: AppServer) -> Iterator[Page]:
    """Somebody whose page may ask no other host; its console may tell that the app is gone."""
    with app_page(windows, app, silent=False, alone=True) as opened:
        yield opened


def wait_for_run(page: Page, name: str) -> None:
    page.wait_for_function(
        f"/{name}.*finished/s.test(document.querySelector('#train-progress').innerText)", timeout=4 * MINUTES
    )
    page.wait_for_selector("#train-activate", state="visible")


def open_document(page: Page, text: str) -> None:
    turn_to(page, "annotate")
    search = page.locator("#annotate .lla-queue input[type=search]")
    search.fill("")  # the address keeps the last search over a reload
    page.wait_for_function("/of 74/.test(document.querySelector('.lla-queue summary').innerText)")
    search.fill(text[:4])
    page.locator("#annotate .lla-document").filter(has_text=text[:6]).first.click()
    page.wait_for_function(f"document.querySelector('.lla-desk .lla-text').textContent === {text!r}")


def hotkey(page: Page, label: str) -> str:
    """The key that the label bar shows for a label."""
    return page.locator(".lla-labels button").filter(has_text=label).locator("kbd").first.inner_text()


def spans_drawn(page: Page) -> set[str]:
    found = page.eval_on_selector_all(
        ".lla-desk .lla-person[data-key]", "all => all.map((bar) => bar.dataset.key)"
    )
    return set(found)


@pytest.mark.exhaustive
def test_the_loop(person: Page, app: AppServer, files: dict[str, Path]) -> None:
    page = person

    # Import: a labelled column file and raw text, into a project of its own.
    new_project(page, "staff")
    bring_in(page, files["labelled"], documents=72)
    bring_in(page, files["raw"], documents=2)

    # Train a few epochs of a small FLAT, and activate it.
    turn_to(page, "train")
    page.wait_for_selector("#train-start", timeout=2 * MINUTES)
    for field, value in (("epochs", "8"), ("learning_rate", "0.004"), ("hidden", "32"), ("heads", "2")):
        page.locator(f"#train-field-{field} input").first.fill(value)
        page.keyboard.press("Tab")
    page.locator("#train-start").click()
    wait_for_run(page, "flat-0001")
    page.wait_for_selector("#train-curves .js-plotly-plot")
    page.locator("#train-activate").click()
    page.wait_for_function("/active: flat-0001/.test(document.querySelector('#ll-status').innerText)")

    # Tag pasted text.
    turn_to(page, "tag")
    page.locator("#tag-text textarea").fill("周敏在青岛工作。")
    page.locator("#tag-go").click()
    page.wait_for_selector("#tag-sentences .lla-text:not(:empty)")
    page.wait_for_selector("#tag-table:has-text('周敏')")

    # Look inside: the lattice with its words, the attention, BertViz, the CRF.
    turn_to(page, "inspect")
    page.wait_for_selector(".ll-lattice-board svg", state="attached")  # it opens with a sentence
    wait_until_idle(page)
    page.locator("#inspect-sentence textarea").fill("周敏在青岛工作。")
    page.locator("#inspect-look").click()
    page.wait_for_selector(".ll-lattice-board svg .ll-word")
    word = page.locator(".ll-lattice-board .ll-word").filter(has_text="青岛").first
    word.hover()
    page.wait_for_selector(".ll-lattice-note:has-text('青岛 · head 3 · tail 4')")
    page.locator("#inspect-heatmap").scroll_into_view_if_needed()  # figures are drawn near the window
    page.wait_for_selector("#inspect-heatmap .js-plotly-plot")
    page.get_by_label("BertViz head view").click()
    frame = page.frame_locator("iframe[title=BertViz]")
    frame.locator("svg text").first.wait_for()
    page.locator("#inspect-crf-plot").scroll_into_view_if_needed()
    page.wait_for_selector("#inspect-crf-plot .js-plotly-plot")

    # Correct: one span by mouse, another by keyboard.
    open_document(page, RAW)
    page.get_by_role("button", name=re.compile("Ask the tagger")).click()
    page.wait_for_function("/the tagger found/.test(document.querySelector('.lla-state').textContent)")
    drag(page, 0, 2, hotkey(page, "NAME"))
    saved(page)
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", *["ArrowRight"] * 3, "Shift+ArrowRight", "Shift+ArrowRight", hotkey(page, "LOC"))
    page.wait_for_function("document.querySelectorAll('.lla-desk .lla-person[data-key]').length === 2")
    saved(page)
    before = spans_drawn(page)
    assert before == {"person:0:2:NAME", "person:3:5:LOC"}

    # Kill the server after the acknowledgements and reload: both are there.
    app.stop(signal.SIGKILL)
    app.start()
    with suppress(Error):  # Gradio reloads the page by itself if it has noticed the new server first
        page.reload()
    page.wait_for_selector("#annotate .lla-text:not(:empty)")
    choose(page, "#ll-project", "staff")
    page.wait_for_function("/flat-0001/.test(document.querySelector('#ll-status').innerText)")
    open_document(page, RAW)
    page.wait_for_function("document.querySelectorAll('.lla-desk .lla-person[data-key]').length === 2")
    assert spans_drawn(page) == before

    # Retrain with corrections and read the ledger.
    page.get_by_role("button", name=re.compile("Mark done")).click()
    saved(page)
    turn_to(page, "train")
    page.locator("#train-retrain").click(timeout=2 * MINUTES)
    wait_for_run(page, "flat-0002")
    page.wait_for_function(r"/\d+ fixed/.test(document.querySelector('#train-decision').innerText)")
    turn_to(page, "ledger")
    page.wait_for_selector("#ledger-board .lla-text, #ledger-board td, #ledger-board [class*=row]")
    page.wait_for_function(
        r"/[1-9]\d* corrections?/.test(document.querySelector('#ledger-summary').innerText)"
    )
    page.locator("#ledger-activate").click()
    page.wait_for_function("/active: flat-0002/.test(document.querySelector('#ll-status').innerText)")
    page.locator("#ledger-roll-back").click()
    page.wait_for_function("/active: flat-0001/.test(document.querySelector('#ll-status').innerText)")
