"""From a word list and 500 raw sentences, no label, to a tagger that finds names the list does not have."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import MINUTES, bring_in, new_project, turn_to

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# Invented names and places, so that the truth is known.
NAMES = [a + b + c for a in "温裴邹薛柳褚" for b in "晓一天若" for c in "平鸣悦砚"]
PLACES = [a + b for a in "榆云苍白" for b in "山湾岭桥"]
FRAMES = (
    ("昨天", "从", "回来了。"),
    ("听说", "住在", "附近。"),
    ("", "没有去过", "。"),
    ("请问", "喜欢", "的雨吗？"),
    ("那时", "正走过", "。"),
)
SENTENCES, LISTED = 500, 0.4


def truth() -> dict[str, set[tuple[int, int, str]]]:
    """Every sentence with the names and places in it; no sentence comes twice."""
    chance = random.Random(4)
    found: dict[str, set[tuple[int, int, str]]] = {}
    while len(found) < SENTENCES:
        name, place = chance.choice(NAMES), chance.choice(PLACES)
        before, between, after = chance.choice(FRAMES)
        start = len(before) + len(name) + len(between)
        text = before + name + between + place + after
        found[text] = {
            (len(before), len(before) + len(name), "PER"),
            (start, start + len(place), "LOC"),
        }
    return found


def listed() -> dict[str, str]:
    """The words of the list with their types."""
    chance = random.Random(7)
    names = dict.fromkeys(chance.sample(NAMES, round(LISTED * len(NAMES))), "PER")
    return names | dict.fromkeys(chance.sample(PLACES, round(LISTED * len(PLACES))), "LOC")


def predictions(app: AppServer, run: str) -> dict[str, set[tuple[int, int, str]]]:
    """What the run says of every sentence."""
    path = app.workspace / "runs" / run / "predictions.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["text"]: {(s["start"], s["end"], s["label"]) for s in row["spans"]} for row in rows}


def test_from_words_to_suggestions(person: Page, app: AppServer, tmp_path: Path) -> None:
    page, sentences, words = person, truth(), listed()
    (tmp_path / "raw.txt").write_text("\n".join(sentences), encoding="utf-8")
    (tmp_path / "words.txt").write_text("".join(f"{w} 1 {t}\n" for w, t in words.items()), encoding="utf-8")

    # A project with raw text and nothing else, then a list of words.
    new_project(page, "raw")
    bring_in(page, tmp_path / "raw.txt", documents=SENTENCES)
    turn_to(page, "dictionary")
    page.locator("#dictionary-file input[type=file]").set_input_files(str(tmp_path / "words.txt"))
    page.get_by_role("button", name="Add these words").click()
    page.locator("#dictionary-words").get_by_text(next(iter(words)), exact=True).first.wait_for()

    # What will be learned from, and one button.
    page.get_by_role("tab", name="Learn", exact=True).click()
    page.wait_for_selector("#learn-plan table")
    told = page.locator("#learn-plan").inner_text()
    assert "500 raw documents and 0 annotated ones" in told
    assert re.search(rf"PER\s+{sum(t == 'PER' for t in words.values())}\s+\d+", told), told
    page.locator("#learn-start").click()
    page.wait_for_selector("#learn-cancel", state="visible")
    page.wait_for_selector("#learn-activate", state="visible", timeout=8 * MINUTES)
    page.locator("#learn-activate").click()
    page.wait_for_function("/active: partial_crf-0001/.test(document.querySelector('#ll-status').innerText)")

    # It finds names and places that are not in the list.
    answers = predictions(app, "partial_crf-0001")
    assert len(answers) == SENTENCES
    unlisted = {
        (text, span)
        for text, spans in sentences.items()
        for span in spans
        if text[span[0] : span[1]] not in words
    }
    found = {(text, span) for text, span in unlisted if span in answers[text]}
    assert len(unlisted) > 400
    assert len(found) > 0.3 * len(unlisted), f"{len(found)} of {len(unlisted)}"

    # They stand in the annotator as suggestions.
    text, span = min(found)
    page.locator("#learn-see").click()
    page.wait_for_function("/of 500/.test(document.querySelector('.lla-queue summary').innerText)")
    page.locator(".lla-desk .lla-tagger[data-key]").first.wait_for(state="attached")
    page.locator("#annotate .lla-queue input[type=search]").fill(text[:6])
    page.locator("#annotate .lla-document").filter(has_text=text[:6]).first.click()
    page.wait_for_function(f"document.querySelector('.lla-desk .lla-text').textContent === {text!r}")
    key = f"tagger:{span[0]}:{span[1]}:{span[2]}"
    page.locator(f'.lla-desk .lla-tagger[data-key="{key}"]').first.wait_for(state="attached")
