"""A workspace of nothing but hostile text: whatever shows it, none of it runs, and no request leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import turn_to, turn_to_section
from tests.browser.hostile_page import TRAP, UNSAFE, Watched, noting, watched
from tests.browser.hostile_payloads import HOST, PAYLOADS
from tests.browser.hostile_workspace import NAMES, OTHER_RUN, PEOPLE, PROJECT, RUN, SAMPLE, fill
from tests.browser.idle import wait_until_idle
from tests.browser.test_hostile_names import PAGES

if TYPE_CHECKING:
    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

NONE_WAITS = """() => ![...document.querySelectorAll(".ll-lazy-plot[data-waiting]")]
  .some((one) => one.checkVisibility())"""
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module", autouse=True)
def hostile(app: AppServer) -> None:
    assert len(PAYLOADS) > 150
    fill(app.workspace)


def test_no_page_runs_what_it_shows(windows: Windows, app: AppServer) -> None:
    with watched(windows, app) as walk:
        page = walk.page
        for project in (PEOPLE, PROJECT):
            walk.choose(project)
            for name in PAGES if project == PROJECT else ("review", "dashboard", "annotate"):
                turn_to(page, name)
                walk.inert(f"{name} of {project}")
        for _ in range(6):  # from document to document
            page.keyboard.press("Alt+ArrowDown")
            walk.inert("the next document")
        for link in page.locator("#settings-index a").all():
            turn_to_section(page, section := str(link.get_attribute("data-section")))
            walk.inert(f"settings, {section}")


def test_no_drawer_or_dialog_does(windows: Windows, app: AppServer) -> None:
    with watched(windows, app) as walk:
        page = walk.page
        walk.choose(PROJECT)
        turn_to(page, "annotate")
        page.wait_for_selector(".lla-desk .lla-text:not(:empty)")
        mark = page.locator(".lla-desk .lla-bar.lla-person").first
        # Guideline, why a span, other occurrences, its link, similar sentences, a comment, the keys.
        for key in ("h", "y", "o", "l", "s", "c", "?"):
            mark.focus()
            page.keyboard.press(key)
            walk.inert(f"{key} at a mark")
            walk.close()
        assert HOST in page.locator(".lla-guide").inner_text()
        mark.click()
        acts = page.locator(".lla-popover [data-act]").evaluate_all(
            "all => all.map((one) => one.dataset.act)"
        )
        assert {"why", "comment", "span_history"} <= set(acts)
        for act in set(acts) - {"remove", "reject"}:
            if not page.locator(".lla-popover").is_visible():
                mark.click()
            # Not with the mouse: beside such names the menu may be longer than the window.
            page.locator(f".lla-popover [data-act={act}]").evaluate("one => one.click()")
            walk.inert(f"{act} of a mark")
            walk.close()
        for text in (PAYLOADS[1], "<", "第1篇"):
            page.keyboard.press("Control+k")
            page.wait_for_selector(".ll-palette-dialog[open]")
            page.keyboard.type(text)
            walk.inert(f"the palette, asked for {text}")
            page.keyboard.press("Escape")
            page.wait_for_selector(".ll-palette-dialog:not([open])", state="attached")


def test_no_figure_nor_what_is_saved_of_it_does(windows: Windows, app: AppServer, tmp_path: Path) -> None:
    with watched(windows, app) as walk:
        page = walk.page
        walk.choose(PEOPLE)
        turn_to(page, "dashboard")
        see_figures(walk, "the dashboard")
        page.locator("#dashboard-by").get_by_text("by label").click()
        see_figures(walk, "agreement by label")
        walk.choose(PROJECT)
        turn_to(page, "dashboard")
        see_figures(walk, "the dashboard of one person")
        turn_to(page, "compare")
        see_figures(walk, "compare")
        turn_to(page, "dictionary")
        page.get_by_role("tab", name="Measure").click()
        page.click("#dictionary-measure [data-action=start]")
        page.locator("#dictionary-measure-coverage .js-plotly-plot").wait_for(state="attached")
        see_figures(walk, "the dictionary measured")
        turn_to(page, "tag")
        page.fill("#tag-text textarea", SAMPLE)
        page.click("#tag-go")
        walk.inert("tagged")
        turn_to(page, "inspect")
        saved = []
        for run in (RUN, OTHER_RUN):
            page.locator("#inspect-run input").click()
            page.locator("#inspect-run").get_by_role("option", name=run).click()
            page.fill("#inspect-sentence textarea", SAMPLE)
            page.click("#inspect-look")
            page.wait_for_function(
                "text => document.querySelector('#inspect-view-sentence')?.textContent.includes(text)",
                arg=SAMPLE,
            )
            see_figures(walk, f"a sentence through {run}")
            saved.append(bertviz(walk, tmp_path / f"{run}.html"))
        for tab in ("errors", "embeddings"):
            page.click(f"#inspect-tab-{tab}-button")
            wait_until_idle(page)
            if tab == "embeddings":
                page.click("#inspect-embeddings-draw")
            see_figures(walk, f"the tab {tab}")
        page.click("#inspect-tab-sentence-button")
        page.wait_for_selector("#inspect-crf-plot-bar")
        bars = page.locator("[id$=-plot-bar]:visible").get_by_role("button", name="(SVG)")
        for at, save in enumerate(bars.all()[:2]):
            with page.expect_download() as download:
                save.click()
            saved.append(tmp_path / f"figure{at}.svg")
            download.value.save_as(saved[-1])
        assert len(saved) == 4
    opened(windows, *saved)


def see_figures(walk: Watched, where: str) -> None:
    """Every figure of the page drawn and hovered."""
    wait_until_idle(walk.page)
    for place in walk.page.locator(".ll-lazy-plot:visible").all():
        place.scroll_into_view_if_needed()
    walk.page.wait_for_function(NONE_WAITS)
    figures = walk.page.locator(".js-plotly-plot:visible").all()
    assert figures, where
    for figure in figures:
        figure.hover(force=True)
    walk.page.mouse.move(0, 0)
    walk.page.wait_for_timeout(200)  # Plotly follows the mouse up to 50 ms later
    walk.inert(where)


def bertviz(walk: Watched, path: Path) -> Path:
    """BertViz's drawing of the sentence, seen and saved."""
    page = walk.page
    page.get_by_role("radio", name="BertViz head view").check()
    walk.inert("BertViz")
    with page.expect_download() as download:
        page.get_by_role("button", name="As a web page (HTML)").click()
    download.value.save_as(path)
    return path


