"""What BertViz drew is saved as one file that needs no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import gradio as gr
import pytest

from app.inspect.widgets.bertviz_frame import bertviz_frame, bertviz_page
from app.ui.window.theme import css_paths
from tests.app.inspect.widgets.test_bertviz_frame import piece_trace
from tests.browser.blocks_server import serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def drawn() -> Iterator[tuple[str, str]]:
    """The address of a page with one frame, and what was put into it."""
    page = bertviz_page(piece_trace(), "neuron")
    with gr.Blocks(analytics_enabled=False) as demo:
        frame = bertviz_frame("BertViz")
        value = {"page": page, "height": 300, "view": "neuron"}
        demo.load(lambda: value, None, frame, api_visibility="private")
    yield serve(demo, css_paths=css_paths()), page
    demo.close(verbose=False)


GROUND = "() => getComputedStyle(document.documentElement).backgroundColor"
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 24, 28)"}


def test_the_view_has_the_colours_of_the_theme_and_a_saved_page_those_of_the_browser(
    page: Page, drawn: tuple[str, str], tmp_path: Path
) -> None:
    address, content = drawn
    page.goto(address)
    page.locator("iframe").wait_for()
    for theme in ("light", "dark", "light"):
        page.evaluate("dark => document.body.classList.toggle('dark', dark)", theme == "dark")
        page.evaluate("window.dispatchEvent(new CustomEvent('latticelens:theme'))")
        ground = page.frame_locator("iframe").locator(f"html.{theme}")
        ground.locator("svg").first.wait_for(state="attached")
        assert ground.evaluate("html => getComputedStyle(html).backgroundColor") == PAPER[theme]
    copy = tmp_path / "view.html"
    copy.write_text(content, encoding="utf-8")
    for scheme in PAPER:
        page.emulate_media(color_scheme=scheme)
        page.goto(copy.as_uri())
        assert page.evaluate(GROUND) == PAPER[scheme]


def test_the_view_is_saved_as_a_page_of_its_own(page: Page, drawn: tuple[str, str], tmp_path: Path) -> None:
    address, content = drawn
    page.goto(address)
    save = page.get_by_role("button", name="As a web page (HTML)")
    save.wait_for(timeout=60_000)
    with page.expect_download() as saved:
        save.click()
    assert saved.value.suggested_filename == "bertviz-neuron.html"
    copy = tmp_path / "view.html"
    saved.value.save_as(copy)
    assert copy.read_text(encoding="utf-8") == content
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split(":")[0]))
    page.goto(copy.as_uri())
    page.locator("svg line, svg rect").first.wait_for(state="attached")
    assert hosts <= {"file", "data", "blob"}
