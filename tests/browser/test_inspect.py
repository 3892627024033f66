"""The Inspect page as a person meets it, with a tagger of every kind: all panels drawn, a silent console.

With ``PICTURES=1`` in the environment screenshots are kept in ``screenshots/`` at the repository's root, for
somebody to look at.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.inspect.page import TAB_NAMES
from core.text.units import words
from tests.browser.app_page import PHONE
from tests.browser.inspect_workspace import ARABIC, ENGLISH, HEBREW, RIGHT_TO_LEFT, RUNS, TEXT
from tests.browser.inspecting import Inspecting

if TYPE_CHECKING:
    from core.text import Document
    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# Every panel by the name in its link: the element that is hidden where a tagger has none of it, and what must
# be drawn where it has. In the order of the page.
PANELS = {
    "Why this span": ("inspect-why-group", ("#inspect-why .ll-reasons-question",)),
    "Lattice": ("inspect-lattice", ("#inspect-lattice-view .ll-char", "#inspect-lattice-view .ll-word")),
    "CRF": ("inspect-crf", ("#inspect-crf-verdict", "#inspect-crf-paths tbody tr")),
    "Queries": ("inspect-mrc", ("#inspect-mrc-panel",)),
    "Span scores": ("inspect-span-scores", ("#inspect-span-scores-label", "#inspect-span-scores-note")),
    "Attention": ("inspect-attention", ("#inspect-attention-words p",)),
    "Layer weights": ("inspect-mix", ("#inspect-mix-compare",)),
    "Relative distances": ("inspect-distances-group", ("#inspect-distances-how",)),
    "What if": ("inspect-what-if", ("#inspect-what-if-sentences .lla-bar", "#inspect-what-if-effects p")),
}
FIGURES = {
    "CRF": ("inspect-crf-decision-plot", "inspect-crf-plot"),
    "Queries": ("inspect-mrc-plot",),
    "Span scores": ("inspect-span-scores-plot",),
    "Attention": ("inspect-attention-thumbnails", "inspect-heatmap", "inspect-attention-heads"),
    "Layer weights": ("inspect-mix-plot",),
    "Relative distances": ("inspect-distances",),
}
# What each kind of tagger has to show, beside why and what if.
LENSES = {
    "flat": {"Lattice", "CRF", "Attention", "Relative distances"},
    "soft_lexicon": {"Lattice", "CRF"},
    "lattice_lstm": {"Lattice", "CRF"},
    "bert": {"CRF", "Attention"},
    "mrc": {"Queries", "Attention", "Layer weights"},
    "span": {"Span scores"},
    "elmo_crf": {"CRF", "Layer weights"},
}
MIXES = ("bert-scalar-mix", "bert-dynamic")


def panels_of(run: str) -> set[str]:
    """The names of the panels that a run must have."""
    kind, _ = RUNS[run]
    mixes = {"Layer weights"} if run in MIXES else set()
    return {"Why this span", "What if"} | LENSES[kind] | mixes


@pytest.mark.parametrize("run", [run for run in RUNS if run != "flat-0002"])  # flat-0001 of another seed
def test_every_panel_of_every_kind_of_tagger_is_drawn(inspecting: Inspecting, run: str) -> None:
    inspecting.look(run)
    inspecting.begin_what_if()
    for name, (group, parts) in PANELS.items():
        if name in panels_of(run):
            for part in parts:
                inspecting.drawn(part)
            for figure in FIGURES.get(name, ()):
                inspecting.figure(figure)
        else:
            assert not inspecting.page.locator(f"#{group}").is_visible(), f"{run} has nothing for {name}"
    links = inspecting.page.locator("#inspect-links button").all_inner_texts()
    assert links == [name for name in PANELS if name in panels_of(run)], run
    inspecting.keep(f"inspect-{run}")


def test_a_link_leads_to_its_panel(inspecting: Inspecting) -> None:
    inspecting.look("flat-0001")
    inspecting.figure("inspect-distances")
    for name, most in (("CRF", 450), ("Attention", 450), ("What if", 900)):  # nothing can follow the last one
        inspecting.page.locator("#inspect-links").get_by_role("button", name=name, exact=True).click()
        top = inspecting.page.locator(f"#{PANELS[name][0]}").bounding_box()["y"]
        assert 0 <= top < most, f"{name} begins at {top} of a window of 900"


def test_the_clicked_span_is_explained_by_three_methods(inspecting: Inspecting) -> None:
    inspecting.look("flat-0001")
    inspecting.ask_about(0)
    asked = inspecting.drawn("#inspect-why .ll-reasons-question")
    verdict = inspecting.drawn("#inspect-crf-verdict").inner_text()
    assert asked.inner_text().startswith("林晚晴 PER")
    inspecting.ask_about(1)
    assert asked.inner_text().startswith("清河大学 ORG")
    assert inspecting.drawn("#inspect-crf-verdict").inner_text() != verdict
    inspecting.page.keyboard.press("Escape")  # the menu of the span lies over the first choice
    inspecting.page.locator(".lla-popover:visible").wait_for(state="detached")
    answers = set()
    for way in range(3):  # leaving out a word, integrated gradients, covering characters
        inspecting.pick("#inspect-why-method", way)
        inspecting.drawn("#inspect-why ol li")
        inspecting.figure("inspect-why-plot")
        answers.add(inspecting.page.locator("#inspect-why").inner_text())
    assert len(answers) == 3
    inspecting.ask_about(0)
    assert asked.inner_text().startswith("林晚晴 PER")
    inspecting.drawn("#inspect-why .ll-reasons-sentence")


def test_attention_is_drawn_in_every_way(inspecting: Inspecting) -> None:
    page = inspecting.page
    inspecting.look("bert-last")
    with inspecting.redrawing("inspect-heatmap"):
        inspecting.choose("#inspect-head", "1")
    with inspecting.redrawing("inspect-heatmap"):
        inspecting.choose("#inspect-layer", "1")
    with inspecting.redrawing("inspect-heatmap"):
        inspecting.choose("#inspect-head", "rollout")
    for units in (2, 1):  # entities, characters
        with inspecting.redrawing("inspect-heatmap"):
            inspecting.pick("#inspect-attention-units", units)
    with inspecting.redrawing("inspect-attention-heads"):
        inspecting.pick("#inspect-attention-measure", 1)
    inspecting.click_point("inspect-attention-heads", 0, 0)
    assert page.input_value("#inspect-layer input") == "0"
    assert page.input_value("#inspect-head input") == "0"
    frame = page.frame_locator("#inspect-attention iframe")
    for view in (1, 2, 3):  # BertViz: heads, model, neurons
        inspecting.pick("#inspect-view", view)
        frame.locator("svg").first.wait_for()
        frame.locator("svg line, svg rect").first.wait_for(state="attached")
        assert not page.locator("#inspect-heatmap").is_visible()
        inspecting.keep(f"inspect-attention-{('head', 'model', 'neuron')[view - 1]}")
    inspecting.pick("#inspect-view", 0)
    inspecting.figure("inspect-heatmap")
    assert not page.locator("#inspect-attention iframe").is_visible()


def test_the_tables_of_a_crf_and_the_distances_of_flat(inspecting: Inspecting) -> None:
    inspecting.look("flat-0001")
    for panel in (1, 2, 0):  # marginals, transitions, emissions
        with inspecting.redrawing("inspect-crf-plot"):
            inspecting.pick("#inspect-crf-panel", panel)
    assert inspecting.page.locator("#inspect-crf-paths tbody tr").count() == 5
    names = ("head to tail", "fused encodings", "sinusoids", "all distances")
    for name in names:
        with inspecting.redrawing("inspect-distances"):
            inspecting.page.locator("#inspect-distances-show input").click()
            inspecting.page.get_by_role("option").filter(has_text=name).click()
            inspecting.wait_until_idle()


def test_a_query_is_edited_and_restored(inspecting: Inspecting) -> None:
    page = inspecting.page
    inspecting.look("mrc-0001")
    with inspecting.redrawing("inspect-mrc-plot"):
        inspecting.choose("#inspect-mrc-panel", "PER")
    box = inspecting.drawn("#inspect-mrc-query textarea, #inspect-mrc-query input")
    own = box.input_value()
    with inspecting.redrawing("inspect-mrc-plot"):
        box.fill("找出下雨的地方")
    inspecting.wait_until_idle()
    inspecting.drawn("#inspect-mrc-effects li, #inspect-mrc-effects p")
    with inspecting.redrawing("inspect-mrc-plot"):
        inspecting.pick("#inspect-mrc-stage", 1)
    inspecting.press("#inspect-mrc-put-back")
    assert box.input_value() == own
    page.locator("#inspect-mrc-put-back").wait_for(state="hidden")


@pytest.mark.parametrize(
    ("run", "picker", "figure", "what", "expected"),
    [
        ("span-0001", "inspect-span-scores-label", "inspect-span-scores-plot",
         "plot.data[0].customdata[0].slice(0, 3).join()", "林,林晚,林晚晴"),
        ("mrc-0001", "inspect-attention-query", "inspect-heatmap",
         "plot.layout.title.text", "query: {label}"),
    ],
)  # fmt: skip
def test_the_figure_of_another_label_is_drawn(inspecting: Inspecting, run, picker, figure, what, expected):
    inspecting.look(run)
    shown = inspecting.page.input_value(f"#{picker} input")
    other = next(label for label in ("LOC", "ORG", "PER") if label != shown)
    with inspecting.redrawing(figure):
        inspecting.choose(f"#{picker}", other)
    assert expected.format(label=other) in inspecting.values(figure, what)
    inspecting.look("flat-0001")
    assert not inspecting.page.locator(f"#{picker}").is_visible(), "FLAT has no such figure"


def test_layer_weights_of_two_runs_are_side_by_side(inspecting: Inspecting) -> None:
    inspecting.look("bert-scalar-mix")
    inspecting.figure("inspect-mix-plot")
    inspecting.choose("#inspect-mix-compare", "bert-dynamic")
    inspecting.figure("inspect-mix-other-plot")
    assert inspecting.drawn("#inspect-mix-run").inner_text() == "bert-scalar-mix"
    assert inspecting.drawn("#inspect-mix-other-run").inner_text() == "bert-dynamic"
    inspecting.keep("inspect-two-mixes")
    inspecting.choose("#inspect-mix-compare", "no other run")
    assert not inspecting.page.locator("#inspect-mix-other-plot").is_visible()


def test_a_figure_is_saved_as_picture_drawing_and_numbers(inspecting: Inspecting) -> None:
    inspecting.look("flat-0001")
    inspecting.figure("inspect-crf-plot")
    bar = inspecting.page.locator("#inspect-crf-plot-bar")
    saved: dict[str, bytes] = {}
    for way in ("PNG", "SVG", "CSV", "JSON"):
        with inspecting.page.expect_download() as download:
            bar.get_by_role("button", name=f"({way})" if way != "JSON" else way).click()
        assert download.value.suggested_filename == f"inspect-crf-plot.{way.lower()}"
        saved[way] = Path(download.value.path()).read_bytes()
    assert saved["PNG"].startswith(b"\x89PNG")
    assert b"<svg" in saved["SVG"][:200]
    rows = json.loads(saved["JSON"])["rows"]
    assert {row["x"] for row in rows} >= set(TEXT)
    assert len(saved["CSV"].decode("utf-8-sig").splitlines()) == 1 + len(rows)


def test_a_phone_shows_every_tab_in_one_column(windows: Windows, lenses: AppServer) -> None:
    with windows.open(viewport={"width": 390, "height": 844}, locale="zh-CN", has_touch=True) as opened:
        phone = Inspecting(opened, lenses)
        assert "透视" in phone.page.locator("#ll-pages").inner_text()
        wide = widths(phone)
        assert {name: width for name, width in wide.items() if width > 390} == {}
        phone.check_silence()


def test_on_a_phone_the_tabs_stand_beside_each_other(windows: Windows, lenses: AppServer) -> None:
    with windows.open(**PHONE) as opened:
        phone = Inspecting(opened, lenses)
        phone.turn_to("inspect")
        for name in TAB_NAMES:  # none is in the list behind the dots
            phone.page.locator(f"#inspect-tab-{name}-button").wait_for()
        phone.check_silence()


REVEALED = """id => {
    const { top, bottom } = document.getElementById(id).getBoundingClientRect();
    return scrollY > 0 && top >= 0 && (top <= innerHeight / 3 || bottom <= innerHeight);
}"""


def test_a_phone_is_scrolled_to_the_result(windows: Windows, lenses: AppServer) -> None:
    with windows.open(**PHONE, reduced_motion="reduce") as opened:
        phone = Inspecting(opened, lenses)
        phone.look("flat-0001")
        phone.page.wait_for_function(REVEALED, arg="inspect-view-sentence")
        phone.turn_to("tag")
        phone.page.fill("#tag-text textarea", TEXT)
        phone.press("#tag-go")
        phone.page.wait_for_function(REVEALED, arg="tag-result")
        phone.turn_to("compare")
        phone.page.locator("#compare-parts label").last.click()
        phone.page.wait_for_function(REVEALED, arg="compare-results")
        phone.check_silence()


def test_every_character_stands_under_its_bar(inspecting: Inspecting) -> None:
    inspecting.look("flat-0001", TEXT * 6)
    inspecting.page.locator("#inspect-why-method label").last.click()
    inspecting.wait_until_idle()
    inspecting.figure("inspect-why-plot")
    ticks = inspecting.page.locator("#inspect-why-plot .xtick text").all_text_contents()
    assert "".join(ticks) == TEXT * 6
    assert inspecting.width() <= inspecting.page.evaluate("innerWidth")
    inspecting.look("flat-0001")


def widths(phone: Inspecting) -> dict[str, int]:
    """How wide every tab is, with its figures drawn."""
    wide = {}

    def measured(name: str, *figures: str) -> None:
        for figure in figures:
            phone.figure(figure)
        phone.wait_until_idle()
        phone.keep(f"phone-{name}")
        wide[name] = phone.width()

    for run, figure in (("flat-0001", "inspect-heatmap"), ("mrc-0001", "inspect-mrc-plot")):
        phone.look(run)
        measured(run, figure)
    phone.press("#inspect-tab-errors-button")
    measured("errors", "inspect-errors-confusion", "inspect-errors-calibration")
    phone.press("#inspect-tab-embeddings-button")
    phone.press("#inspect-embeddings-draw")
    measured("embeddings", "inspect-embeddings-plot")
    phone.press("#inspect-tab-probing-button")
    measured("probing")
    phone.turn_to("compare")
    measured("compare", "compare-intervals")
    return wide


@pytest.mark.exhaustive
def test_a_tagger_of_words_has_its_words_drawn(windows: Windows, lenses: AppServer) -> None:
    with windows.open(viewport={"width": 1440, "height": 900}) as page:
        english = Inspecting(page, lenses, "english")
        english.look(page.input_value("#inspect-run input"), ENGLISH.text)
        words = ["Lin", "O'Neill", "left", "São", "Paulo", "."]
        for figure in ("inspect-crf-plot", "inspect-why-plot"):
            english.figure(figure)
            assert english.values(figure, "plot.layout.xaxis.ticktext") == words
        assert page.inner_text("#inspect-crf-paths tbody tr >> nth=0").count("Lin O'Neill") == 1
        english.pick("#inspect-why-method", 1)
        page.wait_for_function(
            "word => document.querySelector('#inspect-why')?.textContent.includes(word)",
            arg="O'Neill covered",
        )
        english.check_silence()


# Where a mark's bar lies and where its letters do: [left, right] of each, in the window.
BAR_AND_LETTERS = """([root, start, end]) => {
  const view = document.querySelector(root);
  const letters = document.createTreeWalker(view.querySelector('.lla-text'), NodeFilter.SHOW_TEXT).nextNode();
  const range = document.createRange();
  range.setStart(letters, start);
  range.setEnd(letters, end);
  const sides = ({ left, right }) => [left, right];
  const bars = [...view.querySelectorAll('.lla-bar')].map((bar) => sides(bar.getBoundingClientRect()));
  return [bars, sides(range.getBoundingClientRect())];
}"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("document", [ARABIC, HEBREW], ids=["arabic", "hebrew"])
def test_a_text_from_right_to_left_has_its_marks_where_its_letters_are(
    windows: Windows, lenses: AppServer, document: Document
) -> None:
    with windows.open(viewport={"width": 1440, "height": 900}) as page:
        reader = Inspecting(page, lenses, RIGHT_TO_LEFT)
        reader.look(page.input_value("#inspect-run input"), document.text)
        reader.wait_until_idle()
        for span in document.spans:
            root = "#inspect-view-sentence"
            bars, letters = page.evaluate(BAR_AND_LETTERS, [root, span.start, span.end])
            assert any(bar == pytest.approx(letters, abs=2) for bar in bars), "a bar lies under its letters"
        units = words(document.text)
        places = [
            page.locator(f"#inspect-lattice-view .ll-char[data-node='{at}'] rect").first.bounding_box()
            for at in range(len(units))
        ]
        assert all(place for place in places)
        lefts = [place["x"] for place in places if place]
        assert lefts == sorted(lefts, reverse=True), "the first word stands at the right"
        phrases = page.locator("#inspect-lattice-view .ll-word")
        assert phrases.count() == {"ar": 2, "he": 0}[document.id]
        reader.figure("inspect-crf-plot")
        first, last = reader.values("inspect-crf-plot", "plot.layout.xaxis.range")
        assert first > last, "the columns of a figure run as the text does"
        reader.check_silence()
