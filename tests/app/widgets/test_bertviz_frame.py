"""BertViz draws with no network, and no token breaks out of its page."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from app.widgets.bertviz_frame import MOST_NODES, TooManyNodesError, bertviz_page
from tests.app.figures.sample_trace import sample_trace


@pytest.mark.parametrize("view", ["head", "model"])
def test_the_page_names_no_host_to_fetch_from(view: str) -> None:
    page = bertviz_page(sample_trace(), view)
    assert not re.search(r"<script[^>]+src=", page)
    assert not re.search(r"<link[^>]+href=|@import", page)
    # BertViz's own require.config still names its CDN; the shim's config ignores it.
    assert "requirejs.config=function(){}" in page


@pytest.mark.parametrize("view", ["head", "model"])
def test_a_token_cannot_end_the_script(view: str) -> None:
    trace = sample_trace()
    hostile = ("</script><script>alert(1)</script>", "<!--", *trace.tokens[2:])
    nodes = hostile + trace.lattice.nodes[6:]
    page = bertviz_page(replace(trace, tokens=hostile, lattice=replace(trace.lattice, nodes=nodes)), view)
    calm = bertviz_page(trace, view)
    for mark in ("<script", "</script"):
        opened = len(re.findall(mark, page))
        assert opened == len(re.findall(mark, calm)) + (4 if mark == "<script" else 0)
    assert "<!--" not in page.split("<body>")[1]


def test_weights_are_written_with_four_decimals() -> None:
    page = bertviz_page(sample_trace(), "head")
    numbers = re.findall(r"0\.\d+", page.split('"cross_attention"')[-1].split("left_text")[0][-2000:])
    assert numbers
    assert all(len(number) <= 6 for number in numbers)


def test_a_sentence_too_long_for_bertviz_is_refused_with_the_way_out() -> None:
    trace = sample_trace()
    count = MOST_NODES + 1
    long = replace(
        trace,
        tokens=("字",) * count,
        lattice=None,
        attention=(np.full((1, count, count), 1 / count),),
    )
    with pytest.raises(TooManyNodesError, match="heatmap"):
        bertviz_page(long, "head")


def test_a_trace_without_attention_is_refused() -> None:
    with pytest.raises(ValueError, match="no attention"):
        bertviz_page(replace(sample_trace(), attention=()), "head")
