"""The lattice viewer is given the nodes of the trace, whom they touch, and what ties them together."""

import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from app.ui.widgets.lattice import lattice_value, packed_attention
from app.ui.widgets.page_code import SCRIPTS
from core.inspection.sentence.attention_view import MEAN
from core.inspection.sentence.lattice_view import lattice_view, node_attention
from core.taggers.base.trace import LatticeTrace, Trace
from core.text import Span
from tests.app.inspect.figures.sample_trace import TOKENS, sample_trace

COLOURS = {"LOC": "#009E73"}


def test_nodes_carry_head_tail_and_the_entity_they_touch():
    value = lattice_value(lattice_view(sample_trace()), COLOURS, mark="m", focus=Span(3, 6, "LOC", 0.91))
    assert value["nodes"] == [*TOKENS, "岭南", "岭南市"]
    assert list(zip(value["head"], value["tail"], strict=True))[6:] == [(3, 4), (3, 5)]
    assert value["touches"] == [[], [], [], [0], [0], [0], [0], [0]]
    assert value["spans"] == [
        {
            "start": 3,
            "end": 6,
            "head": 3,
            "tail": 5,
            "label": "LOC",
            "score": 0.91,
            "colour": "#009E73",
            "focus": True,
        }
    ]
    assert (value["characters"], value["mark"], value["frequency"]) == (6, "m", None)


def test_only_the_span_in_focus_is_outlined():
    value = lattice_value(lattice_view(sample_trace()), COLOURS, focus=Span(0, 2, "LOC", 0.91))
    assert [span["focus"] for span in value["spans"]] == [False]


def test_a_lattice_without_attention_has_no_matrix():
    value = lattice_value(lattice_view(replace(sample_trace(), attention=())), COLOURS)
    assert (value["attention"], value["heads"], value["links"], value["kind"]) == (None, [], [], "")


def unpacked(packed):
    steps = np.frombuffer(b64decode(packed["weights"]), dtype="<u2")
    return steps.reshape(packed["queries"], packed["keys"]) * packed["scale"]


@pytest.mark.parametrize("head", [0, 1, MEAN])
def test_weights_arrive_exact_to_five_decimals(head):
    trace = sample_trace()
    expected = trace.attention[0].mean(axis=0) if head == MEAN else trace.attention[0][head]
    packed = packed_attention(node_attention(trace, 0, head), 0, head)
    assert (packed["layer"], packed["head"]) == (0, head)
    np.testing.assert_allclose(unpacked(packed), expected, atol=1e-5)


def test_one_matrix_of_350_nodes_takes_a_third_of_a_megabyte():
    weights = np.random.default_rng(1).random((8, 350, 350))
    lattice = LatticeTrace(("一",) * 350, np.zeros(350, int), np.zeros(350, int), 200)
    trace = Trace("一" * 200, ("一",) * 200, (), "flat", attention=(weights,), lattice=lattice)
    assert len(packed_attention(node_attention(trace, 0, 3), 0, 3)["weights"]) < 330_000


def test_weights_that_are_all_zero_or_no_numbers_do_not_break_it():
    for broken in (np.zeros((6, 8)), np.full((6, 8), np.nan)):
        assert not unpacked(packed_attention(broken, 0, 0)).any()


def test_the_messages_that_the_viewer_names_exist():
    table = (SCRIPTS / "lattice" / "messages.js").read_text("utf-8")
    said = set(re.findall(r'^  "([^"]+)": ', table, re.MULTILINE))
    named = set()
    for path in (SCRIPTS / "lattice").glob("*.js"):
        named |= set(re.findall(r'\bsay\("([a-z_.]+)"', path.read_text(encoding="utf-8")))
    assert named
    assert named <= said
