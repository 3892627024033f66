"""Compare as a person meets it: what a retraining changes, down to both traces of one sentence."""

from __future__ import annotations

import re

import pytest

from tests.browser.inspecting import Inspecting

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def test_two_runs_are_compared_before_one_is_promoted(inspecting: Inspecting) -> None:
    page = inspecting.page
    inspecting.press("#ll-tab-compare-button")
    inspecting.figure("compare-intervals")
    said = inspecting.drawn("#compare-sentence").inner_text()
    assert re.search(r"changes \d+ spans? in \d+ documents?", said), said
    inspecting.keep("compare")

    cell = inspecting.drawn("#compare-groups [role=gridcell][data-testid=cell-0-0]")
    kind = cell.inner_text().strip()
    cell.click()
    inspecting.wait_until_idle()
    assert kind in inspecting.drawn("#compare-chosen").inner_text()
    inspecting.press("#compare-rows .lla-bar >> nth=0")
    assert page.input_value("#compare-document input")
    inspecting.press("#compare-traces-button")
    texts = [
        inspecting.drawn(f"#compare-sentence-{side} .lla-text").inner_text() for side in ("base", "other")
    ]
    assert texts[0] == texts[1]
    inspecting.figure("compare-crf-base")
    inspecting.figure("compare-crf-other")
    for side in ("base", "other"):
        with inspecting.redrawing(f"compare-attention-{side}"):
            inspecting.choose(f"#compare-layer-{side}", "0")
        with inspecting.redrawing(f"compare-attention-{side}"):
            inspecting.choose(f"#compare-head-{side}", "1")
        assert page.input_value(f"#compare-head-{side} input") == "1"
    inspecting.keep("compare-traces")
