"""BertViz draws with no network, and no token breaks out of its page."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.inspect.widgets.bertviz_frame import MOST_NEURON_NODES, MOST_NODES, TooManyNodesError, bertviz_page
from core.taggers.base.trace import PieceTrace, QueryKeyTrace, Trace
from tests.app.inspect.figures.sample_trace import sample_trace


def piece_trace(first: str = "[CLS]", count: int = 3) -> Trace:
    """Two layers of two heads over some pieces, with vectors of four units behind them."""
    random = np.random.default_rng(3)
    queries, keys = (tuple(random.normal(size=(2, count, 4)) for _ in range(2)) for _ in range(2))
    scores = [np.exp(q @ k.swapaxes(1, 2) / 2) for q, k in zip(queries, keys, strict=True)]
    return Trace(
        "湖边",
        ("湖", "边"),
        (),
        "bert",
        attention=tuple(layer / layer.sum(-1, keepdims=True) for layer in scores),
        pieces=PieceTrace(
            (first, *"湖边" * count)[:count], np.zeros(count, dtype=int), np.zeros(count, dtype=int)
        ),
        query_key=QueryKeyTrace(queries, keys),
    )


def given_to_neuron_view(page: str) -> dict[str, Any]:
    text = page.split("window.bertviz_params = ", 1)[1]
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    return found


@pytest.mark.parametrize("view", ["head", "model", "neuron"])
def test_the_page_names_no_host_to_fetch_from(view: str) -> None:
    page = bertviz_page(piece_trace() if view == "neuron" else sample_trace(), view)
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


def test_a_piece_cannot_end_the_script_of_the_neuron_view() -> None:
    page = bertviz_page(piece_trace("</script><script>alert(1)</script>"), "neuron")
    calm = bertviz_page(piece_trace(), "neuron")
    assert page.count("</script") == calm.count("</script")
    assert given_to_neuron_view(page)["attention"]["all"]["left_text"][0].startswith("</script>")


def test_the_neuron_view_gets_the_vectors_and_weights_of_one_layer() -> None:
    trace = piece_trace()
    given = given_to_neuron_view(bertviz_page(trace, "neuron", layer=1, head=1))
    assert (given["layer"], given["head"]) == (0, 1)  # the only layer it was given
    drawn = given["attention"]["all"]
    assert drawn["left_text"] == drawn["right_text"] == ["[CLS]", "湖", "边"]
    assert trace.query_key is not None
    for name, expected in (
        ("attn", trace.attention[1]),
        ("queries", trace.query_key.queries[1]),
        ("keys", trace.query_key.keys[1]),
    ):
        np.testing.assert_allclose(drawn[name], expected[None], atol=5e-5)


def test_the_neuron_view_wants_the_vectors_and_a_shorter_sentence() -> None:
    with pytest.raises(ValueError, match="no query and key vectors"):
        bertviz_page(sample_trace(), "neuron")
    with pytest.raises(TooManyNodesError, match=str(MOST_NEURON_NODES)):
        bertviz_page(piece_trace(count=MOST_NEURON_NODES + 1), "neuron")


def test_weights_are_written_with_four_decimals() -> None:
    page = bertviz_page(sample_trace(), "head")
    numbers = re.findall(r"0\.\d+", page.split('"cross_attention"')[-1].split("left_text")[0][-2000:])
    assert numbers
    assert all(len(number) <= 6 for number in numbers)


def test_a_sentence_too_long_for_bertviz_is_refused_with_the_way_out() -> None:
    trace = sample_trace()
    count = MOST_NODES + 1
    long = replace(
        trace, tokens=("字",) * count, lattice=None, attention=(np.full((1, count, count), 1 / count),)
    )
    with pytest.raises(TooManyNodesError, match="heatmap"):
        bertviz_page(long, "head")


def test_a_trace_without_attention_is_refused() -> None:
    with pytest.raises(ValueError, match="no attention"):
        bertviz_page(replace(sample_trace(), attention=()), "head")