def opened(windows: Windows, *paths: Path) -> None:
    """Open what was saved: it is drawn, runs no payload and asks for nothing else."""
    for path in paths:
        did: list[str] = []
        with windows.open(own=path.as_uri()) as page, noting(page.context, did):
            page.add_init_script(TRAP)
            page.goto(path.as_uri())
            page.locator("svg").first.wait_for(state="attached")
            assert page.evaluate("window.hits") == [], path.name
            assert page.evaluate(UNSAFE) == [], path.name
            assert did == [], path.name


def test_no_sentence_about_what_was_refused_does(windows: Windows, app: AppServer, tmp_path: Path) -> None:
    """Toasts and messages quote what they refuse, and imports the names of their files."""
    with watched(windows, app) as walk:
        page = walk.page
        walk.choose(PROJECT)
        for section, field, button in (
            ("projects", "#settings-project-name", "#settings-rename-project"),
            ("tokens", "#settings-token-name", "#settings-token-make"),
            ("webhooks", "#settings-webhook-url", "#settings-webhook-make"),
        ):
            turn_to_section(page, section)
            for text in (PEOPLE, *NAMES[40:46]):
                page.fill(f"{field} input, {field} textarea", text)
                page.click(button)
                walk.inert(f"{text} in {field}")
        bad = tmp_path / f"{PAYLOADS[1]}.jsonl"
        bad.write_text(
            "".join(json.dumps({"id": text, "text": text, "spans": [[0, 99, text]]}) + "\n" for text in NAMES)
        )
        good = tmp_path / f"{PAYLOADS[5]}.txt".replace("/", "")
        good.write_text("\n".join(NAMES), encoding="utf-8")
        turn_to(page, "data")
        page.locator("#data-files input[type=file]").set_input_files([str(bad), str(good)])
        page.click("#data-look")
        page.wait_for_selector("#data-preview", state="visible")
        walk.inert("a preview")
        page.click("#data-confirm")
        page.locator("#data-result").get_by_text("Imported").wait_for()
        walk.inert("an import")
        turn_to(page, "annotate")
        walk.inert("after it")
