"""A workspace of nothing but hostile text: every page shows it, none runs it, and no request leaves."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.annotation import annotations, comments
from core.store.document import documents
from core.store.label import labels
from core.store.project import guideline, projects
from core.store.run import predictions, runs
from core.store.suggest import patterns
from core.text import Document, Label, LabelSet, Span
from core.text.message import Told
from tests.browser.app_page import app_page, turn_to
from tests.browser.hostile_payloads import PAYLOADS
from tests.browser.idle import wait_until_idle
from tests.browser.test_hostile_names import PAGES
from tests.store.by_hand import add_words

if TYPE_CHECKING:
    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
TRAP = """
window.hits = [];
window.pwned = () => window.hits.push(new Error().stack);
for (const name of ["alert", "confirm", "prompt"]) window[name] = window.pwned;
"""


def taken(make, *arguments):
    """What ``make`` comes to, or None where it refuses in its own words."""
    with suppress(Told, ValueError):
        return make(*arguments)
    return None


@pytest.fixture(scope="module", autouse=True)
def hostile(app: AppServer) -> None:
    assert len(PAYLOADS) > 150
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, PAYLOADS[1]).id
        named = [taken(Label, one.strip()[:60]) for one in PAYLOADS]
        names = list(dict.fromkeys(label.name for label in named if label is not None))[:60]
        set_ = LabelSet().extended(names)
        described = (Label(one.name, one.colour, "", text) for one, text in zip(set_, PAYLOADS, strict=False))
        labels.put(workspace, project, LabelSet(described))
        guideline.save(workspace, project, "\n\n".join(PAYLOADS).replace("\0", ""), 0, user=PAYLOADS[1])
        added = [
            one
            for at, text in enumerate(PAYLOADS)
            if (one := taken(Document, text[:200], f"{text}\n第{at}篇")) is not None
        ]
        ids = documents.add(workspace, project, added).ids
        run = runs.create(workspace, project, "flat").name
        runs.describe(workspace, run, title=PAYLOADS[1], note="\n".join(PAYLOADS[:20]))
        for at, (number, document) in enumerate(zip(ids, added, strict=True)):
            end, label = len(document.text) - 1, names[at % len(names)]
            with suppress(Told, ValueError):
                annotations.save(
                    workspace, number, 0, [Span(0, end, label)], user=PAYLOADS[at % 40], action="label"
                )
            with suppress(Told, ValueError):
                comments.add(workspace, number, PAYLOADS[at], user=PAYLOADS[at % 40])
            predictions.put_one(workspace, run, number, [Span(0, end, names[-1], 0.4)])
        words = {word: "PER" for one in PAYLOADS if len(word := one.strip()) < 20 and word.isprintable()}
        taken(lambda: add_words(workspace, project, words, user="lin"))
        for text in PAYLOADS[:40]:
            with suppress(Told, ValueError):
                patterns.add(workspace, project, text, names[0], user="lin")
        runs.set_status(workspace, run, "failed")


def test_no_page_runs_what_it_shows_and_no_request_leaves(windows: Windows, app: AppServer) -> None:
    with app_page(windows, app, silent=False, alone=True) as page:
        page.add_init_script(TRAP)
        page.reload()
        page.wait_for_selector("#annotate .lla-text:not(:empty)")
        for _ in range(6):  # from document to document
            page.keyboard.press("Alt+ArrowDown")
            wait_until_idle(page)
        for name in PAGES:
            turn_to(page, name)
            wait_until_idle(page)
            hits = page.evaluate("window.hits")
            assert hits == [], (name, hits)
            shown = page.locator("body").inner_text()
            assert "第" in shown or name not in ("annotate", "data"), name
            # What a person hovers and opens in passing.
            page.evaluate(
                """() => document.querySelectorAll("[title], summary, details").forEach((one) => {
                    one.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
                    if (one.tagName === "DETAILS") one.open = true;
                })"""
            )
            unsafe = page.evaluate(
                """() => [...document.querySelectorAll("a[href], iframe, object, embed, [onerror], [onload]")]
                    .filter((one) => /^\\s*(javascript|vbscript|data:text)/i.test(one.getAttribute("href"))
                        || one.hasAttribute("onerror") || one.hasAttribute("onload")
                        || /javascript:/i.test(one.getAttribute("src") || ""))
                    .map((one) => one.outerHTML.slice(0, 200))"""
            )
            assert unsafe == [], (name, unsafe)
        assert page.evaluate("window.hits") == []
