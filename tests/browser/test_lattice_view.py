"""The lattice viewer in a real Chromium: pointing, holding, filtering, keys, fingers and files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pytest

from app.services.errors import AppError
from app.ui.widgets.lattice import lattice_value, packed_attention
from core.inspection.sentence.lattice_view import lattice_view, node_attention
from core.taggers.base.trace import LatticeTrace, Trace
from core.text import Document, Span
from tests.browser.lattice_page import open_lattice
from tests.taggers.small_taggers import small_tagger

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.windows import Windows

TEXT = "陈禾在岭南市住"
NODES = (*TEXT, "岭南", "岭南市", "市住")
COLOURS = {"LOC": "#009E73"}


def seven_characters() -> Trace:
    """Two layers of two heads; in the last one the seven characters look, the three words do not."""
    random = np.random.default_rng(3)
    attention = tuple(random.dirichlet(np.ones(10), (2, queries)) for queries in (10, 7))
    lattice = LatticeTrace(
        NODES,
        np.array([0, 1, 2, 3, 4, 5, 6, 3, 3, 5]),
        np.array([0, 1, 2, 3, 4, 5, 6, 4, 5, 6]),
        7,
        np.array([40, 7, 0]),
    )
    spans = (Span(3, 6, "LOC", 0.91),)
    return Trace(TEXT, tuple(TEXT), spans, "flat", attention=attention, lattice=lattice)


TRACE = seven_characters()
MEAN = TRACE.attention[0].mean(axis=0)


def value_of(trace: Trace = TRACE) -> dict[str, Any]:
    return lattice_value(lattice_view(trace), COLOURS, mark="m", focus=next(iter(trace.spans), None))


@pytest.fixture
def asked() -> list[tuple[int, int]]:
    return []


@pytest.fixture
def view(page: Page, asked: list[tuple[int, int]]) -> Iterator[Page]:
    def answer(question: dict[str, Any]) -> dict[str, Any]:
        assert question["mark"] == "m"
        asked.append((question["layer"], question["head"]))
        layer, head = question["layer"], question["head"]
        return {"ok": True, **packed_attention(node_attention(TRACE, layer, head), layer, head)}

    problems: list[str] = []
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    open_lattice(page, value_of(), answer)
    yield page
    assert problems == []


def node(page: Page, number: int) -> Any:
    return page.locator(f"[data-node='{number}'][role=button]")


def note(page: Page) -> list[str]:
    return [line for line in page.locator(".ll-lattice-note").inner_text().split("\n") if line]


def strongest(weights: np.ndarray, least: float) -> list[str]:
    """What the note must say: names and weights from the strongest down, six at most."""
    order = sorted(range(len(weights)), key=lambda at: (-weights[at], at))
    named = [
        f"{NODES[at]} {weights[at]:.{2 if weights[at] >= 0.0995 else 3}f}"
        for at in order
        if weights[at] >= least
    ]
    return named[:6]


def said(line: str, name: str) -> list[str]:
    assert line.startswith(f"{name}: ")
    return re.sub(r" and \d+ more$", "", line.removeprefix(f"{name}: ")).split(" · ")


def slide(page: Page, name: str, position: int) -> None:
    page.locator(f"[data-choice={name}]").evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", position
    )


def words(page: Page) -> list[str]:
    return page.locator(".ll-word[role=button]").all_text_contents()


@pytest.mark.exhaustive
def test_every_character_and_word_is_drawn(view: Page) -> None:
    assert view.locator(".ll-char").all_text_contents() == list(TEXT)
    assert words(view) == ["岭南", "岭南市", "市住"]
    assert view.locator(".ll-span-name").text_content() == "LOC .91"
    places = [node(view, at).bounding_box() for at in (7, 8, 3)]
    assert places[0]["y"] > places[1]["y"], "the shorter word is nearer the text"
    assert places[0]["y"] + places[0]["height"] <= places[2]["y"] + 1
    assert abs(places[0]["x"] - places[2]["x"]) < 2


def test_pointing_says_whom_a_node_looks_at_and_who_looks_at_it(view: Page) -> None:
    node(view, 7).hover()
    facts, out, into = note(view)
    assert facts == "岭南 · head 3 · tail 4 · frequency 40 · touches LOC 岭南市"
    assert said(out, "attends to") == strongest(MEAN[7], 2 / 10)
    assert said(into, "attended by") == strongest(MEAN[:, 7], 2 / 10) or "none from 0.20 up" in into
    view.mouse.move(5, 5)
    assert note(view)[0].startswith("Point at a character")


@pytest.mark.exhaustive
def test_the_weight_limit_lets_only_strong_ties_through(view: Page) -> None:
    slide(view, "weight", 0)
    node(view, 2).hover()
    assert said(note(view)[1], "attends to") == strongest(MEAN[2], 0.0)
    assert note(view)[1].endswith("and 4 more")
    slide(view, "weight", 100)
    node(view, 2).hover()
    best = strongest(MEAN[2], 0.0)[0]
    assert note(view)[1] == f"attends to: none from {MEAN.max():.2f} up; the strongest is {best}"


def test_another_head_is_requested_once_and_drawn(view: Page, asked: list) -> None:
    slide(view, "weight", 0)
    view.locator("[data-choice=layer]").select_option("1")
    view.locator("[data-choice=head]").select_option("1")
    view.wait_for_function("document.querySelector('[data-choice=head]').value === '1'")
    node(view, 0).hover()
    expected = strongest(TRACE.attention[1][1][0], 0.0)
    view.wait_for_function(
        "text => document.querySelector('.ll-lattice-note').innerText.includes(text)", arg=expected[0]
    )
    assert said(note(view)[1], "attends to") == expected
    view.locator("[data-choice=head]").select_option("-1")
    view.locator("[data-choice=head]").select_option("1")
    assert asked == [(1, -1), (1, 1)]
    node(view, 8).hover()
    assert note(view)[1] == "attends to: none: only characters are queries in this layer"


@pytest.mark.exhaustive
def test_a_click_holds_a_node_and_escape_or_a_second_click_lets_go(view: Page) -> None:
    for let_go in ("Escape", "click"):
        node(view, 3).click()
        assert node(view, 3).get_attribute("aria-pressed") == "true"
        node(view, 0).hover()
        assert note(view)[0].startswith("陈 ")
        view.mouse.move(5, 5)
        assert note(view)[0].startswith("岭 ")
        assert note(view)[0].endswith("(held)")
        if let_go == "click":
            node(view, 3).click()
        else:
            view.keyboard.press(let_go)
        assert node(view, 3).get_attribute("aria-pressed") == "false"
        view.mouse.move(5, 5)
        assert "(held)" not in note(view)[0]
        view.evaluate("document.activeElement.blur()")


def test_arrows_walk_over_the_lattice(view: Page) -> None:
    view.locator(".ll-lattice-field select").last.focus()
    for _ in range(4):
        view.keyboard.press("Tab")
    assert note(view)[0].startswith("陈 ")
    walk = [
        ("ArrowRight", "禾"), ("End", "住"), ("ArrowLeft", "市"), ("ArrowUp", "市住"), ("ArrowUp", "岭南市"),
        ("ArrowLeft", "岭南"), ("ArrowDown", "岭"), ("Home", "陈"),
    ]  # fmt: skip
    for key, name in walk:
        view.keyboard.press(key)
        assert note(view)[0].split(" · ")[0] == name, key
    view.keyboard.press("Enter")
    assert note(view)[0].endswith("(held)")


@pytest.mark.exhaustive
def test_nodes_and_spans_have_names_for_a_screen_reader(view: Page) -> None:
    assert view.get_by_role("button", name="岭南 · head 3 · tail 4").count() == 1
    assert view.get_by_role("img", name="岭南市 · LOC .91 · 3–6").count() == 1
    assert view.get_by_role("group", name="Lattice of the sentence").count() == 1


@pytest.mark.exhaustive
def test_a_finger_holds_a_node_and_lets_go(windows: Windows) -> None:
    with windows.open(viewport={"width": 390, "height": 800}, has_touch=True) as page:
        open_lattice(page, value_of())
        node(page, 7).tap()
        assert note(page)[0].startswith("岭南 ")
        assert page.locator("[data-choice=layer]").count() == 0, "nobody to ask for another layer"
        node(page, 7).tap()
        assert "(held)" not in note(page)[0]


@pytest.mark.exhaustive
def test_an_error_reply_is_shown(page: Page) -> None:
    error = str(AppError("The page now shows another sentence; press “Inspect sentence” again."))
    open_lattice(page, value_of(), lambda question: {"ok": False, "code": "invalid", "message": error})
    page.locator("[data-choice=head]").select_option("1")
    page.wait_for_selector(".ll-lattice-problem")
    assert page.locator(".ll-lattice-problem").inner_text() == error


@pytest.mark.exhaustive
def test_shares_of_words_are_shown_where_there_is_no_attention(page: Page) -> None:
    tagger = small_tagger("lattice_lstm").eval()
    (trace,) = tagger.trace(tagger.collate([Document("1", "林晚晴在清河大学教书")]))
    open_lattice(page, value_of(trace))
    word = trace.lattice.nodes.index("大学")
    forward, backward = trace.word_shares[word - 10].tolist()
    node(page, word).hover()
    assert set(said(note(page)[1], "goes into")) == {
        f"学 (forward) {forward:.2f}", f"大 (backward) {backward:.2f}",
    }  # fmt: skip
    assert len(note(page)) == 2


@pytest.mark.exhaustive
def test_text_from_people_is_drawn_as_text(page: Page) -> None:
    text = "<b>x</b>${1}{{x}}`"
    lattice = LatticeTrace(tuple(text), np.arange(len(text)), np.arange(len(text)), len(text))
    spans = (Span(0, 3, "<img src=x onerror=alert(1)>", 0.5),)
    open_lattice(page, value_of(Trace(text, tuple(text), spans, "dictionary", lattice=lattice)))
    assert "".join(page.locator(".ll-char").all_text_contents()) == text
    assert page.locator(".ll-lattice img, .ll-lattice b").count() == 0
    node(page, 0).hover()
    assert "<img src=x onerror=alert(1)> <b>" in note(page)[0]


def saved(page: Page, way: str) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=f"({way})").or_(page.get_by_role("button", name=way)).first.click()
    assert download.value.suggested_filename == f"lattice.{way.lower()}"
    return Path(download.value.path())


@pytest.mark.exhaustive
def test_the_lattice_and_the_ties_in_view_can_be_saved(view: Page) -> None:
    slide(view, "weight", 0)
    node(view, 7).click()
    rows = list(csv.DictReader(io.StringIO(saved(view, "CSV").read_text(encoding="utf-8-sig"))))
    nodes = [row for row in rows if row["part"] in ("character", "word")]
    assert [row["surface"] for row in nodes] == list(NODES)
    assert nodes[7] | {"frequency": "40", "entities": "LOC", "head": "3", "tail": "4"} == nodes[7]
    ties = {
        (int(row["node"]), int(row["other"])): float(row["weight"])
        for row in rows
        if row["part"] == "attention"
    }
    expected = {(7, key): MEAN[7, key] for key in range(10)} | {(at, 7): MEAN[at, 7] for at in range(10)}
    assert ties.keys() == expected.keys()
    assert all(abs(ties[pair] - weight) < 1e-5 for pair, weight in expected.items())

    told = json.loads(saved(view, "JSON").read_text(encoding="utf-8"))
    assert told["view"] == {"source": "attention", "layer": 0, "head": -1, "least_weight": 0, "node": 7}
    assert {(link["from"], link["to"]) for link in told["links"]} == expected.keys()
    assert told["text"] == TEXT


@pytest.mark.exhaustive
def test_a_saved_picture_stands_by_itself(view: Page) -> None:
    node(view, 7).click()
    drawing = saved(view, "SVG").read_text(encoding="utf-8")
    tree = ElementTree.fromstring(drawing)
    texts = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert set(NODES) <= set(texts)
    assert any(text.startswith("attends to: ") for text in texts)
    assert "var(" not in drawing, "colours do not hang on the page"
    png = saved(view, "PNG").read_bytes()
    assert png.startswith(b"\x89PNG")
    width = int.from_bytes(png[16:20], "big")
    assert width == 2 * round(float(tree.get("width")))


@pytest.mark.exhaustive
def test_another_sentence_forgets_what_was_held_and_the_same_one_keeps_it(view: Page) -> None:
    node(view, 7).click()
    view.evaluate("value => window.giveLattice(value)", value_of(replace(TRACE, spans=())))
    assert note(view)[0].endswith("(held)")
    view.evaluate("value => window.giveLattice(value)", {**value_of(), "mark": "other"})
    assert "(held)" not in note(view)[0]
