"""Errors, Embeddings and Probing as a person meets them: figures that lead to sentences, curves that grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.gestures import eventually
from tests.browser.inspect_workspace import CONTRADICTORY, PLACE
from tests.browser.inspecting import Inspecting

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

POINTS = ".scatterlayer .points path"
CONFUSION = "inspect-errors-confusion"
DESK_SHOWS = "text => document.querySelector('#annotate .lla-desk .lla-text')?.textContent === text"
BELOW = ("boundaries", "length", "frequency", "novelty", "calibration")


def errors_of(inspecting: Inspecting, run: str) -> Locator:
    """The Errors tab of a run; gives the title of its list."""
    inspecting.choose("#inspect-run", run)
    inspecting.press("#inspect-tab-errors-button")
    inspecting.figure(CONFUSION)
    return inspecting.drawn("#inspect-errors-rows .ll-errors-title")


def test_the_errors_of_a_run_lead_to_their_sentences(inspecting: Inspecting) -> None:
    page = inspecting.page
    title = errors_of(inspecting, "bert-mean")
    for name in BELOW:
        inspecting.figure(f"inspect-errors-{name}")
    inspecting.keep("errors")
    with inspecting.redrawing(CONFUSION):
        inspecting.press("#inspect-errors-diagonal input")
    labels = inspecting.values(CONFUSION, "plot._fullLayout.xaxis.ticktext")
    own = [
        inspecting.values(CONFUSION, f"Number(plot.data[0].z[{at}][{at}])") for at in range(len(labels) - 1)
    ]
    row = next(at for at, count in enumerate(own) if count)
    label, count = labels[row], own[row]
    inspecting.click_point(CONFUSION, row, row)
    assert title.inner_text() == f"{label} → {label}: {count}, 0 of them mistakes"
    rows = page.locator("#inspect-errors-rows .ll-errors-row")
    assert rows.count() == count
    sentence = rows.first.locator(".lla-text").inner_text().strip("…")

    inspecting.press("#inspect-errors-rows .ll-errors-go >> text=Inspect sentence")
    assert sentence in inspecting.drawn("#inspect-view-sentence .lla-text").inner_text()
    assert sentence in page.input_value("#inspect-sentence textarea")
    inspecting.figure("inspect-crf-plot")

    errors_of(inspecting, "bert-mean")
    inspecting.click_point(CONFUSION, row, row)
    inspecting.press("#inspect-errors-rows .ll-errors-go >> text=Open in Annotate")
    page.wait_for_selector("#ll-tab-annotate-button[aria-selected=true]")
    assert sentence in inspecting.drawn("#annotate .lla-desk .lla-text").inner_text()


def test_contradictions_are_listed_with_both_places_and_lead_to_their_document(
    windows: Windows, lenses: AppServer
) -> None:
    with windows.open(silent=True, viewport={"width": 1440, "height": 900}) as page:
        inspecting = Inspecting(page, lenses, "contradictory")
        inspecting.press("#inspect-tab-errors-button")
        button = inspecting.drawn("#inspect-errors-contradictions")
        assert button.inner_text() == "Show 1 contradiction"
        inspecting.press("#inspect-errors-contradictions")
        rows = page.locator("#inspect-errors-rows .ll-errors-row")
        assert rows.count() == 1
        assert rows.locator(".ll-errors-claim").inner_text().split() == ["2", "places", PLACE]
        notes = rows.locator(".ll-errors-note").all_inner_texts()
        texts = rows.locator(".lla-text").all_inner_texts()
        labelled, not_labelled = CONTRADICTORY
        assert dict(zip(notes, texts, strict=True)) == {
            "LOC, 1 of 2": labelled, "not labelled, 1 of 2": not_labelled
        }  # fmt: skip
        inspecting.keep("errors-contradictions")

        for text, chips in ((not_labelled, []), (labelled, ["LOC"])):
            inspecting.turn_to("inspect")
            place = rows.locator(".ll-errors-sentence").filter(has_text=text)
            place.get_by_role("button", name="Open in Annotate").click()
            page.wait_for_selector("#ll-tab-annotate-button[aria-selected=true]")
            page.wait_for_function(DESK_SHOWS, arg=text)
            drawn = page.locator("#annotate .lla-desk .lla-person .lla-chip")
            eventually(lambda drawn=drawn, chips=chips: drawn.all_inner_texts() == chips)


def test_two_runs_stand_side_by_side_and_a_point_leads_to_its_sentence(inspecting: Inspecting) -> None:
    page = inspecting.page
    inspecting.choose("#inspect-run", "bert-last")
    inspecting.press("#inspect-tab-embeddings-button")
    inspecting.choose("#inspect-embeddings-other", "elmo_crf-0001")
    inspecting.press("#inspect-embeddings-draw")
    for figure in ("plot", "beside"):
        inspecting.figure(f"inspect-embeddings-{figure}")
    assert page.locator(f"#inspect-embeddings-plot {POINTS}").count() > 3
    across, down = inspecting.values(
        "inspect-embeddings-plot", "[plot.calcdata[0][0].x, plot.calcdata[0][0].y]"
    )
    inspecting.click_point("inspect-embeddings-plot", across, down)
    inspecting.drawn("#inspect-embeddings-sentence .lla-bar")
    inspecting.keep("embeddings")
    inspecting.press("#inspect-embeddings-open")
    page.wait_for_selector("#ll-tab-annotate-button[aria-selected=true]")


def test_probes_fill_the_figure_and_a_curve_grows_outside_the_app(inspecting: Inspecting) -> None:
    page = inspecting.page
    inspecting.choose("#inspect-run", "elmo_crf-0001")
    inspecting.press("#inspect-tab-probing-button")
    inspecting.pick("#inspect-probing-characters", 0)
    page.click("#inspect-probing-start")
    inspecting.figure("inspect-probing-plot")
    page.wait_for_selector("#inspect-probing-plot .scatterlayer path.js-line")
    inspecting.wait_until_idle()
    assert page.locator("#inspect-probing-start").is_enabled()
    for place in range(6):  # only the whole, so that one training is all
        page.locator("#inspect-curve-shares label input").nth(place).set_checked(place == 5)
    inspecting.choose("#inspect-run", "flat-0001")
    page.click("#inspect-curve-start")
    inspecting.figure("inspect-curve-plot")
    page.wait_for_selector(f"#inspect-curve-plot {POINTS}")
    inspecting.wait_until_idle()
    inspecting.keep("probing")
